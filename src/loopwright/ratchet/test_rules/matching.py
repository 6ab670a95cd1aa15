"""Which test took the place of which, and which assertions of the start stand nowhere now.

All assertions of all changed files are compared together, so it does not matter in which test or
file one is. What is new may say the same in other words: the same values of the same names, as
strictly.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property

from ..readers import assertion_words as words
from ..readers.assertion_reader import LITERAL, NAME, Assertion, names_in
from ..readers.test_reader import Suite, Test, helper_calls
from .assertion_strength import MIN_SAME_NAMES, is_as_strict, is_negated, share_of, weak_kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MIN_SIMILAR_TEST = 0.5  # of the tokens, for a test of another name that took the place of one
MAX_SIMILAR = 100  # tests that are looked at for one lost assertion
FORM = str.maketrans("", "", "() ;")
MANY_LITERALS = 2  # so many values are not the same by chance


class Matching:
    """The tests of both sides that are not the same, their partners, and what is lost."""

    def __init__(self, before: Mapping[str, Suite], after: Mapping[str, Suite]) -> None:
        self.path_of: dict[int, str] = {}
        same = same_tests(before, after)
        self.old_tests = self._tests_of(before, same)
        self.new_tests = self._tests_of(after, same)
        for suites, tests in ((before, self.old_tests), (after, self.new_tests)):
            helpers = _helpers_by_name(suites)
            for test in tests:
                test.assertions.extend(list(helper_calls(test, helpers)))
        self.named = _names_in_use(after)
        self.partners = self._find_partners()
        self._rename()
        self.lost = self._match_assertions()

    def _tests_of(self, suites: Mapping[str, Suite], same: set[tuple[str, str, str]]) -> list[Test]:
        found = []
        for path, suite in suites.items():
            for test in (*suite.tests, *suite.helpers):
                if (path, test.name, test.identity) not in same or test.disabled_by:
                    self.path_of[id(test)] = path
                    found.append(test)
        return found

    def _find_partners(self) -> dict[int, Test]:
        partners: dict[int, Test] = {}
        free = list(self.new_tests)
        keys = (
            lambda test: (self.path_of[id(test)], test.name),
            lambda test: test.name,
            lambda test: test.own_name,
        )
        for key in keys:
            by_key: dict[object, list[Test]] = defaultdict(list)
            for test in free:
                by_key[key(test), test.is_helper].append(test)
            for old in self.old_tests:
                if id(old) not in partners and (found := by_key[key(old), old.is_helper]):
                    partners[id(old)] = found.pop(0)
            taken = set(map(id, partners.values()))
            free = [test for test in free if id(test) not in taken]
        for old in self.old_tests:
            if id(old) not in partners and not old.is_helper and free:
                best = max(free, key=lambda new: share_of(old.tokens, new.tokens))
                if not best.is_helper and share_of(old.tokens, best.tokens) >= MIN_SIMILAR_TEST:
                    partners[id(old)] = best
                    free.remove(best)
        return partners

    def _match_assertions(self) -> dict[int, list[Assertion]]:
        """The assertions of each old test that are nowhere now; marks the used ones of now."""
        self.used: set[int] = set()
        by_key: dict[tuple[str, ...], list[Assertion]] = defaultdict(list)
        self.enabled = [test for test in self.new_tests if not test.disabled_by]
        self.enabled = [test for test in self.enabled if _is_run(test, self.named)]
        for test in self.enabled:
            for assertion in test.assertions:
                by_key[assertion.key].append(assertion)
        lost: dict[int, list[Assertion]] = {}
        for is_own in (True, False):
            for old in self.old_tests:
                new = self.partners.get(id(old))
                own = {id(assertion) for assertion in new.assertions} if new else set()
                waiting = old.assertions if is_own else lost[id(old)]
                lost[id(old)] = []
                for assertion in waiting:
                    found = [
                        other
                        for other in by_key[assertion.key]
                        if id(other) not in self.used
                        and (not other.context or _is_same_context(other, assertion))
                        and (id(other) in own or not is_own)
                    ]
                    if found:
                        self.used.add(id(found[0]))
                    else:
                        lost[id(old)].append(assertion)
        return lost

    def _rename(self) -> None:
        """Gives the old assertions the new names of what was renamed throughout."""
        old_names, new_names = (
            {token for test in tests for token in test.tokens if NAME.fullmatch(token)}
            for tests in (self.old_tests, self.new_tests)
        )
        gone, fresh = old_names - new_names, new_names - old_names
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for old in self.old_tests:
            new = self.partners.get(id(old))
            known = {assertion.key for assertion in old.assertions}
            for assertion in old.assertions if new else ():
                for other in new.assertions if new else ():
                    is_weaker = not weak_kinds(other) <= weak_kinds(assertion)
                    if other.key not in known and not is_weaker:
                        for was, now in _different_tokens(assertion.key, other.key):
                            if was in gone and now in fresh:
                                votes[was][now] += 1
        names = {was: found.most_common(1)[0][0] for was, found in votes.items()}
        names = {was: now for was, now in names.items() if list(names.values()).count(now) == 1}
        if names:
            for test in self.old_tests:
                for assertion in test.assertions:
                    assertion.key = tuple(names.get(token, token) for token in assertion.key)

    @cached_property
    def fresh(self) -> list[tuple[Test, Assertion]]:
        """What is asserted now, and was not at the start."""
        return [
            (test, assertion)
            for test in self.enabled
            for assertion in test.assertions
            if id(assertion) not in self.used and not assertion.context
        ]

    @cached_property
    def fresh_tests(self) -> list[tuple[Test, list[Assertion], list[Assertion]]]:
        """The tests that assert something new: their new checks, and their new rows."""
        found = []
        by_test: dict[int, list[Assertion]] = defaultdict(list)
        for test, assertion in self.fresh:
            by_test[id(test)].append(assertion)
        for test in self.enabled:
            if new := by_test[id(test)]:
                checks = [assertion for assertion in new if not assertion.is_row]
                rows = [assertion for assertion in new if assertion.is_row]
                found.append((test, checks, rows))
        return found

    def is_said_again(self, assertion: Assertion, old: Test) -> bool:
        """Does a test assert the same values of the same names now, as strictly?"""
        if assertion.is_comparison:
            return False  # of a helper: its names and values say nothing
        kinds = weak_kinds(assertion)
        if assertion.is_row:
            kinds = kinds.union(*map(weak_kinds, old.checks))
        for test, checks, rows in self._similar_tests(assertion, old):
            checks = checks or [check for check in test.checks if not check.context]
            strict = [check for check in checks if is_as_strict(check, kinds)]
            if not assertion.literals:  # `assert not ready` is the opposite of `assert ready`
                strict = [c for c in strict if is_negated(c) == is_negated(assertion)]
            is_plain_table = bool(rows) and not test.checks and not old.checks
            if not strict and not is_plain_table:
                continue
            has_names = share_of(assertion.names, self.reach[id(test)]) >= MIN_SAME_NAMES
            if not has_names and len(assertion.literals) < MANY_LITERALS:
                continue
            if kinds and any(
                not weak_kinds(each) and assertion.names & each.names for each in strict
            ):
                return True  # one exact comparison says more
            said = self._helper_literals(test).union(*(each.literals for each in (*strict, *rows)))
            is_partner = self.partners.get(id(old)) is test
            if all(
                _is_in(literal, said, self.reach[id(test)])
                or (is_partner and _count(test, literal) >= _count(old, literal))
                for literal in assertion.literals
            ) and (
                rows or assertion.literals or any(assertion.names & each.names for each in strict)
            ):
                return True
        return self.partners.get(id(old)) is None and self._is_duplicate(assertion, kinds)

    def _similar_tests(
        self, assertion: Assertion, old: Test
    ) -> Iterator[tuple[Test, list[Assertion], list[Assertion]]]:
        """Tests with something new that may say it: its own partner, and those with its words."""
        partner, words_of_assertion = (
            self.partners.get(id(old)),
            assertion.literals | assertion.names,
        )
        count = 0
        for row in self.fresh_tests:
            is_similar = row[0] is partner or words_of_assertion & row[0].tokens
            if is_similar and (row[0] is partner or count < MAX_SIMILAR):
                count += 1
                yield row

    def _is_duplicate(self, assertion: Assertion, kinds: frozenset[str]) -> bool:
        """Did another test assert the same of the same values all along?"""
        if not assertion.literals:
            return False
        for test in self.enabled:
            for other in test.assertions:
                if other.literals != assertion.literals or other.context:
                    continue
                names = self.reach[id(test)] if other.is_row else other.names
                checks = test.checks if other.is_row else [other]
                is_as_strong = any(is_as_strict(check, kinds) for check in checks)
                if is_as_strong and share_of(assertion.names, names) >= MIN_SAME_NAMES:
                    return True
        return False

    @cached_property
    def helpers(self) -> dict[str, Test]:
        return {test.own_name: test for test in self.new_tests if test.is_helper}

    def _helper_literals(self, test: Test) -> frozenset[str]:
        """The values that the helpers of a test assert."""
        called = [self.helpers[token] for token in test.tokens if token in self.helpers]
        tokens = frozenset().union(*(helper.tokens for helper in called))
        return frozenset(token for token in tokens if LITERAL.fullmatch(token))

    @cached_property
    def reach(self) -> dict[int, frozenset[str]]:
        """The tokens of each test of now, with those of the helpers that it names."""
        helpers, reach = self.helpers, {}
        for test in self.new_tests:
            called = [helpers[token].tokens for token in test.tokens if token in helpers]
            reach[id(test)] = names_in(test.tokens.union(*called))
        return reach


def same_tests(
    before: Mapping[str, Suite], after: Mapping[str, Suite]
) -> set[tuple[str, str, str]]:
    old, new = (
        {
            (path, test.name, test.identity)
            for path, suite in suites.items()
            for test in (*suite.tests, *suite.helpers)
            if not test.disabled_by and not test.skip_condition
        }
        for suites in (before, after)
    )
    return old & new


def _helpers_by_name(suites: Mapping[str, Suite]) -> dict[str, Test]:
    helpers = [helper for suite in suites.values() for helper in suite.helpers]
    return {helper.own_name: helper for helper in helpers if helper.checks}


def _names_in_use(suites: Mapping[str, Suite]) -> set[str]:
    """The names in tests, changed or not, and in the helpers that these name."""
    tests = [test for suite in suites.values() for test in suite.tests if not test.disabled_by]
    waiting = [helper for suite in suites.values() for helper in suite.helpers]
    names: set[str] = set()
    while tests:
        names.update(*(test.tokens for test in tests))
        tests = [helper for helper in waiting if helper.own_name in names]
        waiting = [helper for helper in waiting if helper.own_name not in names]
    return names


def _is_run(test: Test, named: set[str]) -> bool:
    """Does a helper run? A test that lost its mark is a function that nothing calls."""
    if not test.is_helper or not test.checks or test.own_name == "the file":
        return True
    if words.SET_UP.match(test.own_name):
        return True
    return test.own_name in named or not test.could_be_test


def _is_in(literal: str, literals: frozenset[str], tokens: frozenset[str]) -> bool:
    """Is a value among these, as a part of a longer text, or as a name?"""
    text = literal.strip("\"'`")
    if literal in literals or (text.isidentifier() and text in tokens):
        return True
    return len(text) > 3 and any(text in other for other in literals)


def _is_same_context(some: Assertion, other: Assertion) -> bool:
    """Is it the same condition, whatever a formatter did with its brackets and blanks?"""
    return some.context.translate(FORM) == other.context.translate(FORM)


def _count(test: Test, literal: str) -> int:
    return test.identity.count(literal.strip("\"'`"))


def _different_tokens(old: tuple[str, ...], new: tuple[str, ...]) -> list[tuple[str, str]]:
    """Where assertions of the same form differ; only in names."""
    if len(old) != len(new):
        return []
    pairs = [(was, now) for was, now in zip(old, new, strict=True) if was != now]
    is_name = all(NAME.fullmatch(was) and NAME.fullmatch(now) for was, now in pairs)
    return pairs if is_name else []
