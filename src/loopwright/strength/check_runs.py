"""Runs the checks in the clean checkout within a budget: plain, while recording, under overlays."""

from __future__ import annotations

import math
import time

from ..cleanroom.checkout import PreparedRoom, run_check_in_room
from ..cleanroom.findings import CheckRun
from ..core.criteria import Check
from ..core.proof.strength import INCONCLUSIVE, NOT_NOTICED, NOTICED
from ..core.record import Record
from .outcomes import result_of
from .overlays import FileChanged, Overlays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SPARE = 1.2  # a run may take a little longer than the one before
TIMEOUT_FACTOR, TIMEOUT_SECONDS = 3, 5.0  # beyond them a run counts as a time-out


class BudgetSpent(Exception):
    """No further run fits into the budget."""


class MeasuredCheck(Record):
    """A check whose strength is measured. `plain` is a run of it in this checkout that passed."""

    name: str
    check: Check
    plain: CheckRun | None = None
    work_tests: tuple[str, ...] = ()  # all that fail without the work; () if they are not known

    @property
    def seconds(self) -> float:
        return self.plain.evidence.seconds if self.plain else 0.0


class CheckRuns:
    """The runs of one measurement in one checkout."""

    def __init__(self, room: PreparedRoom, budget_seconds: float, logs: str) -> None:
        self.room = room
        self.logs = logs
        self.began = time.monotonic()
        self.deadline = self.began + budget_seconds
        self.overlays = Overlays(room.path)
        self.count = 0
        self.has_failed_last = False

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def fits(self, check: MeasuredCheck, runs: int = 1) -> bool:
        return check.seconds * SPARE * runs < self.seconds_left

    def run(self, check: MeasuredCheck, variables: Mapping[str, str] | None = None) -> CheckRun:
        """Run the check on the files as they are now in the checkout."""
        if not self.fits(check):
            raise BudgetSpent
        limit = self.seconds_left
        if check.plain:
            limit = min(limit, check.seconds * TIMEOUT_FACTOR + TIMEOUT_SECONDS)
        command = check.check.but(timeout=max(1, math.ceil(min(limit, check.check.timeout))))
        view = self.room.view.but(added=tuple((variables or {}).items()))
        self.count += 1
        room = self.room.but(view=view)
        run = run_check_in_room(command, check.name, "", room, self.logs)
        self.has_failed_last = not run.evidence.passed
        return run

    def try_overlay(
        self,
        checks: list[MeasuredCheck],
        texts: Mapping[str, str | None],
        missing: frozenset[str] = frozenset(),
    ) -> tuple[str, str]:
        """The result of all checks with these files: noticed by one of them is noticed."""
        results: list[tuple[str, str]] = []
        for check in checks:
            try:
                with self.overlays.overlay_files(texts):
                    run = self.run(check)
            except FileChanged as error:
                results.append((INCONCLUSIVE, str(error)))
                continue
            results.append(result_of(run, missing, check.work_tests))
            if results[-1] == (NOTICED, ""):  # another check may notice it by its own tests
                break
        for wanted in (NOTICED, INCONCLUSIVE, NOT_NOTICED):
            for result in reversed(results):
                if result[0] == wanted:
                    return result
        return INCONCLUSIVE, "no check ran"

    def fails_with(self, check: MeasuredCheck, texts: dict[str, str]) -> bool | None:
        """Does the check fail with these files? None: a time-out, or it changed them."""
        try:
            with self.overlays.overlay_files(texts):
                run = self.run(check)
        except FileChanged:
            return None
        if run.evidence.outcome in ("timeout", "missing"):
            return None
        return not run.evidence.passed
