"""Compares the tests of the changed files, in every language, with those of the start."""

from __future__ import annotations

from ...checks.test_files import is_for_another_system
from ...core.findings import LOW, MEDIUM, Finding
from ...repo.baseline import Change
from ...repo.sources import printable_text
from ..readers import languages, python
from ..readers.suite import Suite
from .compare import compare_suites
from .removed_code import ProductChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from ..project import Project

    class Language(Protocol):
        """The module python, and all other languages as one object."""

        def is_test(self, path: str) -> bool: ...
        def read(self, path: str, text: str) -> Suite | None: ...


LANGUAGES: tuple[Language, ...] = (python, languages.ALL)


def is_test(path: str) -> bool:
    return any(language.is_test(path) for language in LANGUAGES)


def find(project: Project) -> list[Finding]:
    """Tests that are gone, switched off or weaker."""
    changes = list(project.changes.values())
    return [found for language in LANGUAGES for found in _compare_tests(language, changes)]


def count_lost_tests(changes: Sequence[Change]) -> int:
    """How many tests fewer the changed test files have; the cases of a table count."""
    lost = 0
    for language in LANGUAGES:
        for change in changes:
            if _holds_tests(language, change):
                before, after = _read_changed(language, change)
                lost += _count_tests(before) - _count_tests(after)
    return max(0, lost)


def _count_tests(suite: Suite | None) -> int:
    return sum(max(test.cases, 1) for test in suite.tests) if suite else 0


def _compare_tests(language: Language, changes: Sequence[Change]) -> list[Finding]:
    before: dict[str, Suite] = {}
    after: dict[str, Suite] = {}
    unreadable = []
    tests = [change for change in changes if _holds_tests(language, change)]
    tests = _without_moved_files(tests)
    for change in tests:
        old, new = _read_changed(language, change)
        if old is None and _is_not_compared(language, change):
            unreadable.append(Finding(MEDIUM, "tests-not-compared", change.path))
            continue
        if old is not None and new is None and _holds_tests_still(language, change):
            unreadable.append(Finding(MEDIUM, "tests-unreadable", change.path))
            continue
        if old is not None:
            before[change.path] = old
        is_left_out = change.before is None and is_for_another_system(change.path)
        if new is not None and not is_left_out:
            after[change.path] = new
    found = compare_suites(before, after)
    if any(finding.severity != LOW for finding in found) and language is python:
        unchanged = python.read_similar(tests, found, before)
        found = compare_suites(before, after, unchanged) if unchanged else found
    if found:
        product = ProductChange(changes)
        found = [_shorten_finding(product.explain(finding, before)) for finding in found]
    return [*found, *unreadable]


def _shorten_finding(finding: Finding) -> Finding:
    return finding.but(before=printable_text(finding.before), after=printable_text(finding.after))


def _without_moved_files(changes: Sequence[Change]) -> list[Change]:
    """Without files that are in another folder now, and the same otherwise."""
    gone = {(_name(c), c.before) for c in changes if c.after is None}
    new = {(_name(c), c.after) for c in changes if c.before is None}
    moved = {key for key in gone & new if key[0] != "conftest.py"}
    return [
        change
        for change in changes
        if None not in (change.before, change.after)
        or (_name(change), change.before or change.after) not in moved
    ]


def _name(change: Change) -> str:
    return change.path.rpartition("/")[2]


def _read_changed(language: Language, change: Change) -> tuple[Suite | None, Suite | None]:
    """Both sides of a file without the tests that are the same, where the language can tell."""
    path, before, after = change.path, change.before, change.after
    if language is languages.ALL:
        before, after = languages.ALL.changed_texts(change)
    if before is None or after is None or language is not python:
        return _read_suite(language, path, before), _read_suite(language, path, after)
    unchanged = python.unchanged_tests(before, after)
    return python.read(path, before, unchanged), python.read(path, after, unchanged)


def _holds_tests(language: Language, change: Change) -> bool:
    if language is languages.ALL:
        sides = (change.before, change.after)
        return any(languages.ALL.holds_tests(change.path, text) for text in sides)
    return language.is_test(change.path)


def _holds_tests_still(language: Language, change: Change) -> bool:
    """Are there tests at the end? A product file may have lost those that were inside of it."""
    if change.after is None or language is not languages.ALL:
        return change.after is not None
    return languages.ALL.holds_tests(change.path, change.after)


def _is_not_compared(language: Language, change: Change) -> bool:
    """Were there tests that no reader could read? A file that is new takes nothing away."""
    if change.before is None or language is not languages.ALL:
        return False
    if not languages.ALL.holds_tests(change.path, change.before):
        return False
    old, new = (
        languages.ALL.test_part(change.path, text) for text in (change.before, change.after or "")
    )
    return old != new


def _read_suite(language: Language, path: str, text: str | None) -> Suite | None:
    return None if text is None else language.read(path, text)
