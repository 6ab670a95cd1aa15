"""What a person sees while a runner works: the loop, the turn, the last words, the countdown. Pure: rows of text."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.record import Record
from ..core.signals import TurnOver
from ..core.wording import clip, counted, spent, summary
from . import executing
from .board import criterion

TAIL = 6  # lines of what the agent said and did


class Scene(Record):
    """What is known between two turns of the journal."""

    seconds: float = 0.0  # of the turn
    doing: str = ""  # the tool call under way
    tail: tuple[str, ...] = ()
    waits: float = 0.0  # seconds left to wait
    why: str = ""
    checking: bool = False


def rows(loop: Loop, scene: Scene) -> list[str]:
    run, number = loop.run, min(loop.spend.iterations + 1, loop.limits.iterations)
    passed = loop.spend.seconds + scene.seconds
    head = (
        f"▶ {summary(loop, 70)}",
        f"  iteration {number}/{loop.limits.iterations} | {spent(loop)} of ${loop.limits.dollars:g}"
        f" | {clock(passed)} of {loop.limits.minutes:g} min | {run.agent if run else 'nobody'}",
    )
    proofs = [f"  {row}" for row in executing.rows(loop)] if loop.plan else [f"  {criterion(c, loop)}" for c in loop.criteria]
    if loop.backlog:
        proofs.insert(0, f"  {loop.backlog.tally}, {len(loop.backlog.items)} open")
    return [*head, *proofs, *(f"  {row}" for row in _now(scene))]


def _now(scene: Scene) -> list[str]:
    if scene.waits > 0:
        return [f"⏳ {clock(scene.waits)} left | {scene.why}"]
    if scene.checking:
        return ["… the checks run"]
    doing = f" | {scene.doing}" if scene.doing else ""
    return [f"… turn of {clock(scene.seconds)}{clip(doing, 100)}", *(f"│ {clip(line, 110)}" for line in scene.tail[-TAIL:])]


def clock(seconds: float) -> str:
    """1:05, 1:02:03: as on a wall."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def turn_lines(turn: TurnOver, seconds: float) -> list[str]:
    """A turn that is over, in plain lines."""
    told = turn.told
    assert told is not None
    said = clip(turn.text.strip().partition("\n")[0], 100)
    cost = "cost unknown" if turn.unpriced else f"${turn.dollars:.2f}"
    lines = [f"    agent: {said}" if said else "    agent: (no words)", f"    {clock(seconds)}, {cost}"]
    if told.cut:
        lines.append(f"    ✗ cut off: {told.cut}")
    if told.denied:
        lines.append(f"    ✗ blocked: {counted(len(told.denied), 'call')} denied: {clip('; '.join(told.denied), 200)}")
    return lines
