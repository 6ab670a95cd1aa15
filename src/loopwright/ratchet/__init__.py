"""The ratchet: finds, in the files that changed, what makes the work easier to prove than before.

`findings` asks every rule of the registry (registry.py; rule.py says what a rule is). The rules are
in three packages, by what they read: `test_rules`, `settings_rules` and `product_rules`. `readers`
reads tests and definitions for them. `surrounding_rules` judge what others saw on this machine.
"""

from __future__ import annotations

from ..checks.settings_files import is_settings_file
from ..checks.test_files import is_test_file
from ..core.findings import HIGH, LOW, MEDIUM, Finding
from .project import Project
from .registry import RULES
from .rule import ask_rules
from .settings_rules import line_settings
from .test_rules.removed_code import removed_packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..checks.reach import ReadFile
    from ..repo.baseline import Change

SEVERITIES = (HIGH, MEDIUM, LOW)


def is_relevant(path: str) -> bool:
    """Could a change of this file make something easier to prove?"""
    return any(rule.reads(path) for rule in RULES if not rule.needs_baseline)


def is_test_or_settings(path: str) -> bool:
    """Is it a test, or a file that settles how tests run?"""
    if is_settings_file(path) or line_settings.is_line_settings(path):
        return True
    return is_test_file(path)


def findings(
    changes: Sequence[Change],
    commands: Sequence[str | tuple[str, ...]],
    read_unchanged: ReadFile | None = None,
    red_commands: Sequence[str | tuple[str, ...]] = (),
    list_paths: Callable[[], Iterable[str]] | None = None,
) -> list[Finding]:
    """What was weakened, the most severe first.

    `commands` are the commands of the checks, `red_commands` those that failed at the start.
    `read_unchanged` reads the files that did not change, `list_paths` names all files of now.
    """
    project = Project(changes, read_unchanged, list_paths, commands, red_commands)
    found = ask_rules((rule for rule in RULES if not rule.needs_baseline), project)
    # A person must look at a package that is gone, but it does not refute the claim.
    if packages := removed_packages(changes):
        found = [
            finding.but(severity=MEDIUM)
            if finding.severity == HIGH and _is_about_package(finding, packages)
            else finding
            for finding in found
        ]
    return sorted(
        dict.fromkeys(found),
        key=lambda finding: (SEVERITIES.index(finding.severity), finding.file, finding.line),
    )


def findings_with_baseline(project: Project) -> list[Finding]:
    """What only the files of the start show: those that did not change, and what uses them."""
    return ask_rules((rule for rule in RULES if rule.needs_baseline), project)


def _is_about_package(finding: Finding, packages: tuple[str, ...]) -> bool:
    """Is it in one of these folders, or is it a check of one of them?"""
    is_check = finding.rule == "check-removed"
    return finding.file.startswith(packages) or (
        is_check and any(folder in finding.before for folder in packages)
    )
