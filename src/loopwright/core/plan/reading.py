"""A plan as it was read from a file: where its tasks stand there, and what is wrong with it."""

from __future__ import annotations

from ..record import Record
from .plan import Plan

ERROR, WARNING = "error", "warning"


class PlanProblem(Record):
    """What is wrong, on which line, and the way out. A plan with an error does not start; a warning is good to know."""

    severity: str
    line: int
    text: str


class PlanReading(Record):
    """`lines` are those of the tasks by their ids, in the plan's order; then those of links as `link A → B`."""

    plan: Plan
    lines: tuple[tuple[str, int], ...] = ()
    problems: tuple[PlanProblem, ...] = ()

    def line_of(self, name: str) -> int:
        return next((line for known, line in self.lines if known == name), 1)
