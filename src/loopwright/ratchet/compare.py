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

from .. import lazy_re as re
from ..core.findings import HIGH, LOW, MEDIUM, Finding
from .assertion_index import AssertionIndex
from .assertions import (
    ANY_INDEX,
    CHANGED,
    both_compare_with_names,
    has_same_form,
    has_similar_words,
    holds_for_all,
    is_contained_in,
    is_harmless_change,
    is_implied,
    is_reworded,
    is_similar,
    says_little,
    strength_loss,
    tells_message_apart,
)
from .assertions import LOOSENED as LOOSENED
from .assertions import POINTLESS as POINTLESS
from .assertions import WIDENED as WIDENED
from .expected_values import QUOTED, word_share
from .partners import pair_tests
from .suite import LOOSE, NEVER, Assertion, Suite, Test

# Ids of rules (core/findings.py).
DELETED = "test-deleted"
SKIPPED = "test-switched-off"
SKIPPED_UNDER_CONDITION = "test-skipped-under-condition"
TIMEOUT_RAISED = "test-patience-raised"
CASES_REMOVED = "test-cases-removed"
UNREADABLE = "test-cases-unreadable"
REMOVED = "assertion-removed"
CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")
PLAIN_CALLS = {"len", "list", "str", "repr", "sorted", "set", "dict", "tuple", "bool", "int"}
MIN_NAME_WORDS = 2
MIN_COMMON_NAME = 0.6
MAX_CANDIDATES = 100  # that are compared word by word
MARK_RULES = {  # field of a Suite → rule
    "tricks": "test-runner-tampered-with",
    "only": "only-some-tests-run",
    "off": "tests-skipped",
}


def compare_suites(
    before: Mapping[str, Suite],
    after: Mapping[str, Suite],
    unchanged: Sequence[Suite] = (),
) -> list[Finding]:
    """What became weaker in the changed test files of a language; suites are given by path.

    `unchanged` tests replace nothing, but they may already assert what a deleted one did.
    """
    comparison = Comparison(before, after, unchanged)
    return [*comparison.findings(), *_mark_findings(before, after)]


