"""Judges the runs in a clean checkout: what do their results say about the proof? Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .. import lazy_re as re
from ..core.criteria import Evidence
from ..core.findings import HIGH, LOW, MEDIUM, TESTS_ALONE_RULE, Finding
from ..core.record import Record
from ..verify.test_report import FailedTest, TestReport
from .test_names import (
    ChangedTests,
    belongs_to_changed,
    has_passed,
    is_test_of,
    last_name,
    start_with_passed_names,
    tests_meant,
)

MAX_NAMED = 5
FAILS_WITH_TESTS_OF_START = "fails-with-baseline-tests"
MAX_QUOTED = 300
CHANGING_TEXT = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?|/\S+")
# Errors of a test that was written for another interface of the product; a group is its name.
INTERFACE_ERRORS = (
    re.compile(r"cannot import name '(\w+)'"),
    re.compile(r"No module named '(?:\w+\.)*(\w+)'"),
    re.compile(r"has no attribute '(\w+)'"),
    re.compile(r"TypeError: (?:\w+\.)*(\w+)\(\) (?:got|takes|missing)"),
    re.compile(r"(?:\w+\.)*(\w+) is not a (?:function|constructor)"),
    re.compile(r"does not provide an export named '(\w+)'"),
    re.compile(r"(?:undefined|undeclared name): (?:\w+\.)*(\w+)"),
    re.compile(r"(?:not enough|too many) arguments in call to (?:\w+\.)*(\w+)"),
    re.compile(r"assignment mismatch: \d+ variables? but (?:\w+\.)*(\w+)(?:\(.*\))? returns"),
    re.compile(r"\b(\w+) not (?:declared|exported) by package"),
    re.compile(r"cannot find (?:function|value|type|struct|method)[^`\n]*`(\w+)`"),
)
COMPILER_ERROR = re.compile(r"\berror(?:\[E\d+\]| TS\d+)")  # of Rust and of TypeScript
QUOTED_TYPE = re.compile(r"[`'](\w[\w:.]*<[^`'\n]+>)[`']")
# Package managers tell once in a while that there is a newer one, to whoever runs them then.
UPDATE_NOTICE = re.compile(r"(?m)^(?:npm notice\b|\[notice\] ).*$")
UNLOADED_FILE = re.compile(r"\b_FailedTest\b")  # of unittest
# What a test prints about a value that is not the right one.
DIFFERENCE = re.compile(
    r"(?i)\b(?:want(?:ed)?|expect(?:ed|ing)?)\b[:=]? *(?P<want>[^\s,;]+).{0,40}?"
    r"\b(?:got|but was|actual(?:ly)?|received|found)\b[:=]? *(?P<got>[^\s,;]+)"
)
SPEAKS_OF_FAILURE = re.compile(
    r"(?i)\b(?:fail(?:s|ed|ures?)?|errors?|wrong|not ok|mismatch\w*|differs?|broken)\b"
    r"|\bis .{1,40}, not |\bshould (?:be|have)\b|!="
)
MAX_DIFFERENCES = 20  # the last ones; the output of a check is kept from its end


class CheckRun(Record):
    """One check in the room, and the results of its single tests."""

    evidence: Evidence
    report: TestReport = TestReport()


def calibration_problem(
    in_place: CheckRun, in_room: CheckRun, paths: tuple[str, ...], one_reason: bool = False
) -> str:
    """Why the results at the start differ in place and in the room; "" where they agree.

    `one_reason`: it only asks about files, and they are the same.
    """
    place, room = in_place.evidence, in_room.evidence
    if place.passed != room.passed:
        return f"{'passes' if place.passed else 'fails'} in place, but not in the room"
    if place.passed:
        return ""
    names, room_names = set(in_place.report.failed_names), set(in_room.report.failed_names)
    if names or room_names:
        different = sorted(names ^ room_names)
        return f"other tests fail in the room: {', '.join(different[:3])}" if different else ""
    if fails_without_output(in_place) and not one_reason:
        return "fails without output, so a missing package would look the same"
    is_same = _normalised(place.detail, paths) == _normalised(room.detail, paths)
    return "" if is_same else "fails with another error in the room"


def fails_without_output(in_place: CheckRun) -> bool:
    """Does it fail and say nothing? Then no room can show that the reason is the same there."""
    evidence, report = in_place.evidence, in_place.report
    return not (evidence.passed or report.failed_names or _normalised(evidence.detail, ()))


def _normalised(text: str, paths: tuple[str, ...]) -> str:
    for path in paths:
        text = text.replace(path, "")
    text = UPDATE_NOTICE.sub("", text)
    return CHANGING_TEXT.sub("", "\n".join(text.split()))


def room_findings(
    name: str, run: CheckRun, at_start: TestReport, changed: ChangedTests
) -> list[Finding]:
    """What a check on the final tree shows in a room that can be trusted.

    Tests that failed at the start must be among those that pass, if the same reports name both.
    """
    if not run.evidence.passed:
        return [_finding(HIGH, "fails-in-clean-room", name, run.evidence.detail[-MAX_QUOTED:])]
    if at_start.is_file and not run.report.is_file:
        return [_finding(HIGH, "test-missing", name, _join(list(at_start.failed_names)))]
    is_comparable = run.report.is_complete and at_start.is_complete
    if not is_comparable or run.report.source != at_start.source:
        return []
    passed = set(run.report.passed)
    known = {*at_start.passed, *at_start.failed_names}
    at_start = start_with_passed_names(at_start, passed)
    missing = [test for test in at_start.failed_names if not has_passed(test, passed)]
    # A file that did not load at the start, and whose tests are all skipped here, was there.
    missing = [test for test in missing if tests_meant(test, run.report.skipped) <= {test}]
    moved = [test for test in missing if belongs_to_changed(FailedTest(test), changed)]
    gone = [test for test in missing if test not in moved]
    # A test that moved keeps its name. The ratchet and the replay judge what it asserts now.
    last_names = {last_name(test) for test in passed}
    moved = [test for test in moved if last_name(test) not in last_names]
    gone = [test for test in gone if not _has_left_product(test, passed - known, changed)]
    findings = []
    if gone:
        findings.append(_finding(HIGH, "test-missing", name, _join(gone)))
    if moved:
        findings.append(_finding(MEDIUM, "test-missing", name, _join(moved)))
    return findings


def printed_failure_findings(name: str, start: CheckRun, end: CheckRun) -> list[Finding]:
    """Does a check pass that still prints every difference with which it failed at the start?

    An exit code is a number up to 255: a test that ends with the number of its failures passes
    with 256 of them. A program that tests itself may print what is wrong and end well.
    """
    if start.evidence.passed or not end.evidence.passed:
        return []
    before, after = _printed_lines(start), _printed_lines(end)
    differences = _differences(before)[-MAX_DIFFERENCES:]
    failures = list(filter(SPEAKS_OF_FAILURE.search, before)) if {*before} <= {*after} else []
    if differences and {*differences} <= {*after}:
        failures = differences
    if not failures:
        return []
    return [_finding(MEDIUM, "passes-with-failures", name, failures[-1][:MAX_QUOTED])]


def _printed_lines(run: CheckRun) -> list[str]:
    return [line.strip() for line in run.evidence.detail.splitlines() if line.strip()]


def _differences(lines: list[str]) -> list[str]:
    """The lines that say which value was wanted and which other one is there."""
    rows = ((line, DIFFERENCE.search(line)) for line in lines)
    return [
        line
        for line, match in rows
        if match and match["want"].strip("'\".:") != match["got"].strip("'\".:")
    ]


def _has_left_product(test: str, new: set[str], changed: ChangedTests) -> bool:
    """Was it inside of a product file, as Rust has tests, and has a new test its name now?"""
    name = last_name(test)
    was_inside = re.search(rf"\bfn {re.escape(name)}\b", changed.inner_text)
    return bool(was_inside) and name in {last_name(other) for other in new}


def unshown_tests(run: CheckRun, at_start: TestReport) -> list[str]:
    """Tests that failed at the start and that the replay could not run: their file does not load.

    They may fit another interface than the product has now. Then nothing shows that they pass.
    """
    if run.report.is_complete:
        passed = set(run.report.passed)
        red = start_with_passed_names(at_start, passed).failed_names
        return [test for test in red if not has_passed(test, passed)]
    is_unloaded = any(UNLOADED_FILE.search(test) for test in run.report.failed_names)
    return [test for test in at_start.failed_names if is_unloaded]


def replay_suspects(run: CheckRun, room: CheckRun, changed: ChangedTests) -> list[FailedTest]:
    """Unchanged tests that fail in the replay and do not fail in the room."""
    failed_in_room = set(room.report.failed_names)
    failed = [test for test in run.report.failed if test.name not in failed_in_room]
    return [test for test in failed if not belongs_to_changed(test, changed)]


def settled_tests(
    runs: list[CheckRun], texts: dict[str, str], at_start: list[TestReport]
) -> tuple[str, ...]:
    """The changed test files whose former version ran and passed, on the final product.

    `texts` are those files as they were at the start. If tests of other files fail, each test that
    the reports of the start name must have passed: a run may end at its first failure.
    """
    passed = {name for run in runs if run.report.is_complete for name in run.report.passed}
    failed = [test for run in runs for test in run.report.failed]
    all_passed = all(run.evidence.passed for run in runs)
    known = {name for report in at_start for name in (*report.passed, *report.failed_names)}

    def is_settled(path: str, text: str) -> bool:
        if any(belongs_to_changed(test, ChangedTests((path,), text)) for test in failed):
            return False
        if all_passed:
            return any(is_test_of(name, path, text) for name in passed)
        expected = {name for name in known if is_test_of(name, path, text)}
        return bool(expected) and expected <= passed

    return tuple(path for path, text in texts.items() if is_settled(path, text))


def removed_interface(message: str) -> str:
    """The name of the product's interface that an error says is not there; "" if none."""
    for pattern in INTERFACE_ERRORS:
        if match := pattern.search(message):
            return match.group(1)
    return ""


