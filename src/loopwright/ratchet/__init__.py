"""The ratchet: finds, in the files that changed, what makes the work easier to prove than before.

A language is one module with `is_test` and `read`, named in LANGUAGES. The tests of all languages
are compared in one place (compare.py).
"""

from __future__ import annotations

import re

from ..core.findings import HIGH, LOW, MEDIUM, Finding
from ..repo.baseline import Change
from . import (
    javascript,
    makefiles,
    plain_tests,
    python,
    runner_files,
    scripts,
    settings,
    shadowing,
    test_detection,
    unit_under_test,
)
from .check_reach import reach_of
from .compare import compare_suites
from .project_files import ProjectFiles
from .removed_code import removed_names, soften_deletion
from .suite import Suite
from .surroundings import CODE_SUFFIXES, is_surrounding_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from .check_reach import ReadFile

    class Language(Protocol):
        def is_test(self, path: str) -> bool: ...
        def read(self, path: str, text: str) -> Suite | None: ...


LANGUAGES: tuple[Language, ...] = (python, javascript)
SOURCE_SUFFIXES = (
    ".py",
    ".pyi",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".ts",
    ".tsx",
    ".mts",
    ".cts",
    ".vue",
    ".svelte",
)
SILENCING_COMMENT = re.compile(
    r"#\s*(?:noqa|type:\s*ignore|pyright:\s*ignore|pylint:\s*disable|pragma:\s*no\s*cover|nosec)"
    r"|(?://|/\*)\s*(?:eslint-disable|@ts-ignore|@ts-expect-error|@ts-nocheck"
    r"|istanbul ignore|c8 ignore|v8 ignore)"
)
MAX_SILENCED = 5  # warnings that are reported for one file
MAX_QUOTED = 200


def is_relevant(path: str) -> bool:
    """Could a change of this file make something easier to prove?"""
    return (
        path.endswith((*SOURCE_SUFFIXES, *CODE_SUFFIXES))
        or is_surrounding_file(path)
        or settings.is_settings_file(path)
        or scripts.is_script_file(path)
        or any(language.is_test(path) for language in LANGUAGES)
    )


def is_test_or_settings(path: str) -> bool:
    """Is it a test, or a file that settles how tests run?"""
    return settings.is_settings_file(path) or any(language.is_test(path) for language in LANGUAGES)


def findings(
    changes: Sequence[Change],
    commands: Sequence[str | tuple[str, ...]],
    read_unchanged: ReadFile | None = None,
) -> list[Finding]:
    """What was weakened, the most severe first.

    `commands` are the commands of the checks. `read_unchanged` reads the files that did not change.
    """
    files = ProjectFiles(changes, read_unchanged)
    reach = reach_of(commands, files.before)
    found: list[Finding] = []
    for language in LANGUAGES:
        found += _test_findings(language, changes)
    found += plain_tests.findings(changes)
    found += settings.findings(changes)
    found += scripts.findings(changes, frozenset(reach.files), frozenset(reach.entries))
    found += _silenced_warnings(changes)
    found += test_detection.findings(changes)
    found += runner_files.findings(files, reach)
    found += makefiles.findings(files, reach)
    found += shadowing.findings(files, reach)
    found += unit_under_test.findings(files)
    order = (HIGH, MEDIUM, LOW)
    return sorted(
        dict.fromkeys(found),
        key=lambda finding: (order.index(finding.severity), finding.file, finding.line),
    )


def count_lost_tests(changes: Sequence[Change]) -> int:
    """How many tests fewer the changed test files have; the cases of a table count."""
    lost = 0
    for language in LANGUAGES:
        for change in changes:
            if language.is_test(change.path):
                before = _read_suite(language, change.path, change.before)
                after = _read_suite(language, change.path, change.after)
                lost += _count_tests(before) - _count_tests(after)
    return max(0, lost)


def _count_tests(suite: Suite | None) -> int:
    return sum(max(test.cases, 1) for test in suite.tests) if suite else 0


def _test_findings(language: Language, changes: Sequence[Change]) -> list[Finding]:
    before: dict[str, Suite] = {}
    after: dict[str, Suite] = {}
    unreadable = []
    for change in changes:
        if not language.is_test(change.path):
            continue
        old = _read_suite(language, change.path, change.before)
        new = _read_suite(language, change.path, change.after)
        if old is not None and new is None and change.after is not None:
            unreadable.append(Finding(MEDIUM, "tests-unreadable", change.path))
            continue
        if old is not None:
            before[change.path] = old
        if new is not None:
            after[change.path] = new
    found = [*compare_suites(before, after), *unreadable]
    removed = removed_names(changes)
    return [soften_deletion(finding, before, removed) if removed else finding for finding in found]


def _read_suite(language: Language, path: str, text: str | None) -> Suite | None:
    return None if text is None else language.read(path, text)


def files_named_in(
    commands: Sequence[str | tuple[str, ...]], read_file: ReadFile = lambda path: None
) -> frozenset[str]:
    """Files that the check commands name or run, or that their programs read without being told."""
    return frozenset(reach_of(commands, read_file).files)


def _silenced_warnings(changes: Sequence[Change]) -> list[Finding]:
    """New comments that silence a warning of a linter or a type checker."""
    found = []
    for change in changes:
        if change.after is None or not change.path.endswith(SOURCE_SUFFIXES):
            continue
        for number, line in _new_silencing_lines(change)[:MAX_SILENCED]:
            after = line[:MAX_QUOTED]
            found.append(Finding(LOW, "warning-silenced", change.path, number, after=after))
    return found


def _new_silencing_lines(change: Change) -> list[tuple[int, str]]:
    old_lines = set(map(str.strip, (change.before or "").splitlines()))
    new = []
    for number, text in enumerate((change.after or "").splitlines(), 1):
        line = text.strip()
        if SILENCING_COMMENT.search(text) and line not in old_lines:
            new.append((number, line))
    return new
