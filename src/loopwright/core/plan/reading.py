"""A plan as read from a file: the lines of its tasks, and its problems."""

from __future__ import annotations

from ..record import Record
from .plan import Plan

ERROR, WARNING = "error", "warning"


class PlanProblem(Record):
    """A problem, its line and how to fix it. A plan with an error does not start."""

    severity: str
    line: int
    text: str


class PlanReading(Record):
    """A plan and its lines: of the tasks by their ids, then of the links as `link A → B`."""

    plan: Plan
    lines: tuple[tuple[str, int], ...] = ()
    problems: tuple[PlanProblem, ...] = ()

    def line_of(self, name: str) -> int:
        return next((line for key, line in self.lines if key == name), 1)
