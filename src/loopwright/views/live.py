"""What a person sees while a runner works: the loop, the turn, the last words, the countdown. Pure: rows of text."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.prompts.parts import cost_text, spec_summary
from ..core.prompts.phrases import clip_text, count_phrase
from ..core.record import Record
from ..core.signals import TurnOver
from . import plan_board
from .board import criterion_line

TAIL_LINES = 6  # lines of what the agent said and did


class LiveState(Record):
    """What is known between two turns of the journal."""

    turn_seconds: float = 0.0  # of the turn
    tool_call: str = ""  # the tool call under way
    tail: tuple[str, ...] = ()
    wait_seconds: float = 0.0  # seconds left to wait
    wait_reason: str = ""
    checking: bool = False


def rows(loop: Loop, scene: LiveState) -> list[str]:
    run, number = loop.run, min(loop.spend.iterations + 1, loop.limits.iterations)
    passed = loop.spend.seconds + scene.turn_seconds
    head = (
        f"▶ {spec_summary(loop, 70)}",
        f"  iteration {number}/{loop.limits.iterations} | {cost_text(loop)} of ${loop.limits.dollars:g}"
        f" | {clock_text(passed)} of {loop.limits.minutes:g} min | {run.agent if run else 'nobody'}",
    )
    proofs = (
        [f"  {row}" for row in plan_board.rows(loop)]
        if loop.plan
        else [f"  {criterion_line(c, loop)}" for c in loop.criteria]
    )
    if loop.backlog:
        proofs.insert(0, f"  {loop.backlog.tally}, {len(loop.backlog.items)} open")
    return [*head, *proofs, *(f"  {row}" for row in _activity_rows(scene))]


def _activity_rows(scene: LiveState) -> list[str]:
    if scene.wait_seconds > 0:
        return [f"⏳ {clock_text(scene.wait_seconds)} left | {scene.wait_reason}"]
    if scene.checking:
        return ["… the checks run"]
    doing = f" | {scene.tool_call}" if scene.tool_call else ""
    return [
        f"… turn of {clock_text(scene.turn_seconds)}{clip_text(doing, 100)}",
        *(f"│ {clip_text(line, 110)}" for line in scene.tail[-TAIL_LINES:]),
    ]


def clock_text(seconds: float) -> str:
    """1:05, 1:02:03: as on a wall."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def turn_lines(turn: TurnOver, seconds: float) -> list[str]:
    """A turn that is over, in plain lines."""
    told = turn.runner_report
    assert told is not None
    said = clip_text(turn.text.strip().partition("\n")[0], 100)
    cost = "cost unknown" if turn.unpriced else f"${turn.dollars:.2f}"
    lines = [
        f"    agent: {said}" if said else "    agent: (no words)",
        f"    {clock_text(seconds)}, {cost}",
    ]
    if told.cut_reason:
        lines.append(f"    ✗ cut off: {told.cut_reason}")
    if told.denied_calls:
        lines.append(
            f"    ✗ blocked: {count_phrase(len(told.denied_calls), 'call')} denied: {clip_text('; '.join(told.denied_calls), 200)}"
        )
    return lines
