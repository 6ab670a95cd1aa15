"""Compares what the tests demand now with what they demanded at the baseline.

A demand is one assertion: about a subject, of a kind, with an expected value and a strength. All
demands of all changed files are compared together, so it does not matter in which test or file one
is. Each demand of the baseline looks for one of now that is as strong:

1. in the test that took the place of its own (partners.py): the same text, then the same subject
   or expected value, then one that says more (`{name: 'Ann'}` for `.name == 'Ann'`);
2. among the demands that are left over in all other tests;
3. in its own place again: the same form about a changed subject, or a loop over all elements.

What finds none is lost, or weakened if something weaker about the same subject is there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ... import lazy_re as re
from ...core.findings import HIGH, LOW, MEDIUM, Finding
from ..readers.suite import LOOSE, NEVER, Assertion, Suite, Test
from .assertions import (
    CHANGED,
    has_similar_words,
    is_harmless_change,
    says_little,
    tells_message_apart,
)
from .assertions import LOOSENED as LOOSENED
from .assertions import POINTLESS as POINTLESS
from .assertions import WIDENED as WIDENED
from .expected_values import QUOTED
from .fresh_demands import FreshDemands
from .lost_assertions import (
    REMOVED,
    asserts_as_much,
    is_about_the_same,
    is_called_no_more,
    is_said_again,
    loss_to_nearest,
    most_similar,
    nearest_assertion,
    runs_only,
    says_the_same,
)
from .matching import Matching
from .suite_marks import mark_findings

# Ids of rules (core/findings.py).
DELETED = "test-deleted"
SKIPPED = "test-switched-off"
SKIPPED_UNDER_CONDITION = "test-skipped-under-condition"
TIMEOUT_RAISED = "test-patience-raised"
CASES_REMOVED = "test-cases-removed"
UNREADABLE = "test-cases-unreadable"
MIN_NAME_WORDS = 2
MIN_COMMON_NAME = 0.6


def compare_suites(
    before: Mapping[str, Suite],
    after: Mapping[str, Suite],
    unchanged: Sequence[Suite] = (),
) -> list[Finding]:
    """What became weaker in the changed test files of a language; suites are given by path.

    `unchanged` tests replace nothing, but they may already assert what a deleted one did.
    """
    comparison = Comparison(before, after, unchanged)
    return [*comparison.findings(), *mark_findings(before, after)]


class Comparison(Matching):
    """What the matching left over, as findings."""

    def findings(self) -> Iterator[Finding]:
        disabled: dict[tuple[str, str], list[Test]] = defaultdict(list)
        for old, missing in zip(self.old_tests, self.missing, strict=True):
            new = self.partners.get(id(old))
            if new and not new.disabled_by:
                yield from self._weaker_test_findings(old, new, missing)
                continue
            if old.assertions and not missing:
                continue
            if new:
                disabled[self.path_by_id[id(new)], new.disabled_by].append(new)
            elif not self._is_duplicate(old):
                yield from self._deleted_test_findings(old, missing)
        for (path, reason), tests in disabled.items():
            names = ", ".join(test.name for test in tests)
            yield Finding(
                severity=HIGH,
                rule=SKIPPED,
                file=path,
                line=tests[0].line,
                before=names,
                after=reason,
            )

    def _is_duplicate(self, deleted: Test) -> bool:
        """Does another test do and assert all of it?"""
        if deleted.steps is None:
            return False
        steps = Counter(deleted.steps)
        texts = {a.text for a in deleted.assertions}
        for test in (*self.new_tests, *self.unchanged_tests):
            if test.disabled_by or test.steps is None or not steps <= Counter(test.steps):
                continue
            if texts <= {a.text for a in test.assertions if a.strength}:
                return True
        return False

    def _deleted_test_findings(self, old: Test, missing: Sequence[Assertion]) -> Iterator[Finding]:
        same_subject = [
            new
            for a in missing
            for new in self.unused_in(self.unused_assertions.with_subject_of(a))
        ]
        if missing and all(nearest_assertion(a, same_subject) for a in missing):
            yield from self._assertion_findings(old, missing, same_subject)
        # A test that asserts next to nothing may be replaced by any new assertion.
        elif old.strength > LOOSE or not self._has_unused_assertion():
            # If it ran only under a condition, or half of it is elsewhere now, a person decides.
            kept = len(old.assertions) - len(missing)
            is_partly_kept = old.skip_condition or 2 * kept >= len(old.assertions) > 1
            is_rewritten = self._is_rewritten_here(old, missing) or self._is_renamed(old)
            is_explained = is_partly_kept or is_rewritten or self._is_inherited(old)
            is_explained = is_explained or self.fresh_demands.explain(missing)
            severity = MEDIUM if is_explained else HIGH
            yield Finding(severity, DELETED, self.path_by_id[id(old)], before=old.name)

    def _is_rewritten_here(self, old: Test, missing: Sequence[Assertion]) -> bool:
        """Do new tests of its file assert as much, in the same words?"""
        path, paired = self.path_by_id[id(old)], set(map(id, self.partners.values()))
        new_tests = [test for test in self.new_tests if id(test) not in paired]
        here = [test for test in new_tests if self.path_by_id[id(test)] == path]
        enabled = [test for test in here if not test.disabled_by]
        similar = [
            new
            for test in enabled
            for new in self.unused_in(test.assertions)
            if any(has_similar_words(a, new) for a in missing)
        ]
        return len(similar) >= len(missing) > 0

    def _is_renamed(self, deleted: Test) -> bool:
        """Do new tests of almost the same name assert a good part of as much?

        New are those that were not in their file, and tables with more cases than before.
        """
        words = _name_words(deleted)
        if len(words) < MIN_NAME_WORDS:
            return False
        strength = 0
        for new in self.new_tests:
            if new.disabled_by or new.cases <= self.old_cases.get(self._place(new), 0):
                continue
            if len(words & _name_words(new)) >= MIN_COMMON_NAME * len(words):
                strength += sum(a.strength for a in new.assertions)
        return 3 * strength >= sum(a.strength for a in deleted.assertions)

    @cached_property
    def fresh_demands(self) -> FreshDemands:
        """What the enabled tests assert, and no test asserted before."""
        old_texts = {a.text for test in self.old_tests for a in test.assertions}
        enabled = [test for test in self.new_tests if not test.disabled_by]
        return FreshDemands(
            a for test in enabled for a in test.assertions if a.text not in old_texts
        )

    @cached_property
    def old_cases(self) -> dict[tuple[str, str], int]:
        """How many cases each test had, by its file and name."""
        return {self._place(test): max(1, test.cases) for test in self.old_tests}

    def _place(self, test: Test) -> tuple[str, str]:
        return self.path_by_id[id(test)], test.name

    def _is_inherited(self, deleted: Test) -> bool:
        """Does a class of another name still have a test of this name, as its base class may?"""
        if "::" not in deleted.name or len(_name_words(deleted)) < MIN_NAME_WORDS:
            return False
        same = [test for test in self.new_tests if test.own_name == deleted.own_name]
        return any("::" in test.name and not test.disabled_by for test in same)

    def _has_unused_assertion(self) -> bool:
        enabled = [test for test in self.new_tests if not test.disabled_by]
        return any(a.strength for test in enabled for a in self.unused_in(test.assertions))

    def _weaker_test_findings(
        self, old: Test, new: Test, missing: Sequence[Assertion]
    ) -> Iterator[Finding]:
        path = self.path_by_id[id(new)]
        if new.skip_condition and not old.skip_condition:
            yield Finding(
                severity=MEDIUM,
                rule=SKIPPED_UNDER_CONDITION,
                file=path,
                line=new.line,
                before=new.name,
                after=new.skip_condition,
            )
        if new.patience > old.patience:
            yield Finding(
                severity=MEDIUM,
                rule=TIMEOUT_RAISED,
                file=path,
                line=new.line,
                before=f"{old.name}: {old.patience:g}",
                after=f"{new.patience:g}",
            )
        only_one_is_readable = bool(old.cases) != bool(new.cases)
        is_whole = bool(old.cases) or len(new.assertions) >= len(old.assertions)
        if missing and only_one_is_readable and is_whole and new.strength >= old.strength:
            if old.cases:
                yield Finding(MEDIUM, UNREADABLE, path, new.line, before=missing[0].text)
            return
        unused = self.unused_in(new.assertions)
        lost = [a for a in missing if not nearest_assertion(a, unused)]
        if old.cases > new.cases > 0 and (lost or _only_case_count_differs(old, new, missing)):
            missing = [a for a in missing if a not in lost]
            is_elsewhere = bool(lost) and all(map(self._is_input_elsewhere, lost))
            is_elsewhere = is_elsewhere or self.fresh_demands.explain(lost)
            yield Finding(
                severity=MEDIUM if is_elsewhere else HIGH,
                rule=CASES_REMOVED,
                file=path,
                line=new.line,
                before=f"{old.name}: {old.cases} cases",
                after=f"{new.cases} cases",
            )
        yield from self._assertion_findings(new, missing, unused, old)

    def _is_input_elsewhere(self, old: Assertion) -> bool:
        """Is something else asserted of the same input now, in a new case or another test?"""
        values = set(QUOTED.findall(old.subject))
        if not values:
            return False
        unused = self.unused_in(a for test in self.new_tests for a in test.assertions)
        return any(new.strength and values <= set(QUOTED.findall(new.text)) for new in unused)

    def _assertion_findings(
        self,
        test: Test,
        missing: Sequence[Assertion],
        unused: list[Assertion],
        old: Test | None = None,
    ) -> Iterator[Finding]:
        """One finding for each assertion, and only one where a table repeats it."""
        findings: dict[tuple[str, int], Finding] = {}
        helper_strength = self._called_helper_strength(test, unused)
        is_rewritten = old is not None and asserts_as_much(old, test)
        old_texts = {a.text for a in old.assertions} if old else set()
        fresh = [a for a in test.assertions if a.strength and a.text not in old_texts]
        asserts_other_things = old is not None and bool(fresh)
        for a in missing:
            near = nearest_assertion(a, unused)
            severity, rule = loss_to_nearest(a, near)
            is_minor = says_little(a) and test.strength > LOOSE
            is_other_way = asserts_other_things and is_called_no_more(a, test)
            is_repeated = old is not None and is_said_again(a, old, test)
            is_explained = is_rewritten or is_minor or is_other_way or is_repeated
            is_explained = is_explained or is_about_the_same(a, fresh)
            if rule == REMOVED and (is_explained or self.fresh_demands.explain([a])):
                severity = MEDIUM  # it asserts as much as before, or something else
            if near and tells_message_apart(a, near, test.assertions):
                continue
            may_be_reworded = near is None or severity == MEDIUM
            if may_be_reworded and any(says_the_same(a, b) for b in unused):
                continue
            if near is None:
                if helper_strength >= a.strength:
                    continue  # a helper in another file asserts it now
                near = most_similar(a, [b for b in unused if b.strength >= a.strength])
                if near and a.strength == LOOSE and not runs_only(test):
                    continue  # it asserted next to nothing
                if near:  # something else is asserted, as strongly
                    severity = LOW if is_harmless_change(a, near) else MEDIUM
                    rule = CHANGED
                    unused = [b for b in unused if b is not near or not b.subject]
            finding = Finding(
                severity=severity,
                rule=rule,
                file=self.path_by_id[id(test)],
                line=near.line if near else test.line,
                before=a.text,
                after=near.text if near else "",
            )
            findings.setdefault((rule, a.line), finding)
        yield from findings.values()

    def _called_helper_strength(self, test: Test, unused: Iterable[Assertion]) -> int:
        """The strength of the strongest changed helper that the test seems to call."""
        calls = [*(test.steps or ()), *(assertion.text for assertion in unused)]
        names = {text.partition("(")[0] for text in calls}
        called = names & self.helpers.keys()
        return max((self.helpers[name].strength for name in called), default=NEVER)


def _only_case_count_differs(old: Test, new: Test, missing: Sequence[Assertion]) -> bool:
    """Every case asserts the same text, so a lost case is visible only in their number."""
    texts = {a.text for a in old.assertions}
    lines = {a.line for a in old.assertions}
    is_written_out = len(new.assertions) >= len(old.assertions)  # a statement for each case
    return not missing and len(texts) <= len(lines) and not is_written_out


def _name_words(test: Test) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", test.own_name.lower())) - {"test"}
