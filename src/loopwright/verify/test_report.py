"""The results of single tests, from the report file or the output of a test runner.

A report file is requested through environment variables that the runner reads, so that a command
runs as it was typed, also behind make or npm.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from xml.etree import ElementTree

from .. import lazy_re as re
from ..core.record import Record
from ..disk.files import open_no_link, read_text
from .counts import PYTEST, deselected_tests, failing_tests

MAX_REPORT_BYTES = 50 * 1024 * 1024
MAX_MESSAGE = 500
NOT_KEPT = "[not kept: "  # so the output begins if it was too long to be kept whole
PYTEST_REPORT, NODE_REPORT = "pytest.xml", "node.xml"
# Tests of other files still run when one file cannot be imported.
PYTEST_OPTIONS = "-o junit_family=xunit1 --continue-on-collection-errors --junitxml="
NODE_REPORTERS = (
    "--test-reporter=tap --test-reporter-destination=stdout "
    "--test-reporter=junit --test-reporter-destination="
)
# A runner that does not know an option of ours fails for that reason alone.
REJECTED_OPTION = re.compile(
    r"unrecognized arguments: [^\n]*--(?:junitxml|continue-on-collection-errors)"
    r"|not allowed in NODE_OPTIONS|bad option: --test-reporter|ERR_INVALID_ARG_VALUE[^\n]*reporter"
    r"|destination' must match|Cannot find (?:package|module) 'junit'"
)
# Of unittest -v: the name, a docstring, and lines such as a warning, which a test writes before
# its result is there.
UNITTEST_NAME = (
    r"^(\w+ \([^)\n]+\))(?:\n[^\n]*)?? \.\.\. "
    r"(?:[^\n]*\n(?:(?!\w+ \([\w.]+\)|[-=]{70}$)[^\n]*\n){0,40}?)??"
)
PASSED_TEST_PATTERNS = (
    re.compile(rf"{UNITTEST_NAME}ok$", re.M),
    re.compile(r"^ *--- PASS: (\S+)", re.M),  # go -v
    re.compile(r"^test (\S+) \.\.\. ok$", re.M),  # cargo
    re.compile(r"^ *ok(?: \d+)? - ((?:\\#|[^\n#])+?)(?:\s+#[^\n]*)?$", re.M),  # TAP
)
SKIPPED_TEST_PATTERNS = (
    re.compile(rf"{UNITTEST_NAME}(?:skipped\b|expected failure$)", re.M),
    re.compile(r"^ *--- SKIP: (\S+)", re.M),  # go -v
    re.compile(r"^test (\S+) \.\.\. ignored\b", re.M),  # cargo
    re.compile(r"^ *ok(?: \d+)? - ((?:\\#|[^\n#])+?)\s+#\s*(?:skip|todo)\b", re.M | re.I),  # TAP
)
MAX_SETTINGS = 50_000  # characters of what `go env -w` wrote
CONFIG_FOLDERS = (".config", "Library/Application Support")  # of Linux and of macOS
GO_TEST = re.compile(r"\bgo test\b")
GO_LINE = re.compile(r"(?m)^(?:=== [A-Z]+ +Test.*| *--- (?:PASS|SKIP): .*|PASS)\n")
# A runner with subtests prints the name of each before it; the other lines are assertions, whose
# names may be the error with which they fail.
SUBTEST = re.compile(r"^ *# Subtest: ([^\n]+?) *$", re.M)
TAP_LINE = re.compile(r"^ *(?:not )?ok(?: \d+)? - ((?:\\#|[^\n#])*?)(?:\s+#[^\n]*)?$")
# What scripts and programs without a runner print. These names may hold a time or a count, so they
# are looked up and never compared: such a report is not complete.
PLAIN_PASSED = re.compile(r"^ *(?:ok|PASS)(?: -|:)? +([^\s(][^\t\n]*?) *$", re.M)
# What a runner prints once for each of its runs.
SUMMARIES = {PYTEST_REPORT: PYTEST, NODE_REPORT: re.compile(r"^(?:#|ℹ) tests \d+$", re.M)}
STACK_FILE = re.compile(r"\bat [^\n]*?(/[^():\n]+\.[cm]?[jt]sx?):\d+:\d+")
SKIPPED = re.compile(r"#\s*(?:skip|todo)\b", re.I)


class FailedTest(Record):
    """A test that fails: its name, its file where that is known, and the error."""

    name: str
    file: str = ""
    message: str = ""


class TestReport(Record):
    """What a runner says about single tests. `is_complete`: it names all, also those that pass.

    A name is there as often as tests have it: two crates may both have `tests::it_works`.
    """

    __test__ = False
    passed: tuple[str, ...] = ()
    failed: tuple[FailedTest, ...] = ()
    is_complete: bool = False
    source: str = ""  # the report files, or "output"
    skipped: tuple[str, ...] = ()

    @property
    def is_file(self) -> bool:
        """Did the runner write a report file?"""
        return self.source.endswith(".xml")

    @property
    def failed_names(self) -> tuple[str, ...]:
        return tuple(test.name for test in self.failed)


def report_variables(command: str, environment: dict[str, str], folder: str) -> dict[str, str]:
    """The variables that make test runners write a report into the folder."""
    variables = {}
    options = environment.get("PYTEST_ADDOPTS", "")
    if "--junitxml" not in f"{command} {options}":
        report = os.path.join(folder, PYTEST_REPORT)
        variables["PYTEST_ADDOPTS"] = f"{options} {PYTEST_OPTIONS}{report}".strip()
    options = environment.get("NODE_OPTIONS", "")
    is_node = re.search(r"\b(?:node|npm|pnpm|yarn)\b", command)
    if is_node and "--test-reporter" not in f"{command} {options}":
        report = os.path.join(folder, NODE_REPORT)
        variables["NODE_OPTIONS"] = f"{options} {NODE_REPORTERS}{report}".strip()
    if GO_TEST.search(command) and not _has_flags_in_file(environment):
        variables["GOFLAGS"] = f"{environment.get('GOFLAGS', '')} -v".strip()  # it names its tests
    return variables


def _has_flags_in_file(environment: dict[str, str]) -> bool:
    """Has `go env -w` set flags? The variable would replace them."""
    places = [environment.get("GOENV", "")]
    places += [os.path.join(environment.get("XDG_CONFIG_HOME", ""), "go", "env")]
    home = environment.get("HOME", "")
    places += [os.path.join(home, folder, "go", "env") for folder in CONFIG_FOLDERS]
    texts = (read_text(path, MAX_SETTINGS) for path in places if os.path.isabs(path))
    return any("GOFLAGS=" in text for text in texts if text)


def without_passed_tests(output: str) -> str:
    """The output without the lines in which go names tests that do not fail."""
    return GO_LINE.sub("", output)


def rejects_report(output: str) -> bool:
    """Did the runner fail only because of the options that we added?"""
    return bool(REJECTED_OPTION.search(output[-20_000:]))


def read_report(folder: str, output: str) -> TestReport:
    """The report in the folder; without one, what the output names."""
    reports: list[TestReport] = []
    is_complete = True
    for name, summary in SUMMARIES.items():
        runs = len(summary.findall(output)) or 1
        # A test may start a runner of its own, whose words are not in the output; it ends earlier.
        own = _last_reports(folder, name, runs)
        is_complete = is_complete and len(own) in (0, runs)
        reports += own
    if not reports:
        return _read_output(output)
    return TestReport(
        passed=tuple(name for report in reports for name in report.passed),
        failed=tuple(test for report in reports for test in report.failed),
        is_complete=is_complete,
        source=" ".join(dict.fromkeys(report.source for report in reports)),
        skipped=tuple(name for report in reports for name in report.skipped),
    )


def set_reports_aside(folder: str) -> None:
    """Give each report a name of its own, so that the next run does not write over it."""
    for name in SUMMARIES:
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            with suppress(OSError):  # the check may remove what it has written
                os.rename(path, f"{path}.{len(_names_aside(folder, name)):04}")


def _names_aside(folder: str, name: str) -> list[str]:
    with suppress(OSError):
        return sorted(other for other in os.listdir(folder) if other.startswith(f"{name}."))
    return []


def _last_reports(folder: str, name: str, count: int) -> list[TestReport]:
    """The reports of the last runs of one runner, in their order."""
    names = _names_aside(folder, name)
    if os.path.lexists(os.path.join(folder, name)):
        names.append(name)
    found = (_read_junit(os.path.join(folder, other)) for other in names[-count:])
    return [report.but(source=name) for report in found if report]


def counts_by_name(
    counts: tuple[tuple[str, float], ...], report: TestReport, output: str
) -> tuple[tuple[str, float], ...]:
    """The counts of a run, with the tests that a report of pytest names.

    Its summary also counts subtests, errors after a test, and files that could not be imported.
    """
    named = {*report.passed, *(name for name in report.failed_names if "::" in name)}
    skipped = {*report.skipped} - named
    if report.source != PYTEST_REPORT or not report.is_complete or not named | skipped:
        return counts
    left_out = deselected_tests(output)
    tests = float(len(named | skipped) + left_out)
    return tuple(
        ({"tests": tests, "skipped": float(len(skipped) + left_out)} | _others(counts)).items()
    )


def _others(counts: tuple[tuple[str, float], ...]) -> dict[str, float]:
    return {name: count for name, count in counts if name not in ("tests", "skipped")}


def _read_junit(path: str) -> TestReport | None:
    try:
        # The check writes this folder: a link or a pipe may be there.
        with open(open_no_link(path, os.O_RDONLY), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_REPORT_BYTES:
                return None
            root = ElementTree.parse(file).getroot()  # noqa: S314 - the parser limits expansion
    except (OSError, ElementTree.ParseError):
        return None
    passed: list[str] = []
    skipped: list[str] = []
    failed: list[FailedTest] = []
    for case in root.iter("testcase"):
        name = "::".join(filter(None, (case.get("classname"), case.get("name"))))
        failure = next((e for e in case if e.tag in ("failure", "error")), None)
        if failure is not None:
            head, text = failure.get("message") or "", failure.text or ""
            test_file = case.get("file") or _file_in_stack(text)
            message = f"{head[:MAX_MESSAGE]}\n{text[-MAX_MESSAGE:]}"
            failed.append(FailedTest(name, test_file, message))
        else:
            (passed if case.find("skipped") is None else skipped).append(name)
    return TestReport(
        passed=tuple(passed),
        failed=tuple(failed),
        is_complete=True,
        source=os.path.basename(path),
        skipped=tuple(skipped),
    )


def _file_in_stack(text: str) -> str:
    """The file of the outermost call in a stack of node, which is the test; "" if there is none."""
    files = STACK_FILE.findall(text)
    return files[-1] if files else ""


def _read_output(output: str) -> TestReport:
    """Names from the output. Without names of passed tests the report is not complete."""
    output = _without_assertions(output)
    failed = tuple(FailedTest(name, _file_in_name(name)) for name in failing_tests(output))
    passed = [
        match.group(1).strip()
        for pattern in PASSED_TEST_PATTERNS
        for match in pattern.finditer(output)
        if not SKIPPED.search(match.group(0))
    ]
    is_complete = bool(passed) and not output.startswith(NOT_KEPT)
    if not passed and not failed:
        passed = PLAIN_PASSED.findall(output)
    names = tuple(name for name in passed if name not in {test.name for test in failed})
    patterns = SKIPPED_TEST_PATTERNS
    skipped = [name for pattern in patterns for name in pattern.findall(output)]
    return TestReport(
        passed=names,
        failed=failed,
        is_complete=is_complete and bool(names),
        source="output",
        skipped=tuple(skipped),
    )


def _without_assertions(output: str) -> str:
    """The output without the lines of TAP that name no test, if it says what its tests are."""
    tests = set(SUBTEST.findall(output))
    if not tests:
        return output
    matches = ((line, TAP_LINE.match(line)) for line in output.split("\n"))
    return "\n".join(line for line, match in matches if not match or match[1] in tests)


def _file_in_name(name: str) -> str:
    """The file in a name such as `tests/test_a.py::test_b` or `a.test.ts > b`."""
    file = re.split(r"::| > ", name)[0]
    return file if "." in os.path.basename(file) and "(" not in file else ""