class Comparison:
    """Every old test with its partner of now, and the new assertions that no old one has used."""

    def __init__(
        self,
        before: Mapping[str, Suite],
        after: Mapping[str, Suite],
        unchanged: Sequence[Suite] = (),
    ) -> None:
        self.unchanged_tests = [test for suite in unchanged for test in suite.tests]
        self.path_by_id: dict[int, str] = {}
        for path, suite in (*before.items(), *after.items()):
            for test in (*suite.tests, *suite.helpers):
                self.path_by_id[id(test)] = path
        tests = [test for suite in before.values() for test in suite.tests]
        # In a file with tests, a helper is read together with the tests that call it. Such a helper
        # may go. Only helpers of files without tests are compared by themselves.
        helper_suites = [suite for suite in before.values() if not suite.tests]
        helpers = [helper for suite in helper_suites for helper in suite.helpers]
        self.new_tests = [test for suite in after.values() for test in suite.tests]
        self.helpers = {helper.name: helper for suite in after.values() for helper in suite.helpers}
        self.partners = pair_tests(tests, self.new_tests, self.path_by_id)
        self.partners |= pair_tests(helpers, [*self.helpers.values()], self.path_by_id)
        paired_helpers = [helper for helper in helpers if id(helper) in self.partners]
        self.old_tests = [test for test in (*tests, *paired_helpers) if not test.disabled_by]
        self.used_ids: set[int] = set()
        self._find_missing_assertions()

    def _find_missing_assertions(self) -> None:
        """Sets `missing`: for each old test, the assertions that nothing replaces.

        Every old test first takes what its own partner still asserts. Only what is left over may
        replace an assertion of another test.
        """
        missing = [self._missing_in_partner(test) for test in self.old_tests]
        enabled = [test for test in self.new_tests if not test.disabled_by]
        new_assertions = [assertion for test in enabled for assertion in test.assertions]
        self.unused_assertions = AssertionIndex(self._unused(new_assertions))
        unchanged = [a for test in self.unchanged_tests for a in test.assertions]
        everywhere = AssertionIndex([*new_assertions, *unchanged])
        old_texts = {a.text for test in self.old_tests for a in test.assertions}
        fresh = AssertionIndex([a for a in new_assertions if a.text not in old_texts])
        self.missing: list[list[Assertion]] = []
        for test, assertions in zip(self.old_tests, missing, strict=True):
            left = [a for a in assertions if not self._take_moved(a)]
            # What another test asserts all along replaces nothing of a test that is still there.
            whole = fresh if id(test) in self.partners else everywhere
            left = [a for a in left if not _is_implied_by_whole(a, whole)]
            self.missing.append(self._missing_after_rewrite(test, left))

    def _missing_after_rewrite(self, test: Test, missing: list[Assertion]) -> list[Assertion]:
        """Without those whose subject was rewritten, or that a loop asserts of every element."""
        partner = self.partners.get(id(test))
        if not missing or not partner or partner.disabled_by:
            return missing
        loops = [b for b in partner.assertions if ANY_INDEX in b.text]
        missing = [a for a in missing if not any(holds_for_all(a, b) for b in loops)]
        return [a for a in missing if not self._take_same_form(a, partner)]

    def _take_same_form(self, old: Assertion, partner: Test) -> bool:
        if not old.subject:
            return False
        for new in partner.assertions:
            if id(new) not in self.used_ids and new.subject and has_same_form(old, new):
                self.used_ids.add(id(new))
                return True
        return False

    def _missing_in_partner(self, test: Test) -> list[Assertion]:
        """Assertions of an old test that its partner does not make as strongly."""
        partner = self.partners.get(id(test))
        current = partner.assertions if partner and not partner.disabled_by else ()
        index = AssertionIndex(current)
        old_texts = {a.text for a in test.assertions}
        new_texts = [b for b in current if b.text not in old_texts]
        # Equal texts are matched first, so that no other assertion uses them up.
        missing = [a for a in test.assertions if a.strength]
        missing = [a for a in missing if not self._take(a, index.with_key(a.text))]
        missing = [a for a in missing if not self._take(a, index.candidates(a))]
        missing = [a for a in missing if not any(is_contained_in(a, b) for b in new_texts)]
        return [a for a in missing if not any(is_implied(a, b) for b in current)]

    def _take(self, old: Assertion, candidates: Iterable[Assertion]) -> bool:
        """Is a candidate left that is as strong as the old one? Each replaces only one."""
        for new in candidates:
            if id(new) not in self.used_ids and strength_loss(old, new) is None:
                self.used_ids.add(id(new))
                return True
        return False

    def _take_moved(self, old: Assertion) -> bool:
        """Does another test make this assertion now?"""
        candidates = self.unused_assertions.candidates(old)
        return self._take(old, (new for new in candidates if is_similar(old, new)))

    def _unused(self, assertions: Iterable[Assertion]) -> list[Assertion]:
        return [assertion for assertion in assertions if id(assertion) not in self.used_ids]

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
            new for a in missing for new in self._unused(self.unused_assertions.with_subject_of(a))
        ]
        if missing and all(_nearest_assertion(a, same_subject) for a in missing):
            yield from self._assertion_findings(old, missing, same_subject)
        # A test that asserts next to nothing may be replaced by any new assertion.
        elif old.strength > LOOSE or not self._has_unused_assertion():
            # If it ran only under a condition, or half of it is elsewhere now, a person decides.
            kept = len(old.assertions) - len(missing)
            is_partly_kept = old.skip_condition or 2 * kept >= len(old.assertions) > 1
            is_rewritten = self._is_rewritten_here(old, missing) or self._is_renamed(old)
            severity = MEDIUM if is_partly_kept or is_rewritten else HIGH
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
            for new in self._unused(test.assertions)
            if any(has_similar_words(a, new) for a in missing)
        ]
        return len(similar) >= len(missing) > 0

    def _is_renamed(self, deleted: Test) -> bool:
        """Do new tests of almost the same name, in its file, assert a good part of as much?"""
        path, words = self.path_by_id[id(deleted)], _name_words(deleted)
        if len(words) < MIN_NAME_WORDS:
            return False
        old_names = {test.name for test in self.old_tests}
        strength = 0
        for new in self.new_tests:
            if self.path_by_id[id(new)] != path or new.disabled_by or new.name in old_names:
                continue
            if len(words & _name_words(new)) >= MIN_COMMON_NAME * len(words):
                strength += sum(a.strength for a in new.assertions)
        return 3 * strength >= sum(a.strength for a in deleted.assertions)

    def _has_unused_assertion(self) -> bool:
        enabled = [test for test in self.new_tests if not test.disabled_by]
        return any(a.strength for test in enabled for a in self._unused(test.assertions))

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
        unused = self._unused(new.assertions)
        lost = [a for a in missing if not _nearest_assertion(a, unused)]
        if old.cases > new.cases > 0 and (lost or _only_case_count_differs(old, new, missing)):
            missing = [a for a in missing if a not in lost]
            is_elsewhere = bool(lost) and all(map(self._is_input_elsewhere, lost))
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
        unused = self._unused(a for test in self.new_tests for a in test.assertions)
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
        is_rewritten = old is not None and _asserts_as_much(old, test)
        old_texts = {a.text for a in old.assertions} if old else set()
        asserts_other_things = old is not None and any(
            a.strength and a.text not in old_texts for a in test.assertions
        )
        for a in missing:
            near = _nearest_assertion(a, unused)
            severity, rule = _loss_to_nearest(a, near)
            is_minor = says_little(a) and test.strength > LOOSE
            is_other_way = asserts_other_things and _is_called_no_more(a, test)
            if rule == REMOVED and (is_rewritten or is_minor or is_other_way):
                severity = MEDIUM  # it asserts as much as before, or something else
            if near and tells_message_apart(a, near, test.assertions):
                continue
            may_be_reworded = near is None or severity == MEDIUM
            if may_be_reworded and any(_says_the_same(a, b) for b in unused):
                continue
            if near is None:
                if helper_strength >= a.strength:
                    continue  # a helper in another file asserts it now
                near = _most_similar(a, [b for b in unused if b.strength >= a.strength])
                if near and a.strength == LOOSE:
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


