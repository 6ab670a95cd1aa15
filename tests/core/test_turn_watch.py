"""Breakers inside a turn: what the output tells is counted, and the turn ends for a reason that the next one reads."""

from __future__ import annotations

from typing import Any

import pytest

from loopwright.core.directives import Continue, Stop
from loopwright.core.limits import Limits
from loopwright.core.prompts.turn_breakers import next_turn_advice
from loopwright.core.runner.events import TurnBroken
from loopwright.core.runner.turn_watch import (
    CAPPED_MARGIN,
    LINE_GAP_SECONDS,
    NO_CHANGE,
    SAME_ERROR,
    SAME_LINE,
    SAME_LINES,
    SAME_RESULT,
    SAME_RESULTS,
    TURN_BUDGET,
    TurnNews,
    TurnWatch,
    add_news,
    forget_before_change,
    reason_to_end,
    watch_turn,
)
from loopwright.core.signals import ToolOutcome
from tests.support.night import Night, a_free_loop

FAILS = ToolOutcome("Bash make deploy", "Exit code 2\nno rule to make target")
WATCH = TurnWatch(most_same_errors=3, most_calls=10, most_dollars=6.25)


def called(outcome: ToolOutcome, **facts: Any) -> TurnNews:
    return TurnNews(calls=1, outcomes=(outcome,), **facts)


def after(*news: TurnNews, watch: TurnWatch = WATCH) -> TurnWatch:
    for one in news:
        watch = add_news(watch, one)
    return watch


def breaker(*news: TurnNews, watch: TurnWatch = WATCH) -> str:
    reason = reason_to_end(after(*news, watch=watch))
    return reason[0] if reason else ""


def line(at: float, text: str = "Error: no route to host") -> TurnNews:
    return TurnNews(error_line=text, at=at)


OTHER = ToolOutcome("Bash make deploy", "Exit code 1\npermission problem")
FINE = ToolOutcome("Bash make deploy")
READ = ToolOutcome("Read README.md")


@pytest.mark.parametrize(
    ("news", "expected"),
    [
        pytest.param([called(FAILS)] * 2, "", id="two"),
        pytest.param([called(FAILS)] * 3, SAME_ERROR, id="three"),
        pytest.param([called(FAILS), called(READ)] * 3, SAME_ERROR, id="with a look in between"),
        pytest.param([called(FAILS), called(OTHER)] * 3, "", id="another error each time"),
        pytest.param([called(FAILS)] * 2 + [called(FINE), called(FAILS)], "", id="it worked once"),
        pytest.param(
            [called(FAILS), called(READ, files_edited=True)] * 5,
            "",
            id="a file is edited each time",
        ),
        pytest.param([called(READ)] * 9, "", id="nine calls that only look"),
        pytest.param([called(READ)] * 10, NO_CHANGE, id="ten"),
        pytest.param(
            [*[called(READ)] * 9, called(READ, files_edited=True), *[called(READ)] * 9],
            "",
            id="ten, with an edit",
        ),
        pytest.param([TurnNews(dollars=6.24)], "", id="a cent less than the turn may cost"),
        pytest.param([TurnNews(dollars=6.25)], TURN_BUDGET, id="all that it may cost"),
        pytest.param(
            [line(n * LINE_GAP_SECONDS) for n in range(SAME_LINES)], SAME_LINE, id="the same line"
        ),
        pytest.param([line(0.01 * n) for n in range(90)], "", id="at once: one compiler's output"),
        pytest.param(
            [line(n * LINE_GAP_SECONDS, f"Error: {'x' * n}") for n in range(40)],
            "",
            id="other lines",
        ),
    ],
)
def test_a_turn_ends(news: list[TurnNews], expected: str) -> None:
    assert breaker(*news) == expected


def test_a_changed_file_begins_every_count_anew() -> None:
    watch = forget_before_change(after(*[called(FAILS)] * 3, line(0.0)))

    assert reason_to_end(watch) is None
    assert (watch.same_error, watch.calls, watch.error_lines) == (0, 0, ())


def test_a_limit_of_nothing_is_none() -> None:
    free = TurnWatch(most_same_errors=0, most_calls=0, most_dollars=0.0)

    assert breaker(*[called(FAILS, dollars=900.0)] * 200, watch=free) == ""


def test_the_reason_names_the_call_and_its_error() -> None:
    reason = reason_to_end(after(*[called(FAILS)] * 3))

    assert reason is not None
    assert reason[1] == (
        "the same call failed 3 times with the same error and no file changed in between: "
        "Bash make deploy: Exit code 2 no rule to make target"
    )


def test_who_takes_a_budget_is_ended_only_beyond_it() -> None:
    night = Night()
    night.begin()

    assert watch_turn(night.loop, 4.0, capped=False).most_dollars == 4.0
    assert watch_turn(night.loop, 4.0, capped=True).most_dollars == 4.0 * CAPPED_MARGIN


# --- What follows ---


def broken(night: Night, breaker: str, why: str = "because", **facts: Any) -> Any:
    errors = (FAILS,) * facts.pop("errors", 0)
    return night.whole_turn(breaker=breaker, cut_reason=why, tool_outcomes=errors, **facts)


def test_the_next_turn_is_told_why_and_what_to_do() -> None:
    night = Night()
    directive = broken(night, SAME_ERROR, "make failed 3 times", errors=3)

    assert isinstance(directive, Continue)
    assert "The last turn was cut off: make failed 3 times. " in directive.prompt
    assert next_turn_advice(SAME_ERROR).strip() in directive.prompt
    assert TurnBroken(SAME_ERROR, "make failed 3 times") in night.events
    assert night.loop.spend.iterations == 1