def misses_interface(message: str, words: Collection[str]) -> bool:
    """Does a test fail because the product lacks a name? These are the words of the tests.

    A name that stands in none of them is one that the product itself uses wrongly.
    """
    name = removed_interface(message)
    return bool(name) and (not words or name in words or name.startswith("__"))


def removed_interfaces(output: str) -> set[str]:
    """All names of the product's interface that the output of a check says are not there."""
    return {name for pattern in INTERFACE_ERRORS for name in pattern.findall(output)}


def fails_for_types_of(spec: str, output: str) -> bool:
    """Does each error of a compiler quote a type such as `Result<A, B>` that the spec names?"""
    errors = COMPILER_ERROR.split(output)[1:]
    return bool(errors) and all(
        any(quoted in spec for quoted in QUOTED_TYPE.findall(error)) for error in errors
    )


def cause_finding(name: str, grave: bool, files: list[str], tests: list[FailedTest]) -> Finding:
    """Unchanged tests pass only with the changed surroundings of the end."""
    rule = "passes-only-with-new-settings" if grave else "passes-only-with-new-helpers"
    where = _join(sorted(files)) or name
    what = f"{name}: {_join([test.name for test in tests])}" if tests else name
    return Finding(HIGH if grave else MEDIUM, rule, where, after=what)


