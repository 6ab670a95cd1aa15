"""Compares the tests of the changed files, in every language, with those of the start."""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...checks.surroundings import surrounding_kind
from ...checks.test_files import HELPER, TEST, is_for_another_system, is_test_file
from ...core.findings import HIGH, MEDIUM, Finding
from ...core.prompts.phrases import clip_to_difference
from ...repo.baseline import Change
from ...repo.sources import printable_text
from ..project import new_lines
from ..readers import assertion_words as words
from ..readers import languages
from ..readers.inner_tests import SUFFIXES, split_file
from ..readers.statements import why_unreadable
from ..readers.test_reader import Suite, read_tests
from .assertions import compare_suites
from .matching import same_tests
from .removed_code import ProductChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..project import Project


ASSERTION = re.compile(r"\w\.assert[A-Z]\w*\(|\braise AssertionError\b")
OTHER_ERROR = re.compile(r"\braise (?!AssertionError)\w")
MAX_READ, MAX_SHOWN = 2_000, 160  # letters of an assertion
WORD = re.compile(r"\w+|[^\w\s]")
# Also on other systems, where the reader sees no loss.
SKIP_WORD = re.compile(r"(?i)skip|ignore|\btodo\b|pending|xfail|expected_?failure|\bx(?:it|test)\b")


def find(project: Project) -> list[Finding]:
    """Tests that are gone, switched off or weaker."""
    changes = list(project.changes.values())
    before, after, unreadable = _read_changed(changes)
    found = compare_suites(before, after)
    if found:
        product = ProductChange(changes)
        found = [product.explain(finding, before) for finding in found]
        found = [_shorten_finding(finding) for finding in _without_repeated_changes(found)]
        helpers = {change.path for change in changes if _is_helper(change)}
        # What a module for tests compares decides nothing by itself: the replay tells.
        found = [_lower(finding) if finding.file in helpers else finding for finding in found]
    return [*found, *unreadable, *_line_findings(changes)]


def _without_repeated_changes(findings: Sequence[Finding]) -> Iterator[Finding]:
    """One finding for a value that was replaced by the same other value on several lines."""
    seen = set()
    for finding in findings:
        change = (finding.file, finding.severity, _replaced_words(finding.before, finding.after))
        if finding.rule != "expected-value-changed" or not change[2] or change not in seen:
            yield finding
            seen.add(change)


def _replaced_words(before: str, after: str) -> frozenset[tuple[str, str]]:
    """The words that others took the place of; empty where the texts differ in more than words."""
    old, new = WORD.findall(before), WORD.findall(after)
    if len(old) != len(new):
        return frozenset()
    return frozenset((was, now) for was, now in zip(old, new, strict=True) if was != now)


def _line_findings(changes: Sequence[Change]) -> Iterator[Finding]:
    """New lines that take a whole file out of the run, or tamper with its results."""
    for change in changes:
        if change.after is None or not _holds_tests(change):
            continue
        for number, line in new_lines(change.before, change.after, ()):
            if change.before is not None and words.FILE_OFF.search(line):
                yield Finding(HIGH, "tests-skipped", change.path, number, after=line)
            elif words.TAMPERS.search(line):
                yield Finding(HIGH, "test-runner-tampered-with", change.path, number, after=line)
            elif words.SWITCHES.search(line):
                yield Finding(MEDIUM, "test-lines-changed", change.path, number, after=line[:200])


def count_lost_tests(changes: Sequence[Change]) -> int:
    """How many tests fewer the changed test files have; the cases of a table count."""
    before, after, _ = _read_changed(changes)
    same = same_tests(before, after)
    return max(0, _count_tests(before, same) - _count_tests(after, same))


def count_new_skips(changes: Sequence[Change]) -> int:
    """How many tests are new in the changed test files, and skipped here or somewhere."""
    before, after, _ = _read_changed(changes)
    known = {test.name for suite in before.values() for test in suite.tests}
    new = [test for suite in after.values() for test in suite.tests if test.name not in known]
    skipped = [
        test
        for test in new
        if test.disabled_by or test.skip_condition or SKIP_WORD.search(test.source)
    ]
    return sum(max(len(test.rows), 1) for test in skipped)


def _count_tests(suites: Mapping[str, Suite], same: set[tuple[str, str, str]]) -> int:
    return sum(
        max(len(test.rows), 1)
        for path, suite in suites.items()
        for test in suite.tests
        if (path, test.name, test.identity) not in same
    )


def _read_changed(
    changes: Sequence[Change],
) -> tuple[dict[str, Suite], dict[str, Suite], list[Finding]]:
    """The tests of both sides by their path, and what cannot be read any more."""
    before: dict[str, Suite] = {}
    after: dict[str, Suite] = {}
    unreadable = []
    for change in changes:
        if not _holds_tests(change):
            continue
        old, new = (_read_side(change.path, text) for text in (change.before, change.after))
        if old is not None and new is None and change.after is not None:
            line, why = why_unreadable(change.path, change.after)
            unreadable.append(Finding(MEDIUM, "tests-unreadable", change.path, line, after=why))
            continue
        if old is not None:
            before[change.path] = old
        is_left_out = change.before is None and is_for_another_system(change.path)
        if new is not None and not is_left_out:
            after[change.path] = new
    return before, after, unreadable


def _read_side(path: str, text: str | None) -> Suite | None:
    """The tests of a file; of a file of the product, only what is beside it for tests."""
    if text is None:
        return None
    if not is_test_file(path) and (inner := inner_tests(path, text)):
        text = inner
    return read_tests(path, text)


def inner_tests(path: str, text: str) -> str:
    """The tests inside a file of the product, each in its lines; "" without any."""
    split = split_file(path, text) if path.endswith(SUFFIXES) else None
    kept, position = "", 0
    for part in split.parts if split else ():
        start, end = part.span
        kept += "\n" * text[position:start].count("\n") + text[start:end]
        position = end
    return kept


def _holds_tests(change: Change) -> bool:
    """Is it a test, a helper of tests, or a file of the product with tests inside?"""
    path, sides = change.path, (change.before, change.after)
    if is_test_file(path) or any(languages.holds_tests(path, text) for text in sides):
        return True
    if not path.endswith(CODE_SUFFIXES):
        return False
    if path.endswith(".py") and asserts_for_tests(change.before or ""):
        return True
    if any(inner_tests(path, text or "") for text in sides):
        return True
    return surrounding_kind(path, change.before, change.after) in (TEST, HELPER)


def asserts_for_tests(text: str) -> bool:
    """Does a module that is no test assert for tests? The product raises errors of its own, too."""
    assertions = len(ASSERTION.findall(text))
    return assertions > len(OTHER_ERROR.findall(text))


def _is_helper(change: Change) -> bool:
    """Is it a module that tests use, and no test?"""
    path, before, after = change.path, change.before, change.after
    return not is_test_file(path) and surrounding_kind(path, before, after) == HELPER


def _lower(finding: Finding) -> Finding:
    return finding.but(severity=MEDIUM) if finding.severity == HIGH else finding


def _shorten_finding(finding: Finding) -> Finding:
    before, after = (printable_text(text, MAX_READ) for text in (finding.before, finding.after))
    before, after = clip_to_difference(before, after, MAX_SHOWN)
    return finding.but(before=before, after=after)
