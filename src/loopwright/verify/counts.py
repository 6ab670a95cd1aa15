"""Reads what a tool counts from its output: tests, skipped tests, coverage, problems, failures."""

from __future__ import annotations

from typing import NamedTuple

from .. import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SEARCHED_CHARACTERS = 200_000  # from the end
MAX_NAMES, MAX_NAME_CHARACTERS = 2_000, 300

# Each of these sums up one run; the output of several runs has several of them.
# Words that we do not know may be in it: plugins of pytest add `88 subtests passed`.
PYTEST = re.compile(r"^=* ?((?:\d+ [a-z]+(?:[ -][a-z]+)*(?:, )?)+) in [\d.]+s", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests? in [^\n]*\n+(?:OK|FAILED)(?: \(([^)\n]*)\))?", re.M)
JEST = re.compile(r"^ *Tests:? +(.*?)(?:, (\d+) total| \((\d+)\))? *$", re.M)
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", re.M)
MOCHA = re.compile(r"^ +(\d+) (passing|failing|pending)\b", re.M)
NODE = re.compile(r"^(?:#|ℹ) (tests|skipped|todo|fail) (\d+)$", re.M)
# The tests of one level in the words of node. A file that hangs or ends badly counts as one more.
NODE_TEST = re.compile(r"^(?:((?:not )?ok) \d+ - |([✔✖▶]) )(.+?)(?: \([\d.]+ms\))?$", re.M)
NODE_FILE = re.compile(r"\S.*\.[cm]?[jt]sx?")
# Pytest counts the subtests that fail as failed tests, and those that pass apart.
SUBTESTS = re.compile(r"\d subtests? (?:passed|skipped|x)|^SUB(?:FAIL|SKIP|XFAIL)", re.M)
# A test file that could not be loaded, so that none of its tests is counted.
UNLOADED_FILE = re.compile(
    r"^ERROR: \S+ \(unittest\.loader\._FailedTest\b|^_+ ERROR collecting |^ERROR [^\s:]+\.py - "
    r"|^ *● Test suite failed to run$|^ *FAIL +(\S+) \[ \1 \]$",
    re.M,
)
NUMBERED = re.compile(r"(\d+) ([a-z]+)\b(?![ -][a-z])")
# A line that sums up tests in another form.
OTHER_SUMMARY = re.compile(
    r"(?i)(?<![\w.])\d+ (?:[a-z]+ )?(?:tests?|specs?|examples?|passed|passing|failed|failures?)\b"
)
# Of a tool that we do not know: the last line with such a number.
OTHER_FAILURES = re.compile(
    r"\b(\d{1,6}) (?:failed|failures?|failing|errors?|problems?)\b|\b(?:failures|errors)=(\d{1,6})"
)
FAILED_OUTCOMES = {"failed", "error", "errors"}  # an error may be beside a test that passed
UNITTEST_FAILURES = ("failures", "errors", "unexpected successes")
SKIPPED_OUTCOMES = {"skipped", "xfailed", "deselected", "todo", "pending", "ignored", "skip"}
TEST_OUTCOMES = {
    "passed",
    "failed",
    "skipped",
    "xfailed",
    "xpassed",
    "deselected",
    "todo",
}
COVERAGE = re.compile(
    r"^TOTAL\s+\d+\s+\d+\s+(?:\d+\s+)*(\d+(?:\.\d+)?)%"  # coverage.py
    r"|^All files\s*\|\s*(\d+(?:\.\d+)?)"  # istanbul
    r"|^total:\s+\(statements\)\s+(\d+(?:\.\d+)?)%",  # go
    re.M,
)
# Of coverage.py: the statements and branches that nothing runs.
UNCOVERED = re.compile(r"^TOTAL\s+\d+\s+(\d+)(?:\s+\d+\s+(\d+))?\s+[\d.]+%", re.M)
PROBLEMS = re.compile(r"✖ (\d+) problems?|^Found (\d+) (?:errors?|problems?|warnings?)\b", re.M)
FAILED_TEST_PATTERNS = (
    # pytest; `FAILED (failures=1)` is the summary of unittest
    re.compile(r"^(?:FAILED|ERROR) ([^\s(]\S*(?:::[^\n]+?)?)(?: - |$)", re.M),
    re.compile(r"^(?:FAIL|ERROR): (\S+ \([^)\n]+\))", re.M),  # unittest
    re.compile(r"^ {2}● ([^\n]+ › [^\n]+)$", re.M),  # jest
    re.compile(r"^ *FAIL +(\S+ > [^\n]+)$", re.M),  # vitest
    re.compile(r"^ *--- FAIL: (\S+)", re.M),  # go
    re.compile(r"^test (\S+) \.\.\. FAILED$", re.M),  # cargo
    re.compile(r"^---- (\S+) stdout ----$", re.M),  # cargo -q
    re.compile(r"^ *not ok(?: \d+)? - ((?:\\#|[^\n#])+)", re.M),  # node, any TAP
)
# Mocha lists its failures after their number: the titles, one below the other or in one line, and
# an error whose stack says in which file the test is.
MOCHA_FAILURE = re.compile(
    r"^ {2}\d+\) (?P<titles>\S[^\n]*(?:\n {5,}\S[^\n]*){0,9}?):\n"
    r"(?P<error>(?:(?! {2}\d+\) )[^\n]*\n)*)",
    re.M,
)
MOCHA_FILE = re.compile(r"\bat (?:async )?Context\.\S* \(([^/:()\n][^:()\n]*):\d+")


