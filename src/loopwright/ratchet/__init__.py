"""The ratchet: finds, in the files that changed, what makes the work easier to prove than before.

`findings` asks every rule. The rules are in three packages, by what they read: `test_rules`,
`settings_rules` and `product_rules`. `readers` reads tests, settings and scripts for them: a
language is one module with `read`, named in readers/languages.py; Python is a module of its own.
The tests of all languages are compared in one place (test_rules/compare.py).
"""

from __future__ import annotations

from ..core.findings import HIGH, LOW, MEDIUM, Finding
from ..repo.baseline import Change
from ..repo.sources import printable_text
from .check_reach import reach_of
from .product_rules import (
    changed_migrations,
    check_names,
    comparisons,
    excluded_code,
    lost_distinctions,
    lost_strictness,
    measured_files,
    object_identity,
    process_settings,
    reported_lines,
    results_from_files,
    rewritten_reported_lines,
    shell_checks,
    shell_libraries,
    silenced_errors,
    skipped_migrations,
    suppressions,
    test_detection,
    test_only_modules,
    unawaited_work,
)
from .project_files import ProjectFiles
from .readers import languages, python
from .readers.suite import Suite
from .settings_rules import (
    build_settings,
    included_files,
    makefiles,
    new_packages,
    package_entries,
    runner_files,
    scripts,
    settings,
    shadowing,
    workspace_members,
)
from .settings_rules.unused_linters import soften_unused
from .surroundings import CODE_SUFFIXES, is_code_template, is_surrounding_file
from .test_rules import (
    examples,
    fenced_examples,
    fixture_patches,
    helper_comparisons,
    loosened_lines,
    plain_tests,
    test_wrappers,
    unawaited_tests,
    unit_under_test,
)
from .test_rules.compare import compare_suites
from .test_rules.removed_code import ProductChange, removed_packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    from .check_reach import ReadFile

    class Language(Protocol):
        """The module python, and all other languages as one object."""

        def is_test(self, path: str) -> bool: ...
        def read(self, path: str, text: str) -> Suite | None: ...


LANGUAGES: tuple[Language, ...] = (python, languages.ALL)
READ_SUFFIXES = (
    *CODE_SUFFIXES,
    *shadowing.COMPILED_SUFFIXES,
    *examples.EXAMPLE_SUFFIXES,
    *suppressions.LINTED_TEXTS,
    *fenced_examples.DOCUMENTS,
)


def is_relevant(path: str) -> bool:
    """Could a change of this file make something easier to prove?"""
    return (
        path.endswith(READ_SUFFIXES)
        or is_surrounding_file(path)
        or is_code_template(path)
        or makefiles.is_configure_file(path)
        or changed_migrations.is_ordered_migration(path)
        or runner_files.is_watched_file(path)
        or workspace_members.is_member_list(path)
        or included_files.is_included_file(path)
        or skipped_migrations.is_migration(path)
        or settings.is_settings_file(path)
        or build_settings.is_build_file(path)
        or scripts.is_script_file(path)
        or new_packages.is_package_list(path)
        or any(language.is_test(path) for language in LANGUAGES)
    )


def is_test_or_settings(path: str) -> bool:
    """Is it a test, or a file that settles how tests run?"""
    if settings.is_settings_file(path) or build_settings.is_build_file(path):
        return True
    return any(language.is_test(path) for language in LANGUAGES)


def findings(
    changes: Sequence[Change],
    commands: Sequence[str | tuple[str, ...]],
    read_unchanged: ReadFile | None = None,
    red_commands: Sequence[str | tuple[str, ...]] = (),
    list_paths: Callable[[], Iterable[str]] | None = None,
    start_output: str = "",
) -> list[Finding]:
    """What was weakened, the most severe first.

    `commands` are the commands of the checks, `red_commands` those that failed at the start.
    `read_unchanged` reads the files that did not change, `list_paths` names all files of now.
    `start_output` is what the failing checks printed at the start.
    """
    files = ProjectFiles(changes, read_unchanged, list_paths)
    reach = reach_of(commands, files.before)
    red = reach_of(red_commands, files.before)
    found: list[Finding] = []
    for language in LANGUAGES:
        found += _test_findings(language, changes)
    found += plain_tests.findings(changes)
    found += loosened_lines.findings(changes)
    found += helper_comparisons.findings(changes, frozenset(reach.files))
    found += soften_unused(settings.findings(changes), files, reach, LOW)
    found += build_settings.findings(changes)
    strict = scripts.strict_files(files, reach)
    commands_found = scripts.findings(
        changes, frozenset(reach.files), frozenset(reach.entries), strict
    )
    found += soften_unused(list(commands_found), files, reach, MEDIUM)
    found += shell_libraries.findings(files, reach.libraries, reach.scripts)
    found += shell_checks.findings(files, reach)
    found += suppressions.findings(changes, red)
    found += reported_lines.findings(files, red, start_output)
    found += rewritten_reported_lines.findings(files, start_output)
    found += measured_files.findings(files, red, lambda: reach_of(red_commands, files.now))
    found += excluded_code.findings(files, reach)
    found += examples.findings(files, reach, commands)
    found += fenced_examples.findings(files, reach)
    found += test_detection.findings(files)
    found += results_from_files.findings(files)
    found += changed_migrations.findings(files)
    found += process_settings.findings(files, reach)
    found += lost_distinctions.findings(files)
    found += lost_strictness.findings(files)
    found += silenced_errors.findings(files)
    found += check_names.findings(files, reach)
    found += comparisons.findings(files)
    found += object_identity.findings(files)
    found += runner_files.findings(files, reach)
    found += workspace_members.findings(files, reach)
    found += package_entries.findings(files)
    found += makefiles.findings(files, reach, red)
    found += shadowing.findings(files, reach)
    found += included_files.findings(files, reach)
    found += skipped_migrations.findings(files)
    found += unit_under_test.findings(files)
    found += test_wrappers.findings(files)
    found += fixture_patches.findings(files)
    found += test_only_modules.findings(files)
    found += unawaited_tests.findings(files)
    found += unawaited_work.findings(files)
    found += new_packages.plugin_findings(changes)
    # A person must look at a package that is gone, but it does not refute the claim.
    if packages := removed_packages(changes):
        found = [
            finding.but(severity=MEDIUM)
            if finding.severity == HIGH and _is_about_package(finding, packages)
            else finding
            for finding in found
        ]
    order = (HIGH, MEDIUM, LOW)
    return sorted(
        dict.fromkeys(found),
        key=lambda finding: (order.index(finding.severity), finding.file, finding.line),
    )


def _is_about_package(finding: Finding, packages: tuple[str, ...]) -> bool:
    """Is it in one of these folders, or is it a check of one of them?"""
    is_check = finding.rule == "check-removed"
    return finding.file.startswith(packages) or (
        is_check and any(folder in finding.before for folder in packages)
    )


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


def _test_findings(language: Language, changes: Sequence[Change]) -> list[Finding]:
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
        is_left_out = change.before is None and languages.is_for_another_system(change.path)
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
