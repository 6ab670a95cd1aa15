"""Matches what the tests demanded with what they demand now; what is left over is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from ..readers.suite import Assertion, Suite, Test
from .assertion_index import AssertionIndex
from .assertions import (
    ANY_INDEX,
    has_most_words,
    has_same_form,
    holds_for_all,
    is_contained_in,
    is_implied,
    strength_loss,
)
from .expected_values import has_other_input
from .partners import pair_tests

MAX_CANDIDATES = 200  # for one assertion; those with the same text come first


class Matching:
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
        self.unused_assertions = AssertionIndex(self.unused_in(new_assertions))
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
        new_texts = [b for b in current if b.text not in old_texts][:MAX_CANDIDATES]
        # Equal texts are matched first, so that no other assertion uses them up.
        missing = [a for a in test.assertions if a.strength]
        missing = [a for a in missing if not self._take(a, index.with_key(a.text))]
        missing = [a for a in missing if not self._take(a, index.candidates(a))]
        missing = [a for a in missing if not any(is_contained_in(a, b) for b in new_texts)]
        return [a for a in missing if not any(is_implied(a, b) for b in current)]

    def _take(self, old: Assertion, candidates: Iterable[Assertion]) -> bool:
        """Is a candidate left that is as strong as the old one? Each replaces only one."""
        stronger = None
        for new in candidates:
            if id(new) in self.used_ids or strength_loss(old, new) is not None:
                continue
            if new.strength == old.strength:
                self.used_ids.add(id(new))
                return True
            stronger = stronger or new  # another old assertion may need it more
        if stronger:
            self.used_ids.add(id(stronger))
        return stronger is not None

    def _take_moved(self, old: Assertion) -> bool:
        """Does another test make this assertion now?"""
        alike = self.unused_assertions.with_same_predicate(old)
        unused = (a for a in alike if id(a) not in self.used_ids)
        candidates = islice(unused, MAX_CANDIDATES)
        return self._take(old, (new for new in candidates if _may_have_moved(old, new)))

    def unused_in(self, assertions: Iterable[Assertion]) -> list[Assertion]:
        return [assertion for assertion in assertions if id(assertion) not in self.used_ids]


def _may_have_moved(old: Assertion, new: Assertion) -> bool:
    """Of two assertions with one predicate: is the new one about the same input, in most words?

    `strength_loss` would refuse another input too; here it is refused before anything is computed.
    """
    return not has_other_input(old.subject, new.subject) and has_most_words(old, new)


def _is_implied_by_whole(old: Assertion, everywhere: AssertionIndex) -> bool:
    return any(is_implied(old, new) for new in everywhere.about_whole_of(old))
