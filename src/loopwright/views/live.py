"""The live view of a runner: the loop, the turn, the last output, the countdown."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.prompts.parts import cost_text, spec_summary
from ..core.prompts.phrases import clip_text, count_phrase, one_line
from ..core.record import Record
from ..core.signals import TurnOver
from . import plan_board
from .clock import clock_time
from .criterion_rows import criterion_line
from .rows import prefix_rows

# Lines of the agent's last words and tool calls.
TAIL_LINES = 6


class LiveState(Record):
    """What the view shows that is not in the journal yet."""

    turn_seconds: float = 0.0
    # What the turn has cost so far, as the agent's output tells it.
    turn_dollars: float = 0.0
    # The tool call that runs now.
    tool_call: str = ""
    tail: tuple[str, ...] = ()
    # What the runner waits for, in words; "" if it does not wait.
    wait: str = ""
    checking: bool = False


def rows(loop: Loop, state: LiveState) -> list[str]:
    spend, limit = loop.spend, loop.limits
    number = min(spend.iterations + 1, limit.iterations)
    seconds = spend.seconds + state.turn_seconds
    agent = loop.run.agent if loop.run else "no agent"
    lines = [
        f"▶ {spec_summary(loop, 70)}",
        f"  iteration {number}/{limit.iterations}"
        f" | {cost_text(_with_turn_cost(loop, state.turn_dollars))} of ${limit.dollars:g}"
        f" | {clock_text(seconds)} of {limit.minutes:g} min | {agent}",
    ]
    if loop.backlog:
        lines.append(f"  {loop.backlog.tally}, {len(loop.backlog.items)} open")
    if loop.plan:
        lines += prefix_rows("  ", plan_board.rows(loop))
    else:
        lines += [f"  {criterion_line(c, loop)}" for c in loop.criteria]
    return [*lines, *prefix_rows("  ", _activity_rows(loop, state))]


def _with_turn_cost(loop: Loop, turn_dollars: float) -> Loop:
    """The loop as if the turn that is under way ended now."""
    return loop.but(spend=loop.spend.but(dollars=loop.spend.dollars + turn_dollars))


def progress_line(loop: Loop, state: LiveState) -> str:
    """How far it is, for plain output: the time, what happens now, the cost so far."""
    doing = "the checks run" if state.checking else state.tool_call or "the agent works"
    cost = cost_text(_with_turn_cost(loop, state.turn_dollars))
    clock = clock_text(loop.spend.seconds + state.turn_seconds)
    return f"    … {clock} | {clip_text(one_line(doing), 80)} | {cost} so far"


def _activity_rows(loop: Loop, state: LiveState) -> list[str]:
    if state.wait:
        return [state.wait]
    if state.checking:
        return ["… the checks run"]
    doing = f" | {state.tool_call}" if state.tool_call else ""
    reserve = loop.run.reserved_dollars if loop.run else 0.0
    cost = f" | ${state.turn_dollars:.2f} of ${reserve:.2f}" if state.turn_dollars else ""
    return [
        f"… turn of {clock_text(state.turn_seconds)}{cost}{clip_text(doing, 100)}",
        *(f"│ {clip_text(line, 110)}" for line in state.tail[-TAIL_LINES:]),
    ]


def wait_line(until: float, why: str, now: float) -> str:
    """How long a runner still waits, until when, and for what."""
    return f"⏳ {clock_text(until - now)} left, until {clock_time(until)} | {why}"


def clock_text(seconds: float) -> str:
    """A duration as a clock shows it: 1:05, 1:02:03."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d}"
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def turn_lines(turn: TurnOver, seconds: float) -> list[str]:
    """A finished turn, in plain lines."""
    report = turn.runner_report
    assert report is not None
    first_line = clip_text(turn.text.strip().partition("\n")[0], 100)
    cost = "cost unknown" if turn.unpriced else f"${turn.dollars:.2f}"
    lines = [f"    agent: {first_line or '(no words)'}", f"    {clock_text(seconds)}, {cost}"]
    if report.cut_reason:
        lines.append(f"    ✗ cut off: {report.cut_reason}")
    if report.denied_calls:
        number = count_phrase(len(report.denied_calls), "call")
        calls = clip_text("; ".join(report.denied_calls), 200)
        lines.append(f"    ✗ blocked: {number} denied: {calls}")
    return lines
