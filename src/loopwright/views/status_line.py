"""One line about the loop, for a status bar: iteration, criteria, cost against budget, state."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.prompts.phrases import clip_text
from .board import STATUS_MARKS

CELLS = 10


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
    return " · ".join([*parts, clip_text(" ".join(why.split()), 60)] if why else parts)


def _progress_text(loop: Loop) -> str:
    if loop.backlog:
        return loop.backlog.tally
    part, whole = len(loop.criteria) - len(loop.unmet_criteria), len(loop.criteria)
    if loop.plan:
        part, whole = len(loop.plan.done), len(loop.plan.tasks)
    return f"{progress_bar(part, whole)} {part}/{whole}"


def progress_bar(part: int, whole: int) -> str:
    """One cell a criterion, as far as there is room."""
    cells = min(whole, CELLS)
    full = part * cells // whole if whole else 0
    return "▰" * full + "▱" * (cells - full)
