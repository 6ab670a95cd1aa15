"""What a rule is, and the one place that asks rules.

A rule reads some of the changed files and says what became easier to prove. It is one row of the
registry (registry.py): its name, its subject, the files that it reads, and the function that finds.
The sentence of each id that it finds is in core/findings.py. A rule is asked only if a file that
it reads has changed, and no rule calls another.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..core.findings import Finding
    from .project import Project

TESTS, SETTINGS, COMMANDS, PRODUCT = "tests", "settings", "commands", "product"


class Rule(NamedTuple):
    """One way in which the work can become easier to prove."""

    name: str
    subject: str
    reads: Callable[[str], bool]  # a path, of a file that changed
    find: Callable[[Project], Iterable[Finding]]
    needs_baseline: bool = False  # it searches the files of the start


def ask_rules(rules: Iterable[Rule], project: Project) -> list[Finding]:
    """What the rules find, in the order of the rules."""
    found: list[Finding] = []
    for rule in rules:
        if rule.needs_baseline and project.baseline is None:
            continue
        if any(map(rule.reads, project.changes)):
            found += rule.find(project)
    return found


def ends_with(*suffixes: str) -> Callable[[str], bool]:
    """Reads the files with one of these endings."""
    return lambda path: path.endswith(suffixes)
