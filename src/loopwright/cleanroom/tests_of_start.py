"""Compares single tests by name with those of the start: which are skipped or unmet now. Pure."""

from __future__ import annotations

from collections import Counter

from ..core.criteria import Evidence
from ..verify.redact import redact_text
from ..verify.test_report import TestReport
from .findings import MAX_NAMED, MAX_QUOTED, CheckRun
from .test_names import has_passed, start_with_passed_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


def compare_skipped_tests(start: CheckRun, now: CheckRun) -> Evidence:
    """The evidence of a run, with what the names of its skipped tests say beside the start."""
    before, after = start.report, now.report
    names_start = before.is_complete or bool(before.failed)
    if before.source != after.source or not (names_start and after.is_complete):
        return now.evidence
    ran, runs = (Counter((*report.passed, *report.failed_names)) for report in (before, after))
    more = Counter(after.skipped) - Counter(before.skipped)
    # Tests of several crates or classes may have one name: then fewer of them must run.
    newly_skipped = [test for test in more if runs[test] < ran[test]]
    excused = sum(count for test, count in more.items() if test not in newly_skipped)
    return now.evidence.but(newly_skipped=tuple(newly_skipped[:MAX_NAMED]), excused_skips=excused)


def unmet_tests(run: CheckRun, at_start: TestReport, replaced: Collection[str] = ()) -> list[str]:
    """Tests of the start that fail, or that did not run, with the tests and settings of the start.

    Each is named with its error; the tests of a file that did not load then have no names. What the
    person asked to change in the `replaced` ones is another demand now.
    """
    errors = {test.name: _first_line(test.message) for test in run.report.failed}
    unmet = [
        f"{name} fails{f' ({error})' if error else ''}"
        for name, error in errors.items()
        if name not in replaced
    ]
    is_comparable = run.report.is_complete and at_start.is_complete
    if is_comparable and run.report.source == at_start.source:
        passed = set(run.report.passed)
        at_start = start_with_passed_names(at_start, passed)
        known = (*at_start.passed, *at_start.failed_names)
        absent = [name for name in known if name not in errors and not has_passed(name, passed)]
        unmet += [f"{name} did not run" for name in absent]
    return unmet


def _first_line(message: str) -> str:
    return " ".join(redact_text(message).partition("\n")[0].split())[:MAX_QUOTED]
