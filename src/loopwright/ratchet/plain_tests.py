"""Finds lost lines in tests without a reader, and tests that define the code under test anew."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.findings import MEDIUM, Finding
from ..repo.baseline import Change
from . import languages, python
from .project_files import lost_lines, new_lines
from .surroundings import CODE_SUFFIXES, HELPER, TEST, surrounding_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ASSERTING_LINE = re.compile(
    r"assert|#\[(?:\w+::)?test|#\[cfg\(test|\bt\.(?:Error|Fatal|Run)|\bfunc Test|should"
    r"|\bexpect\b(?! +(?:fun|class|interface|object|va[lr]|\w+ +(?:fun|class|interface)))"
    r"|@Test|REQUIRE\(|CHECK\(|EXPECT_|\bif .*(?:!=|==)"
)
SWITCHING_LINE = re.compile(
    r"#\[ignore|#\[should_panic|#\[cfg\((?!test\))|\bt\.(?:Skip|SkipNow|Skipf)\(|os\.Exit\(0"
    r"|^//go:build|macro_rules! *(?:assert|panic)|process::exit\(0|@(?:Disabled|Ignore)\b"
    r"|\b(?:xit|xdescribe|pending)\b|func TestMain\("
)
CALLED_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\(")
DEFINED_NAME = re.compile(
    r"(?:\bfn|\bfunc|\bmacro_rules!|\bas)\s+([A-Za-z_]\w*)"
    # A variable hides a function only if its value is one: a closure or another name.
    r"|(?:\b(?:let(?: mut)?|const|static|var)\s+(?!function\b)([A-Za-z_]\w*)(?::[^=]*)?"
    r"|^([A-Za-z_]\w*))\s*:?=\s*(?:func\b|fn\b|move\b|\||[\w:.]+;?$)"
)
# Marks of tests in the source files of the product.
TESTS_INSIDE = re.compile(
    r"#\[cfg\(test\)\]|\bimport\.meta\.vitest\b|(?m:^def test_\w+\(\):|^class \w+\(.*TestCase\):)"
)
TEST_MARK = re.compile(r"#\[(?:\w+::)?test\]|\bfunc Test\w+\(|@Test\b")
COMMENTS = ("// ", "/*", "* ", "# ")  # a build tag of go has no blank


def findings(changes: Sequence[Change]) -> Iterator[Finding]:
    """The first lost or switching line of each test file. A line that moved is not lost."""
    tests = [change for change in changes if _is_plain_test(change)]
    moved = {line for change in tests for _, line in _new_lines(change)}
    for change in tests:
        switching = [
            (number, line) for number, line in _new_lines(change) if SWITCHING_LINE.search(line)
        ]
        for number, line in switching[:1]:
            yield Finding(MEDIUM, "test-lines-changed", change.path, number, after=line[:200])
        lost = [
            line
            for line in lost_lines(_test_part(change), change.after, COMMENTS)
            if line not in moved and ASSERTING_LINE.search(line)
        ]
        if lost and not switching:
            yield Finding(MEDIUM, "test-lines-changed", change.path, before=lost[0][:200])
    for change in changes:
        replaced = _redefined_unit(change) if _may_redefine_unit(change) else ""
        if replaced:
            yield Finding(MEDIUM, "unit-under-test-replaced", change.path, 0, after=replaced[:200])
    before = sum(len(TEST_MARK.findall(change.before or "")) for change in tests)
    after = sum(len(TEST_MARK.findall(change.after or "")) for change in tests)
    if after < before:
        counts = f"{before} tests", f"{after} tests"
        yield Finding(MEDIUM, "test-lines-changed", tests[0].path, 0, *counts)


def _test_part(change: Change) -> str:
    """The text at the baseline, from the first test on if they are beside the product."""
    text = change.before or ""
    if surrounding_kind(change.path, change.before, change.after):
        return text
    match = TESTS_INSIDE.search(text)
    return text[match.start() :] if match else text


def _may_redefine_unit(change: Change) -> bool:
    """Imports of Python and JavaScript are followed in unit_under_test.py."""
    language = languages.reading_language(change.path, change.before)
    return _is_plain_test(change) or bool(language and language.name != "javascript")


def _redefined_unit(change: Change) -> str:
    """A new line in the tests that defines a name which they assert something about."""
    asserting = [line for line in (change.before or "").splitlines() if ASSERTING_LINE.search(line)]
    called = {name for line in asserting for name in CALLED_NAME.findall(line)}
    inside = change.path.endswith(".rs") and "#[cfg(test)]" in (change.before or "")
    first = _first_test_line(change.after or "") if inside else 0
    for number, line in _new_lines(change):
        names = {name for pair in DEFINED_NAME.findall(line) for name in pair if name}
        if number >= first and names & called and not TEST_MARK.search(line):
            return line
    return ""


def _first_test_line(text: str) -> int:
    """Where the tests of a source file begin; what is before it is product."""
    lines = text.splitlines()
    return next((n for n, line in enumerate(lines, 1) if "#[cfg(test)]" in line), 0)


def _new_lines(change: Change) -> list[tuple[int, str]]:
    return new_lines(change.before, change.after, COMMENTS)


def _is_plain_test(change: Change) -> bool:
    path = change.path
    if not path.endswith(CODE_SUFFIXES) or python.is_test(path) or languages.is_test(path):
        return False
    if any(language.has_inline_tests(path, change.before) for language in languages.LANGUAGES):
        return False
    if TESTS_INSIDE.search(change.before or ""):
        return True
    return surrounding_kind(path, change.before, change.after) in (TEST, HELPER)