class TestRun(NamedTuple):
    """What one run of a test runner counts."""

    tests: int
    skipped: int
    failed: int


def reported_counts(text: str) -> tuple[tuple[str, float], ...]:
    """The counts in a tool's output by name; empty where it prints none."""
    text = text[-SEARCHED_CHARACTERS:]
    counts: dict[str, float] = {}
    if (runs := _test_runs(text)) and not SUBTESTS.search(text):
        counts["tests"] = sum(run.tests for run in runs)
        counts["skipped"] = sum(run.skipped for run in runs)
        if unloaded := len(UNLOADED_FILE.findall(text)):
            counts["unloaded"] = unloaded
    if coverages := COVERAGE.findall(text):
        counts["coverage"] = float("".join(coverages[-1]))  # only one of the groups has matched
    if uncovered := UNCOVERED.findall(text):
        counts["uncovered"] = sum(int(number) for number in uncovered[-1] if number)
    if problems := PROBLEMS.findall(text):
        counts["problems"] = float(sum(int("".join(groups)) for groups in problems))
    return tuple(counts.items())


def sums_up_otherwise(text: str) -> bool:
    """Does a line count tests, although no summary of a test runner that we know does?"""
    text = text[-SEARCHED_CHARACTERS:]
    if _test_runs(text):
        return bool(SUBTESTS.search(text))
    return bool(OTHER_SUMMARY.search(text))


def deselected_tests(text: str) -> int:
    """The tests that pytest was told to leave out."""
    found = [NUMBERED.findall(outcomes) for outcomes in PYTEST.findall(text)]
    return sum(int(number) for row in found for number, word in row if word == "deselected")


def summary_failures(text: str) -> int:
    """The failures that the summaries of test runners count; 0 without a summary."""
    return sum(run.failed for run in _test_runs(text[-SEARCHED_CHARACTERS:]))


def count_failures(text: str) -> int | None:
    """The failures in the summary of a test runner, else in the last line that counts some."""
    text = text[-SEARCHED_CHARACTERS:]
    if runs := _test_runs(text):
        return sum(run.failed for run in runs)
    for line in reversed(text[-20_000:].splitlines()):
        if counts := OTHER_FAILURES.findall(line):
            return sum(int("".join(groups)) for groups in counts)
    return None


