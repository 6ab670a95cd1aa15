"""Says what became of the assertions that the tests of the start made, and no test makes now.

The test that took the place of their own test tells how: the most similar new assertion says
something else, or less, or there is none.
"""

from __future__ import annotations

from collections import defaultdict

from ... import lazy_re as re
from ...core.findings import HIGH, MEDIUM, Finding
from ..readers.assertion_reader import Assertion
from ..readers.test_reader import Suite, Test
from .assertion_strength import (
    MIN_SAME_NAMES,
    cannot_fail,
    change_between,
    is_as_strict,
    most_similar,
    share_of,
)
from .matching import Matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+|\d+")


def compare_suites(before: Mapping[str, Suite], after: Mapping[str, Suite]) -> list[Finding]:
    """What became weaker in the changed test files; suites are given by path."""
    return [*Comparison(before, after).findings(), *_only_findings(before, after)]


def _only_findings(before: Mapping[str, Suite], after: Mapping[str, Suite]) -> Iterator[Finding]:
    known = {mark.key for suite in before.values() for mark in suite.only}
    for path, suite in after.items():
        for mark in suite.only:
            if mark.key not in known:
                yield Finding(HIGH, "only-some-tests-run", path, mark.line, after=mark.text)


class Comparison(Matching):
    """What the matching left over, as findings."""

    def findings(self) -> Iterator[Finding]:
        disabled: dict[tuple[str, str], list[Test]] = defaultdict(list)
        for old in self.old_tests:
            new, lost = self.partners.get(id(old)), self.lost[id(old)]
            if old.disabled_by:
                continue
            if new and new.disabled_by:
                if lost or not old.assertions:
                    disabled[self.path_of[id(new)], new.disabled_by].append(new)
            elif new:
                yield from self._mark_findings(old, new)
                yield from self._weaker_test_findings(old, new, lost)
            elif lost:
                yield from self._deleted_test_findings(old, lost)
        for (path, reason), tests in disabled.items():
            names = ", ".join(test.name for test in tests)
            line = tests[0].line
            yield Finding(HIGH, "test-switched-off", path, line, before=names, after=reason)

    def _mark_findings(self, old: Test, new: Test) -> Iterator[Finding]:
        path = self.path_of[id(new)]
        if new.skip_condition and not old.skip_condition:
            rule = "test-skipped-under-condition"
            after = new.skip_condition
            yield Finding(MEDIUM, rule, path, new.line, before=new.name, after=after)
        if new.patience > old.patience:
            before, after = f"{old.name}: {old.patience:g}", f"{new.patience:g}"
            yield Finding(MEDIUM, "test-patience-raised", path, new.line, before, after)

    def _deleted_test_findings(self, old: Test, lost: Sequence[Assertion]) -> Iterator[Finding]:
        missing = [assertion for assertion in lost if not self.is_said_again(assertion, old)]
        has_rows_elsewhere = old.rows and not any(assertion.is_row for assertion in missing)
        if not missing or has_rows_elsewhere:
            return
        path = self.path_of[id(old)]
        if old.is_helper:
            for assertion in missing:
                if not assertion.is_row:
                    yield Finding(MEDIUM, "assertion-removed", path, before=assertion.text)
            return
        is_kept_in_part = 2 * len(missing) <= len(old.assertions)
        severity = MEDIUM if is_kept_in_part or self._is_rewritten(old, missing) else HIGH
        yield Finding(severity, "test-deleted", path, before=old.name)

    def _is_rewritten(self, old: Test, missing: Sequence[Assertion]) -> bool:
        """Does something new assert a part of it, or a test of a similar name?"""
        names = frozenset().union(*(assertion.names for assertion in missing))
        title = _name_words(old)
        similar = [
            assertion
            for test, assertion in self.fresh
            if not test.is_helper and not cannot_fail(assertion)
            if _is_similar(names, self.reach[id(test)]) or _is_similar(title, _name_words(test))
        ]
        return 2 * len(similar) >= len(missing)

    def _weaker_test_findings(
        self, old: Test, new: Test, lost: Sequence[Assertion]
    ) -> Iterator[Finding]:
        path = self.path_of[id(new)]
        missing = [assertion for assertion in lost if not self.is_said_again(assertion, old)]
        inner = [test for test in self.enabled if test.name.startswith(f"{new.name} > ")]
        now = [assertion for test in (new, *inner) for assertion in test.assertions]
        free = [assertion for assertion in now if id(assertion) not in self.used]
        rows = [assertion for assertion in missing if assertion.is_row]
        yield from self._row_findings(old, new, rows, [each for each in free if each.is_row])
        adds_nothing = not any(is_as_strict(assertion, frozenset()) for assertion in free)
        assertions_less = _strength(new) < _strength(old) and adds_nothing
        free = [assertion for assertion in free if not assertion.is_row]
        for assertion in missing:
            if assertion.is_row:
                continue
            near = most_similar(assertion, free)
            if near is None:
                is_said_once = any(each.key == assertion.key for each in new.assertions)
                severity = HIGH if assertions_less and not is_said_once else MEDIUM
                yield Finding(severity, "assertion-removed", path, new.line, assertion.text)
                continue
            free = [each for each in free if each is not near]
            severity, rule = change_between(assertion, near)
            yield Finding(severity, rule, path, near.line, assertion.text, _short_text(near))

    def _row_findings(
        self, old: Test, new: Test, lost: Sequence[Assertion], free: list[Assertion]
    ) -> Iterator[Finding]:
        path = self.path_of[id(new)]
        changed = min(len(lost), len(free))
        for assertion in lost[:changed]:
            near = most_similar(assertion, free) or free[0]
            free = [each for each in free if each is not near]
            yield Finding(
                MEDIUM, "expected-value-changed", path, near.line, assertion.text, near.text
            )
        if len(lost) > changed:
            count, now = len(set(map(_key, old.rows))), len(set(map(_key, new.rows)))
            before, after = f"{old.name}: {count} cases", f"{now} cases"
            is_rewritten = any(map(self._is_fresh, new.checks))
            severity = MEDIUM if is_rewritten else HIGH
            yield Finding(severity, "test-cases-removed", path, new.line, before, after)

    def _is_fresh(self, assertion: Assertion) -> bool:
        return id(assertion) not in self.used and not assertion.context


def _is_similar(some: frozenset[str], others: frozenset[str]) -> bool:
    return bool(some) and share_of(some, others) >= MIN_SAME_NAMES


def _strength(test: Test) -> int:
    """How many assertions it makes; those of the helpers that it calls count."""
    return sum(assertion.weight for assertion in test.checks if not cannot_fail(assertion))


def _key(assertion: Assertion) -> tuple[str, ...]:
    return assertion.key


def _short_text(assertion: Assertion) -> str:
    return f"{assertion.text} ({assertion.context})" if assertion.context else assertion.text


def _name_words(test: Test) -> frozenset[str]:
    return frozenset(word.lower() for word in WORD.findall(test.own_name)) - {"test", "it"}
