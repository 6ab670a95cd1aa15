"""Which checks can measure anything: green and steady in the checkout, and quick enough."""

from __future__ import annotations

from ..cleanroom.findings import CheckRun
from ..core.proof.strength import Unmeasured
from .check_runs import BudgetSpent, CheckRuns, MeasuredCheck
from .selection import select_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

USEFUL_RUNS = 8  # a control, a recording and a few items
MIN_RUNS = 3  # a control and two items
RED = "it fails in the clean checkout already"
FLAKY = "it is flaky: it fails and passes on the same files"


def steady_checks(
    runs: CheckRuns,
    checks: list[MeasuredCheck],
    paths: tuple[str, ...],
    show: Callable[[str], None],
) -> tuple[list[MeasuredCheck], list[Unmeasured], list[str]]:
    """The checks that can be used, why others cannot, and which tests of slow ones run."""
    usable: list[MeasuredCheck] = []
    unmeasured: list[Unmeasured] = []
    words: list[str] = []
    for check in checks:
        if not check.plain:
            show(f"{check.name}: running it once …")
        found, why = _with_plain_run(runs, check)
        if found and not runs.fits(found, USEFUL_RUNS):
            quicker = _selected(runs, found, paths, show)
            if quicker:
                found, said = quicker
                words.append(f"{check.name}: {said}")
            elif not runs.fits(found, MIN_RUNS):
                why, found = f"one run takes {duration(found.seconds)}", None
        if found:
            usable.append(found)
        else:
            unmeasured.append(Unmeasured(check.name, why))
    return usable, unmeasured, words


def duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _with_plain_run(runs: CheckRuns, check: MeasuredCheck) -> tuple[MeasuredCheck | None, str]:
    if check.plain:
        return check, ""
    try:
        run = runs.run(check)
        if run.evidence.passed:
            return check.but(plain=run), ""
        why = _failure(run)
        if run.evidence.outcome != "exit":
            return None, why
        return None, FLAKY if runs.run(check).evidence.passed else why
    except BudgetSpent:
        return None, "the time budget is used up"


def _failure(run: CheckRun) -> str:
    if run.evidence.outcome == "timeout":
        return f"one run takes more than {duration(run.evidence.seconds)}"
    last = next((row for row in reversed(run.evidence.detail.splitlines()) if row.strip()), "")
    return f"{RED} ({run.evidence.result_text}): {last.strip()[:120]}".rstrip(": ")


def _selected(
    runs: CheckRuns, check: MeasuredCheck, paths: tuple[str, ...], show: Callable[[str], None]
) -> tuple[MeasuredCheck, str] | None:
    selected = select_tests(check.check, runs.room.path, paths)
    if not selected:
        return None
    show(f"{check.name} takes {duration(check.seconds)}: only {selected.words}")
    try:
        quick = check.but(check=selected.check, plain=None)
        run = runs.run(quick)
    except BudgetSpent:
        return None
    quick = quick.but(plain=run)
    if not run.evidence.passed or not runs.fits(quick, MIN_RUNS):
        return None
    return quick, selected.words
