"""Finds tests that define the code under test anew, in plain functions and scripts."""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...checks.surroundings import surrounding_kind
from ...checks.test_files import HELPER, TEST, is_test_file
from ...core.findings import MEDIUM, Finding
from ...repo.baseline import Change
from ..project import new_lines
from ..readers import languages
from .changed_tests import asserts_for_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..project import Project

ASSERTING_LINE = re.compile(
    r"assert|#\[(?:\w+::)?test|#\[cfg\(test|\bt\.(?:Error|Fatal|Run)|\bfunc Test|should"
    r"|\bexpect\b(?! +(?:fun|class|interface|object|va[lr]|\w+ +(?:fun|class|interface)))"
    r"|@Test|REQUIRE\(|CHECK\(|EXPECT_|\bif .*(?:!=|==)"
    r"|^(?:is|ok|isnt|like|unlike|cmp_ok|is_deeply|isa_ok|can_ok|pass|fail|dies_ok|lives_ok)\b"
    r"|^(?:run |\[\[? .*\]$)"
)
CALLED_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\(")
DEFINED_NAME = re.compile(
    # In Go, `fn func()` is a field or a parameter.
    r"(?:\bfn|\bfunc|\bmacro_rules!|\bas)\s+(?!func\b)([A-Za-z_]\w*)"
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
CONTINUED_COMMENT = re.compile(r"//.*\\$")
GO_VARIABLE = re.compile(r"(?m)^(?:var )?\s*(\w+)(?: +func\b[^=\n]*)? *= *func\b")
GO_ASSIGNMENT = re.compile(r"\s*(?:\w+\.)?(\w+) *=(?!=)")


def find(project: Project) -> Iterator[Finding]:
    """Test files and tests inside product files that define what they test anew."""
    for change in project.changes.values():
        replaced = _redefined_unit(change) if _may_redefine_unit(change) else ""
        if replaced:
            yield Finding(MEDIUM, "unit-under-test-replaced", change.path, 0, after=replaced[:200])
    yield from _replaced_go_functions(project.changes.values())


def _replaced_go_functions(changes: Iterable[Change]) -> Iterator[Finding]:
    """Functions of the product that became variables, and that a test file sets."""
    variables = {
        name
        for change in changes
        if change.path.endswith(".go") and not change.path.endswith("_test.go")
        for name in GO_VARIABLE.findall(change.after or "")
        if re.search(rf"(?m)^func {name}\(", change.before or "")
    }
    for change in changes:
        for number, line in _new_lines(change) if change.path.endswith("_test.go") else ():
            match = GO_ASSIGNMENT.match(line)
            if match and match[1] in variables:
                rule = "unit-under-test-replaced"
                yield Finding(MEDIUM, rule, change.path, number, after=line[:200])


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
    # What the tests themselves defined before is a helper of theirs.
    called -= _defined_names(_test_part(change).splitlines())
    for number, line in _new_lines(change):
        is_helper = number < first or TEST_MARK.search(line)
        if not is_helper and _defined_names([line]) & called:
            return line
    return ""


def _defined_names(lines: Sequence[str]) -> set[str]:
    return {
        name for line in lines for names in DEFINED_NAME.findall(line) for name in names if name
    }


def _first_test_line(text: str) -> int:
    """Where the tests of a source file begin; what is before it is product."""
    lines = text.splitlines()
    return next((n for n, line in enumerate(lines, 1) if "#[cfg(test)]" in line), 0)


def _new_lines(change: Change) -> list[tuple[int, str]]:
    """The new lines without comments, but with comments that take the next line with them."""
    return [
        (number, line)
        for number, line in new_lines(change.before, change.after, ())
        if not line.startswith(COMMENTS) or CONTINUED_COMMENT.search(line)
    ]


def _is_plain_test(change: Change) -> bool:
    path = change.path
    if not path.endswith(CODE_SUFFIXES) or is_test_file(path):
        return False
    if any(language.has_inline_tests(path, change.before) for language in languages.LANGUAGES):
        return False
    before = change.before or ""
    if TESTS_INSIDE.search(before) or (path.endswith(".py") and asserts_for_tests(before)):
        return True
    return surrounding_kind(path, change.before, change.after) in (TEST, HELPER)
