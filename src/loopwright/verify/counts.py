"""What a tool counts, read from its last words: tests, skipped ones, coverage, problems; and the names of tests that fail."""

from __future__ import annotations

import re

SEARCHED_CHARACTERS = 200_000  # characters, from the end
MAX_NAMES, MAX_NAME = 2_000, 300

# Each of these says all of a run; a program that runs several times says it several times.
PYTEST = re.compile(r"^=* ?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests? in [^\n]*\n+(?:OK|FAILED)(?: \(([^)\n]*)\))?", re.M)
JEST = re.compile(r"^ *Tests:? +(.*?)(?:, (\d+) total| \((\d+)\))? *$", re.M)
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", re.M)
MOCHA = re.compile(r"^ +(\d+) (passing|failing|pending)\b", re.M)
NODE = re.compile(r"^(?:#|ℹ) (tests|skipped|todo) (\d+)$", re.M)
NUMBERED = re.compile(r"(\d+) ([a-z]+)")
SKIPPED_OUTCOMES = {"skipped", "xfailed", "deselected", "todo", "pending", "ignored", "skip"}
TEST_OUTCOMES = {
    "passed",
    "failed",
    "skipped",
    "xfailed",
    "xpassed",
    "error",
    "errors",
    "deselected",
    "todo",
}
COVERAGE = re.compile(
    r"^TOTAL\s+(?:\d+\s+)+(\d+(?:\.\d+)?)%|^All files\s*\|\s*(\d+(?:\.\d+)?)|^total:\s+\(statements\)\s+(\d+(?:\.\d+)?)%",
    re.M,
)
PROBLEMS = re.compile(r"✖ (\d+) problems?|^Found (\d+) (?:errors?|problems?|warnings?)\b", re.M)
FAILED_TEST_PATTERNS = (
    re.compile(r"^(?:FAILED|ERROR) (\S+(?:::[^\n]+?)?)(?: - |$)", re.M),  # pytest
    re.compile(r"^(?:FAIL|ERROR): (\S+ \([^)\n]+\))", re.M),  # unittest
    re.compile(r"^ {2}● ([^\n]+ › [^\n]+)$", re.M),  # jest
    re.compile(r"^ *FAIL +(\S+ > [^\n]+)$", re.M),  # vitest
    re.compile(r"^ *--- FAIL: (\S+)", re.M),  # go
    re.compile(r"^test (\S+) \.\.\. FAILED$", re.M),  # cargo
    re.compile(r"^ *not ok \d+ - ([^\n#]+)", re.M),  # node, any TAP
)


def reported_counts(text: str) -> tuple[tuple[str, float], ...]:
    """Only what the tool says; a run that counts nothing has no counts."""
    text = text[-SEARCHED_CHARACTERS:]
    found: dict[str, float] = {}
    for tests, skipped in _test_runs(text):
        found["tests"] = found.get("tests", 0) + tests
        found["skipped"] = found.get("skipped", 0) + skipped
    if covered := COVERAGE.findall(text):
        found["coverage"] = float(next(filter(None, covered[-1])))
    if problems := PROBLEMS.findall(text):
        found["problems"] = float(sum(int(one or other) for one, other in problems))
    return tuple(found.items())


def _test_runs(text: str) -> list[tuple[int, int]]:
    """Tests and skipped tests of each run that the text tells of."""
    runs = [_sum_outcomes(said) for said in PYTEST.findall(text)]
    runs += [
        _sum_outcomes(said, int(total or count or 0))
        for said, total, count in JEST.findall(text)
        if NUMBERED.search(said)
    ]
    for ran, said in UNITTEST.findall(text):
        pairs = dict(part.split("=") for part in said.split(", ") if part.count("=") == 1)
        runs.append(
            (int(ran), sum(int(pairs.get(name, 0)) for name in ("skipped", "expected failures")))
        )
    runs += [(int(fine) + int(bad) + int(off), int(off)) for fine, bad, off in CARGO.findall(text)]
    if said := MOCHA.findall(text):
        runs.append(
            (sum(int(n) for n, _ in said), sum(int(n) for n, word in said if word == "pending"))
        )
    if node := dict(NODE.findall(text)):
        runs.append(
            (int(node.get("tests", 0)), int(node.get("skipped", 0)) + int(node.get("todo", 0)))
        )
    return runs


def _sum_outcomes(said: str, total: int = 0) -> tuple[int, int]:
    pairs = [
        (int(number), word) for number, word in NUMBERED.findall(said) if word in TEST_OUTCOMES
    ]
    return total or sum(number for number, _ in pairs), sum(
        number for number, word in pairs if word in SKIPPED_OUTCOMES
    )


def failing_tests(text: str) -> tuple[str, ...]:
    """The names of the tests that fail, as the tool spells them."""
    found = [
        name.strip()[:MAX_NAME]
        for pattern in FAILED_TEST_PATTERNS
        for name in pattern.findall(text[-SEARCHED_CHARACTERS:])
    ]
    return tuple(dict.fromkeys(found))[:MAX_NAMES]
