"""Finds tests that are gone because the product code that they tested is gone."""

from __future__ import annotations

import re

from ..core.findings import HIGH, MEDIUM, Finding
from ..repo.baseline import Change
from .suite import Suite, Test
from .surroundings import CODE_SUFFIXES, surrounding_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFINITION = re.compile(
    r"(?m)^\s*(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:async\s+)?"
    r"(?:def|class|function\*?|const|let|var|fn|func|struct|interface|type)\s+(\w{3,})"
)


def removed_names(changes: Sequence[Change]) -> frozenset[str]:
    """Functions and classes that product files had and that no changed file has any more."""
    before: set[str] = set()
    after: set[str] = set()
    for change in changes:
        is_code = change.path.endswith(CODE_SUFFIXES)
        if is_code and not surrounding_kind(change.path, change.before, change.after):
            before |= set(DEFINITION.findall(change.before or ""))
            after |= set(DEFINITION.findall(change.after or ""))
    return frozenset(before - after)


def soften_deletion(
    finding: Finding, before: Mapping[str, Suite], removed: frozenset[str]
) -> Finding:
    """A person must look at a deleted test of removed code, but it does not refute the claim."""
    if finding.rule != "test-deleted" or finding.severity != HIGH:
        return finding
    suite = before.get(finding.file)
    tests = [test for test in suite.tests if test.name == finding.before] if suite else []
    is_explained = bool(tests) and all(_uses_any(test, removed) for test in tests)
    return finding.but(severity=MEDIUM) if is_explained else finding


def _uses_any(test: Test, names: frozenset[str]) -> bool:
    texts = [*(test.steps or ()), *(assertion.text for assertion in test.assertions)]
    return not names.isdisjoint(re.findall(r"\w+", " ".join(texts)))