def named_cause_finding(name: str, files: list[str], tests: list[FailedTest]) -> Finding:
    """The check passes only with changed files that the spec names and that decide its result."""
    return cause_finding(name, True, files, tests).but(severity=MEDIUM)


def red_test_findings(name: str, failed: list[str]) -> list[Finding]:
    """Tests that failed at the start, as they were then, still fail on the final product."""
    return [_finding(MEDIUM, FAILS_WITH_TESTS_OF_START, name, _join(failed))] if failed else []


def revert_findings(name: str, run: CheckRun) -> list[Finding]:
    """What the final tests on the product of the baseline show."""
    return [green_finding(name)] if run.evidence.passed else []


def no_product_findings(paths: tuple[str, ...], tests_alone: bool = False) -> list[Finding]:
    """Only tests, settings or scripts changed: no run can show that they ask for as much.

    Where tests are the work, and they alone changed, their strength can.
    """
    rule = TESTS_ALONE_RULE if tests_alone else "no-product-changed"
    return [_finding(MEDIUM, rule, _join(list(paths)))] if paths else []


def green_finding(name: str) -> Finding:
    """The check passes although the product is that of the start."""
    return _finding(MEDIUM, "passes-without-the-work", name)


def lost_room_finding(why: str) -> Finding:
    return _finding(MEDIUM, "clean-checkout-lost", ".", why[:MAX_QUOTED])


def flaky_finding(name: str) -> Finding:
    return _finding(MEDIUM, "flaky-in-room", name)


def no_names_finding(name: str) -> Finding:
    return _finding(MEDIUM, FAILS_WITH_TESTS_OF_START, name)


def unloaded_finding(name: str) -> Finding:
    """The tests of the start do not compile, for want of what the spec asks to replace."""
    return _finding(LOW, "test-no-longer-applies", name)


def changed_calls_finding(tests: Iterable[str], names: Iterable[str]) -> Finding:
    """Tests of the start do not compile, for the new form of private functions alone."""
    return _finding(LOW, "test-no-longer-applies", _join(sorted(tests)), _join(sorted(names)))


def unmixed_finding(path: str) -> Finding:
    """The tests of the start in a product file could not be run on the final product."""
    return _finding(MEDIUM, "inner-tests-not-replayed", path)


def committed_finding(name: str, paths: list[str], tests: list[str]) -> Finding:
    """The check fails with tests or settings as the last commit before the start has them."""
    count = f"{len(tests)} test{'s' if len(tests) != 1 else ''}: " if tests else ""
    what = f"{name} fails{': ' if tests else ''}{count}{_join(tests)}"
    return _finding(MEDIUM, "fails-with-committed-tests", _join(paths), what)


def inapplicable_finding(name: str, tests: list[FailedTest]) -> Finding:
    return _finding(LOW, "test-no-longer-applies", name, _join([test.name for test in tests]))


def _finding(severity: str, rule: str, name: str, after: str = "") -> Finding:
    return Finding(severity, rule, name, after=after)


def _join(names: list[str]) -> str:
    text = ", ".join(names[:MAX_NAMED])
    return f"{text} and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else text
