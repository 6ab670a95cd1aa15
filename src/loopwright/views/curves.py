"""The curves of a loop over its iterations: its cost, and what is left to do. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.prompts.phrases import count_phrase
from ..core.record import Record
from .board_of_loops import BoardRow
from .loop_history import IterationPoint

COST, GOOD, BAD = "cost", "good", "bad"


class CurvePoint(Record):
    x: int
    y: float
    label: str


class Curve(Record):
    """A line over the iterations. `latest` is its value now, in words."""

    title: str
    latest: str
    tone: str
    points: tuple[CurvePoint, ...]
    unit: str = ""  # before each number
    limit: float = 0.0

    @property
    def label(self) -> str:
        """The curve for someone who does not see it."""
        first = self.points[0].label if self.points else ""
        return f"{self.title} over the iterations. {first}; {self.latest}"


def loop_curves(points: Sequence[IterationPoint], row: BoardRow) -> tuple[Curve, ...]:
    """None before there are two iterations to compare."""
    found = (_cost_curve(points, row), _progress_curve(points))
    return tuple(curve for curve in found if len(curve.points) > 1)


def _cost_curve(points: Sequence[IterationPoint], row: BoardRow) -> Curve:
    spent = points[-1].total_dollars if points else 0.0
    return Curve(
        title="Cost",
        latest=f"${spent:.2f} of ${row.max_dollars:g}" if row.is_cost_known else "unknown",
        tone=COST,
        points=_curve(points, [(p.total_dollars, f"${p.total_dollars:.2f}") for p in points]),
        unit="$",
        limit=row.max_dollars,
    )


def _progress_curve(points: Sequence[IterationPoint]) -> Curve:
    """The tasks of a plan that are left; else failing tests; else the checks that pass."""
    if points and points[-1].tasks_left is not None:
        return _task_curve(points)
    tried = [point for point in points if point.results]
    if tried and tried[-1].failures is not None:
        counted = [point for point in tried if point.failures is not None]
        values = [(point.failures or 0, f"{point.failures} failing") for point in counted]
        now = values[-1][0]
        tone = BAD if now else GOOD
        return Curve("Failing tests", f"{now} now", tone, _curve(counted, values))
    values = [(p.met, f"{p.met} of {count_phrase(len(p.results), 'check')} pass") for p in tried]
    latest = values[-1][1] if values else ""
    return Curve("Checks that pass", latest, GOOD, _curve(tried, values))


def _task_curve(points: Sequence[IterationPoint]) -> Curve:
    values = []
    for point in points:
        words = f"{point.tasks_left or 0} left"
        if point.tasks_failed:
            words += f", {point.tasks_failed} failed"
        values.append((point.tasks_left or 0, words))
    tone = BAD if points[-1].tasks_failed else GOOD
    return Curve("Tasks left", values[-1][1], tone, _curve(points, values))


def _curve(
    points: Sequence[IterationPoint], values: Sequence[tuple[float, str]]
) -> tuple[CurvePoint, ...]:
    return tuple(
        CurvePoint(point.number, y, f"Iteration {point.number}: {words}")
        for point, (y, words) in zip(points, values, strict=True)
    )