def _is_implied_by_whole(old: Assertion, everywhere: AssertionIndex) -> bool:
    return any(is_implied(old, new) for new in everywhere.about_whole_of(old))


def _only_case_count_differs(old: Test, new: Test, missing: Sequence[Assertion]) -> bool:
    """Every case asserts the same text, so a lost case is visible only in their number."""
    texts = {a.text for a in old.assertions}
    lines = {a.line for a in old.assertions}
    is_written_out = len(new.assertions) >= len(old.assertions)  # a statement for each case
    return not missing and len(texts) <= len(lines) and not is_written_out


def _name_words(test: Test) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", test.own_name.lower())) - {"test"}


def _is_called_no_more(old: Assertion, new: Test) -> bool:
    """Is the function that the assertion called gone from the test, which goes another way?"""
    called = [name for name in CALLED.findall(old.subject) if name not in PLAIN_CALLS]
    rest = " ".join([*(new.steps or ()), *(a.text for a in new.assertions)])
    return bool(called) and called[0] not in CALLED.findall(rest)


def _asserts_as_much(old: Test, new: Test) -> bool:
    """Are there as many assertions about other things, and are they as strong together?"""
    if len(new.assertions) < len(old.assertions) or old.cases != new.cases:
        return False
    return sum(a.strength for a in new.assertions) >= sum(a.strength for a in old.assertions)


def _says_the_same(old: Assertion, new: Assertion) -> bool:
    return is_reworded(old, new) or both_compare_with_names(old, new)


def _loss_to_nearest(old: Assertion, near: Assertion | None) -> tuple[str, str]:
    loss = strength_loss(old, near) if near else None
    return loss or (HIGH, REMOVED)


def _nearest_assertion(old: Assertion, candidates: Iterable[Assertion]) -> Assertion | None:
    """What became of an assertion: the same text with less force, or another about its subject."""

    def distance(new: Assertion) -> tuple[bool, bool, int]:
        severity, _ = strength_loss(old, new) or ("", "")
        return new.text != old.text, severity == HIGH, -new.strength

    weaker = []
    for new in candidates:
        same_subject = old.subject and new.subject == old.subject
        if (new.text == old.text or same_subject) and strength_loss(old, new):
            weaker.append(new)
    return min(weaker, key=distance, default=None)


def _most_similar(old: Assertion, candidates: Sequence[Assertion]) -> Assertion | None:
    shares = ((word_share(old.text, new.text), new) for new in candidates[:MAX_CANDIDATES])
    return max(shares, key=lambda row: row[0], default=(0.0, None))[1]


def _mark_findings(before: Mapping[str, Suite], after: Mapping[str, Suite]) -> Iterator[Finding]:
    for field, rule in MARK_RULES.items():
        old_texts = {mark.text for suite in before.values() for mark in getattr(suite, field)}
        for path, suite in after.items():
            if field == "off" and path not in before:
                continue  # a new file that is skipped takes nothing away
            for mark in getattr(suite, field):
                if mark.text not in old_texts:
                    yield Finding(HIGH, rule, path, mark.line, after=mark.text)
