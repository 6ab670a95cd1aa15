"""One line about the loop, for a status bar: iteration, criteria, cost against budget, state."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.prompts.phrases import clip_text
from .board import STATUS_MARKS

MAX_CELLS = 10


def text(loop: Loop) -> str:
    spent = "$?" if loop.spend.unpriced else f"${loop.spend.dollars:.2f}"
    number = min(loop.spend.iterations + (loop.status == "running"), loop.limits.iterations)
    parts = [
        f"loop {STATUS_MARKS[loop.status]} {loop.status}",
        f"{number}/{loop.limits.iterations}",
        _progress_text(loop),
        f"{spent}/${loop.limits.dollars:g}",
    ]
    why = loop.gate.question if loop.gate else loop.pause.why
    if why:
        parts.append(clip_text(" ".join(why.split()), 60))
    return " · ".join(parts)


def _progress_text(loop: Loop) -> str:
    if loop.backlog:
        return loop.backlog.tally
    if loop.plan:
        done, total = len(loop.plan.done), len(loop.plan.tasks)
    else:
        total = len(loop.criteria)
        done = total - len(loop.unmet_criteria)
    return f"{progress_bar(done, total)} {done}/{total}"


def progress_bar(done: int, total: int) -> str:
    """One cell for each criterion, and at most MAX_CELLS."""
    cells = min(total, MAX_CELLS)
    full = done * cells // total if total else 0
    return "▰" * full + "▱" * (cells - full)