def test_a_call_that_ended_a_turn_ends_the_next_at_once_and_then_the_loop_pauses() -> None:
    night = Night()
    broken(night, SAME_ERROR, errors=3)
    night.begin()

    watch = watch_turn(night.loop, 1.0, capped=False)
    assert reason_to_end(watch) is None
    assert breaker(called(FAILS), watch=watch) == SAME_ERROR
    assert breaker(called(OTHER), watch=watch) == ""

    stop = night.end_turn(breaker=SAME_ERROR, cut_reason="again", tool_outcomes=(FAILS,))
    assert isinstance(stop, Stop)
    assert (night.loop.pause.cause, night.loop.streak.same_error) == ("same-error", 4)


@pytest.mark.parametrize("kind", [NO_CHANGE, SAME_LINE])
def test_two_turns_in_a_row_that_one_breaker_ended_pause_the_loop(kind: str) -> None:
    night = Night(a_free_loop(limits=Limits(stuck=9)))

    assert isinstance(broken(night, kind), Continue)
    assert isinstance(broken(night, kind, "100 calls"), Stop)
    assert night.loop.pause.cause == "turn"
    assert night.loop.pause.why == "2 turns in a row were ended: 100 calls"


@pytest.mark.parametrize(
    "between",
    [
        pytest.param({"tree": "tree-9"}, id="it changed a file"),
        pytest.param({"breaker": ""}, id="it ended by itself"),
        pytest.param({"breaker": SAME_LINE}, id="another breaker ended it"),
    ],
)
def test_a_breaker_that_does_not_repeat_pauses_nothing(between: dict[str, Any]) -> None:
    night = Night(a_free_loop(limits=Limits(stuck=9)))
    broken(night, NO_CHANGE)
    night.whole_turn(**{"breaker": NO_CHANGE, "cut_reason": "x", **between})

    assert night.loop.status == "running"


def test_turns_that_reach_their_budget_go_on_until_the_loop_is_stuck() -> None:
    night = Night(a_free_loop(limits=Limits(stuck=9)))
    for n in range(6):
        broken(night, TURN_BUDGET, tree=f"tree-{n}")

    assert (night.loop.status, night.run.turn_breaker) == ("running", TURN_BUDGET)


def test_a_runner_that_starts_anew_gives_the_agent_another_chance() -> None:
    from tests.support.night import OTHER as ANOTHER
    from tests.support.night import runner_attached

    night = Night()
    broken(night, NO_CHANGE)
    night.tell(runner_attached(session=ANOTHER))

    assert (night.run.turn_breaker, night.run.turn_breaker_times) == ("", 0)


# --- calls that tell nothing new ---


def got(key: str, result: str = "", at: float = 0.0) -> TurnNews:
    return called(ToolOutcome(key, "", result), at=at)


EDIT = called(ToolOutcome("Edit src/a.py"), files_edited=True)
CIRCLES = {
    "one argument counts up": [
        got(f"Bash curl -s localhost/jobs?try={n}", "pending") for n in range(6)
    ],
    "the same read": [got("Read /p/README.md", "a project")] * 6,
    "polling": [got("Bash gh run view 17", "in progress", at=2.0 * n) for n in range(6)],
    "two calls in turn": [got(f"Bash {name}", name) for name in ("ls", "pwd") * 6],
    "failing with one argument that counts up": [
        called(ToolOutcome(f"Bash make try={n}", "no rule", "no rule")) for n in range(6)
    ],
    "the result is not told": [got("web_search the same words")] * 12,
}
HONEST = {
    "forty files": [got(f"Read /p/tests/case_{n}.py", f"text {n}") for n in range(40)],
    "forty empty files": [
        got(f"Bash cat {name}.txt", "empty") for name in map(chr, range(97, 137))
    ],
    "one large file in parts": [got("Read /p/large.py", f"lines {n}") for n in range(40)],
    "the test after each edit": [got("Bash make test", "1 failed"), EDIT] * 20,
    "a build that makes progress": [got("Bash tail log", f"{n} %") for n in range(40)],
    "a long build": [got("Bash gh run view 17", "in progress", at=60.0 * n) for n in range(18)],
    "a look back now and then": [
        got("Bash git status", "clean") if n % 8 == 0 else got(f"Read /p/{n}.py", f"text {n}")
        for n in range(40)
    ],
}
PATIENT = WATCH.but(most_calls=0, most_same_results=SAME_RESULTS)


@pytest.mark.parametrize("news", CIRCLES.values(), ids=CIRCLES)
def test_calls_that_tell_nothing_new_end_the_turn(news: list[TurnNews]) -> None:
    assert breaker(*news, watch=PATIENT) == SAME_RESULT
    assert breaker(*news[: len(news) // 2], watch=PATIENT) == ""


@pytest.mark.parametrize("news", HONEST.values(), ids=HONEST)
def test_honest_work_goes_on(news: list[TurnNews]) -> None:
    for number in range(1, len(news) + 1):
        assert breaker(*news[:number], watch=PATIENT) == ""


def test_the_next_turn_has_been_told_and_gets_fewer() -> None:
    night = Night()
    night.whole_turn(cut_reason="it made the same call again", breaker=SAME_RESULT)
    watch = watch_turn(night.loop, 0.0, False)

    again = [got("Bash gh run view 17", "in progress")] * 3
    assert breaker(*again[:2], watch=watch) == ""
    assert breaker(*again, watch=watch) == SAME_RESULT
    assert "decide with what you know now" in next_turn_advice(SAME_RESULT)
