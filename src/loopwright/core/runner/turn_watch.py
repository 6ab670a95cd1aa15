"""Breakers inside a turn: a fold over what the agent's output tells while the turn is under way."""

from __future__ import annotations

from ..loop import Loop, run_of
from ..pausing.errors import signature
from ..prompts import turn_breakers as words
from ..record import Record
from ..signals import ToolOutcome

SAME_ERROR, SAME_LINE, SAME_RESULT, NO_CHANGE, TURN_BUDGET = (
    "same-error",
    "same-line",
    "same-result",
    "no-change",
    "turn-budget",
)
# Plain output tells no tool calls: an error in it is a line. One call may print it many times at
# once, so a line counts again only after a while.
SAME_LINES = 5
LINE_GAP_SECONDS = 1.0
MAX_LINES = 20  # different ones that are counted
# Calls that are the same but for their numbers and return the same tell nothing new. Who waits
# for something, with a pause between two looks, may look more often.
SAME_RESULTS = 6
SAME_RESULTS_AGAIN = 3  # in the next turn, which was told
WAITING_SECONDS, WAITING_WEIGHT = 20.0, 0.25
# Where the result is not told, only the very same call counts, and it may have returned more.
UNKNOWN_RESULT_WEIGHT = 0.5
# An agent that takes a budget ends its turn by itself, with the exact cost. Ours is an estimate.
CAPPED_MARGIN = 1.25


class TurnNews(Record):
    """What a piece of output tells that was not known before."""

    calls: int = 0
    outcomes: tuple[ToolOutcome, ...] = ()
    files_edited: bool = False
    dollars: float = 0.0  # of the turn so far
    error_line: str = ""  # of plain output
    at: float = 0.0  # seconds of any clock that does not jump


class TurnWatch(Record):
    """What a runner knows of the turn under way, and its limits; 0 means no limit."""

    most_same_errors: int
    most_calls: int
    most_dollars: float
    error_signature: str = ""
    error_call: str = ""
    error_text: str = ""
    same_error: int = 0
    calls: int = 0  # since a file was changed
    dollars: float = 0.0
    error_lines: tuple[tuple[str, int, float], ...] = ()  # each with its count and last time
    most_same_results: float = 0.0
    # Calls with the same result: what was called and returned, the count, the last time and call.
    same_results: tuple[tuple[str, float, float, str], ...] = ()


def watch_turn(loop: Loop, reserve: float, capped: bool) -> TurnWatch:
    """The watch at the start of a turn.

    A call that ended the last turn is remembered: the agent was told, so one more is too much.
    """
    limits, streak = loop.limits, loop.streak
    watch = TurnWatch(
        most_same_errors=limits.same_error,
        most_calls=0 if loop.backlog else limits.unchanging_calls,  # exploring changes no file
        most_dollars=reserve * (CAPPED_MARGIN if capped else 1.0),
        most_same_results=SAME_RESULTS,
    )
    if run_of(loop).turn_breaker == SAME_RESULT:
        return watch.but(most_same_results=SAME_RESULTS_AGAIN)
    if run_of(loop).turn_breaker != SAME_ERROR:
        return watch
    return watch.but(error_signature=streak.error_signature, same_error=streak.same_error)


def add_news(watch: TurnWatch, news: TurnNews) -> TurnWatch:
    """The watch after one more piece of output."""
    watch = watch.but(calls=watch.calls + news.calls, dollars=max(watch.dollars, news.dollars))
    if news.files_edited:
        watch = forget_before_change(watch)
    for outcome in news.outcomes:
        watch = _count_result(_count_outcome(watch, outcome), outcome, news.at)
    return _count_line(watch, news.error_line, news.at) if news.error_line else watch


def _count_line(watch: TurnWatch, line: str, at: float) -> TurnWatch:
    others = tuple(row for row in watch.error_lines if row[0] != line)
    _, times, last_at = next((row for row in watch.error_lines if row[0] == line), (line, 0, 0.0))
    if times and at - last_at < LINE_GAP_SECONDS:
        return watch
    return watch.but(error_lines=(*others, (line, times + 1, at))[-MAX_LINES:])


def _count_outcome(watch: TurnWatch, outcome: ToolOutcome) -> TurnWatch:
    if not outcome.error:
        if watch.error_signature.startswith(f"{outcome.key[:200]}: "):
            return watch.but(error_signature="", same_error=0)
        return watch
    now = signature(outcome.key, outcome.error)
    times = watch.same_error + 1 if now == watch.error_signature else 1
    return watch.but(
        error_signature=now, error_call=outcome.key, error_text=outcome.error, same_error=times
    )


def _count_result(watch: TurnWatch, outcome: ToolOutcome, at: float) -> TurnWatch:
    """Count a call that returned what a call like it returned before."""
    known = outcome.result or outcome.error
    seen = f"{_without_numbers(outcome.key)} {known}" if known else outcome.key
    others = tuple(row for row in watch.same_results if row[0] != seen)
    count, last_at = next((row[1:3] for row in watch.same_results if row[0] == seen), (0.0, at))
    weight = 1.0 if known else UNKNOWN_RESULT_WEIGHT
    if at - last_at >= WAITING_SECONDS:
        weight *= WAITING_WEIGHT
    row = (seen, count + weight, at, outcome.key)
    return watch.but(same_results=(*others, row)[-MAX_LINES:])


def _without_numbers(key: str) -> str:
    """The call without the digits in it: what differs between two tries of one thing."""
    return "".join("#" if letter.isdigit() else letter for letter in key)


def forget_before_change(watch: TurnWatch) -> TurnWatch:
    """A file has changed, so what failed before may succeed now: count from zero."""
    return watch.but(error_signature="", same_error=0, calls=0, error_lines=(), same_results=())


def reason_to_end(watch: TurnWatch) -> tuple[str, str] | None:
    """The breaker that ends the turn, and why; None while it may continue.

    All but the budget need a look at the files by the caller: they hold only if none has changed.
    """
    if 0 < watch.most_dollars <= watch.dollars:
        return TURN_BUDGET, words.turn_budget_reason(watch.dollars)
    if watch.error_text and 0 < watch.most_same_errors <= watch.same_error:
        times, call = watch.same_error, watch.error_call
        return SAME_ERROR, words.same_error_reason(call, watch.error_text, times)
    line, times, _ = watch.error_lines[-1] if watch.error_lines else ("", 0, 0.0)
    if times >= SAME_LINES:
        return SAME_LINE, words.same_line_reason(line, times)
    _, count, _, call = watch.same_results[-1] if watch.same_results else ("", 0.0, 0.0, "")
    if 0 < watch.most_same_results <= count:
        return SAME_RESULT, words.same_result_reason(call)
    if 0 < watch.most_calls <= watch.calls:
        return NO_CHANGE, words.no_change_reason(watch.calls)
    return None
