"""Which tests show the work: they fail on the product of the start and pass at the end. Pure."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.record import Record
from ..verify.test_report import TestReport
from .findings import INTERFACE_ERRORS, CheckRun, misses_interface
from .hollow_tests import NO_TESTS, FinalTests
from .named_tests import own_name
from .test_names import ChangedTests, belongs_to_changed, tests_meant

# What only asks whether a name or a program is there.
EXISTENCE_ERRORS = (
    re.compile(r"(?m): (?:command )?not found$|: No such file or directory$"),
    re.compile(r"\b(?:has|get)attr\([^\n]*'(\w+)'"),
    re.compile(r"'(\w+)' in \['__\w+__'"),
    re.compile(r"(?s)'undefined'.{0,60}'function'|'function'.{0,60}'undefined'"),
    re.compile(r"falsy value:\s+assert(?:\.ok)?\((\w+(?:\.\w+)*)\)"),
)
# The end of an error about a file: `cp: cannot stat 'my dir/a'`.
MISSING_FILE = re.compile(r"(?m)([^:\n]+: [^:\n]+): No such file or directory$")
FOLDERS = re.compile(r"[^\s'\"`]*/(?=[^/])")
PYTEST_FAILING_LINE = re.compile(r"(?m)^[>E] {2,}.*$")


class WorkTests(Record):
    """New and changed tests that fail on the product of the start and pass at the end."""

    names: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # of them, those that fail for want of a name or of a file


def work_tests(
    end: CheckRun,
    reverted: CheckRun,
    at_start: TestReport,
    changed: ChangedTests,
    tests: FinalTests = NO_TESTS,
    spec: str = "",
) -> WorkTests:
    """What the new and changed tests show, by name; the check itself where there are no names.

    A test of the start whose file and data did not change shows nothing: it passed without the
    work. One that passed then, and fails now on the same product, reads data that changed.
    Tests that assert nothing show that an error is no longer raised. If they fail only because a
    name is missing, they show nothing.
    """
    if reverted.evidence.passed or not end.evidence.passed:
        return WorkTests()
    known = {*at_start.passed, *at_start.failed_names}
    names: set[str] = set()
    missing: set[str] = set()
    for test in reverted.report.failed:
        passed = {test.name}  # as the check passes at the end
        if end.report.is_complete:
            passed = tests_meant(test.name, end.report.passed)
        new = {name for name in passed if name not in known}
        reads_data = changed.has_data and test.name in at_start.passed
        shown = passed if reads_data or belongs_to_changed(test, changed) else new
        names |= shown
        message = test.message or reverted.evidence.detail
        if test.name not in shown or _misses_a_name(message, spec, tests):
            missing |= shown
    if reverted.report.failed:
        empty = {name for name in missing if own_name(name) in tests.hollow}
        return WorkTests(tuple(sorted(names - empty)), tuple(sorted(missing - empty)))
    whole = (reverted.evidence.criterion,)
    detail = reverted.evidence.detail
    return WorkTests(whole, whole if _misses_a_name(detail, spec, tests) else ())


def _misses_a_name(message: str, spec: str, tests: FinalTests) -> bool:
    """Is a name or a file all that is missing? An error that the spec reports is the fault."""
    if any(error in spec for error in _errors_of_names(message)):
        return False
    return misses_interface(message, tests.words) or _asks_for_a_name(message)


def _errors_of_names(message: str) -> list[str]:
    """The errors about names and files, as people copy them into a spec."""
    files = [FOLDERS.sub("", text).strip() for text in MISSING_FILE.findall(message)]
    return [match[0] for p in INTERFACE_ERRORS for match in p.finditer(message)] + files


def _asks_for_a_name(message: str) -> bool:
    # Pytest also shows the code around the line that fails, which may be that of the product.
    failing = PYTEST_FAILING_LINE.findall(message)
    text = "\n".join((message.partition("\n")[0], *failing)) if failing else message
    return any(pattern.search(text) for pattern in EXISTENCE_ERRORS)