def _test_runs(text: str) -> list[TestRun]:
    """The runs that the text sums up."""
    runs = [_sum_outcomes(outcomes) for outcomes in PYTEST.findall(text)]
    for outcomes, total, count in JEST.findall(text):
        if NUMBERED.search(outcomes):
            runs.append(_sum_outcomes(outcomes, int(total or count or 0)))
    for ran, details in UNITTEST.findall(text):
        pairs = dict(part.split("=") for part in details.split(", ") if part.count("=") == 1)
        skipped = int(pairs.get("skipped", 0)) + int(pairs.get("expected failures", 0))
        failed = sum(int(pairs.get(word, 0)) for word in UNITTEST_FAILURES)
        runs.append(TestRun(int(ran), skipped, failed))
    for passed, broken, ignored in CARGO.findall(text):
        total = int(passed) + int(broken) + int(ignored)
        runs.append(TestRun(total, int(ignored), int(broken)))
    if mocha := MOCHA.findall(text):
        pending = sum(int(number) for number, outcome in mocha if outcome == "pending")
        failing = sum(int(number) for number, outcome in mocha if outcome == "failing")
        runs.append(TestRun(sum(int(number) for number, _ in mocha), pending, failing))
    end = 0
    for first in NODE.finditer(text):
        if first[1] == "tests":  # of each package of a workspace
            rows = NODE.findall(text[first.start() : _next_tests(text, first.end())])
            runs.append(_node_run(dict(rows), text[end : first.start()]))
            end = first.end()
    return runs


def _next_tests(text: str, start: int) -> int:
    """Where the next summary of node begins; the end of the text without one."""
    found = NODE.finditer(text, start)
    return next((match.start() for match in found if match[1] == "tests"), len(text))


def _node_run(rows: dict[str, str], text: str) -> TestRun:
    """The run of one summary of node; `text` is what it printed before."""
    tests = int(rows["tests"]) - _broken_files(text)
    skipped = int(rows.get("skipped", 0)) + int(rows.get("todo", 0))
    return TestRun(max(tests, 0), skipped, int(rows.get("fail", 0)))


def _broken_files(text: str) -> int:
    """How many files node counts as a failed test beside the tests in them."""
    files, previous = 0, ""
    for outcome, mark, name in NODE_TEST.findall(text):
        if outcome == "not ok" or mark == "✖":
            files += bool(NODE_FILE.fullmatch(name) and not NODE_FILE.fullmatch(previous or name))
        previous = name
    return files


def _sum_outcomes(text: str, total: int = 0) -> TestRun:
    """The run of a line such as `3 passed, 1 skipped`."""
    tests = skipped = failed = 0
    for number, outcome in NUMBERED.findall(text):
        if outcome in TEST_OUTCOMES:
            tests += int(number)
        if outcome in TEST_OUTCOMES & SKIPPED_OUTCOMES:
            skipped += int(number)
        if outcome in FAILED_OUTCOMES:
            failed += int(number)
    return TestRun(total or tests, skipped, failed)


def failing_tests(text: str) -> tuple[str, ...]:
    """The names of the tests that fail, as the tool spells them."""
    text = text[-SEARCHED_CHARACTERS:]
    names: dict[str, None] = {}
    for pattern in FAILED_TEST_PATTERNS:
        names |= {name.strip()[:MAX_NAME_CHARACTERS]: None for name in pattern.findall(text)}
    names |= {name[:MAX_NAME_CHARACTERS]: None for name in _failures_of_mocha(text)}
    return tuple(names)[:MAX_NAMES]


def _failures_of_mocha(text: str) -> Iterator[str]:
    failing = next((row for row in MOCHA.finditer(text) if row[2] == "failing"), None)
    for match in MOCHA_FAILURE.finditer(text, failing.end()) if failing else ():
        file = MOCHA_FILE.search(match["error"])
        titles = (line.strip() for line in match["titles"].splitlines())
        yield " > ".join((*(file.groups() if file else ()), *titles))
