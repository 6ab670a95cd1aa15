"""Holds the tests of the start against those of now: what was asserted must still be, there or elsewhere, and as strongly."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..core.findings import HIGH, MEDIUM, Finding
from ..repo.sources import printable_text
from .assertions import (
    CHANGED,
    both_compare_with_names,
    is_contained_in,
    is_implied,
    is_reworded,
    is_similar,
    strength_loss,
)
from .assertions import LOOSENED as LOOSENED
from .assertions import POINTLESS as POINTLESS
from .assertions import WIDENED as WIDENED
from .suite import LOOSE, NEVER, Assertion, Suite, Test

DELETED, SKIPPED, REMOVED = "test-deleted", "test-switched-off", "assertion-removed"
UNREADABLE = "test-cases-unreadable"
CASES_REMOVED, SKIPPED_UNDER_CONDITION, TIMEOUT_RAISED = (
    "test-cases-removed",
    "test-skipped-under-condition",
    "test-patience-raised",
)
WORD = re.compile(r"\w+")
MIN_SIMILARITY, MAX_PAIRS = 0.5, 40_000
MARK_RULES = {
    "tricks": "test-runner-tampered-with",
    "only": "only-some-tests-run",
    "off": "tests-skipped",
}


def compare_suites(before: Mapping[str, Suite], after: Mapping[str, Suite]) -> list[Finding]:
    """What became weaker between two readings of all changed test files of a language, by path."""
    found = [*Comparison(before, after).findings(), *_mark_findings(before, after)]
    return [
        one.but(before=printable_text(one.before), after=printable_text(one.after)) for one in found
    ]


class Comparison:
    """Every old test with the one that it is now, and the assertions that nobody has laid claim to."""

    def __init__(self, before: Mapping[str, Suite], after: Mapping[str, Suite]) -> None:
        suites = (*before.items(), *after.items())
        self.path_by_id = {
            id(one): path for path, suite in suites for one in (*suite.tests, *suite.helpers)
        }
        tests = [test for suite in before.values() for test in suite.tests]
        self.new_tests = [test for suite in after.values() for test in suite.tests]
        # In a file with tests, what a helper asserts is read with those that call it. One that is gone is no loss by itself.
        loose = [helper for suite in before.values() if not suite.tests for helper in suite.helpers]
        self.helpers = {helper.name: helper for suite in after.values() for helper in suite.helpers}
        self.partners = self._pair_tests(tests, self.new_tests) | self._pair_tests(
            loose, self.helpers.values()
        )
        self.old_tests = [
            one
            for one in (*tests, *(one for one in loose if id(one) in self.partners))
            if not one.disabled_by
        ]
        self.used_ids: set[int] = set()
        # What a test asserts that is still there is its own, and nobody else's alibi: these first, the others from what is left.
        missing = [self._missing_assertions(one) for one in self.old_tests]
        self.unused_assertions = _index_by_words(
            a
            for one in self.new_tests
            if not one.disabled_by
            for a in one.assertions
            if id(a) not in self.used_ids
        )
        missing = [
            [a for a in left if not self._take_match(a, self.unused_assertions, elsewhere=True)]
            for left in missing
        ]
        everywhere = _index_by_words(
            a for one in self.new_tests if not one.disabled_by for a in one.assertions
        )
        self.missing = [
            [
                a
                for a in left
                if not any(is_implied(a, b) for b in _assertions_of_whole(a, everywhere))
            ]
            for left in missing
        ]

    def _missing_assertions(self, one: Test) -> list[Assertion]:
        """Assertions of an old test that do not stand, as strong as they were, in the one that it is now."""
        now = self.partners.get(id(one))
        there = now.assertions if now and not now.disabled_by else ()
        by_words, said = _index_by_words(there), {a.text for a in one.assertions}
        left = [
            a
            for a in one.assertions
            if a.strength and not self._take_match(a, {a.text: by_words[a.text]})
        ]
        left = [a for a in left if not self._take_match(a, by_words)]
        left = [
            a for a in left if not any(is_contained_in(a, b) for b in there if b.text not in said)
        ]
        return [a for a in left if not any(is_implied(a, b) for b in there)]

    def _take_match(
        self, a: Assertion, there: Mapping[str, list[Assertion]], elsewhere: bool = False
    ) -> bool:
        """Is there one left that can stand for this one? Each stands for one only."""
        for b in (b for words in _lookup_keys(a) for b in there.get(words, ())):
            if (
                id(b) not in self.used_ids
                and strength_loss(a, b) is None
                and (not elsewhere or is_similar(a, b))
            ):
                self.used_ids.add(id(b))
                return True
        return False

    def findings(self) -> Iterator[Finding]:
        off: dict[tuple[str, str], list[Test]] = defaultdict(list)
        for one, missing in zip(self.old_tests, self.missing, strict=True):
            now = self.partners.get(id(one))
            is_gone = missing or not one.assertions
            if now and not now.disabled_by:
                yield from self._weaker_test_findings(one, now, missing)
            elif now and is_gone:
                off[self.path_by_id[id(now)], now.disabled_by].append(now)
            elif is_gone and not self._is_duplicate(one):
                yield from self._deleted_test_findings(one, missing)
        for (file, words), tests in off.items():
            yield Finding(
                HIGH, SKIPPED, file, tests[0].line, ", ".join(test.name for test in tests), words
            )

    def _is_duplicate(self, gone: Test) -> bool:
        """Another test does and asserts all of it: the one that is gone was a duplicate."""
        steps, texts = Counter(gone.steps), {a.text for a in gone.assertions}
        others = [
            one
            for one in self.new_tests
            if not one.disabled_by
            and None not in (one.steps, gone.steps)
            and steps <= Counter(one.steps)
        ]
        return any(texts <= {a.text for a in one.assertions if a.strength} for one in others)

    def _deleted_test_findings(self, one: Test, missing: Sequence[Assertion]) -> Iterator[Finding]:
        left = [
            b
            for a in missing
            for b in self.unused_assertions[f"of {a.subject}"]
            if id(b) not in self.used_ids
        ]
        new = [
            b
            for now in self.new_tests
            if not now.disabled_by
            for b in now.assertions
            if b.strength and id(b) not in self.used_ids
        ]
        if missing and all(_nearest_assertion(a, left) for a in missing):
            yield from self._assertion_findings(one, missing, left)
        elif one.strength > LOOSE or not new:  # one that said next to nothing may give way to any
            yield Finding(HIGH, DELETED, self.path_by_id[id(one)], 0, one.name)

    def _weaker_test_findings(
        self, one: Test, now: Test, missing: Sequence[Assertion]
    ) -> Iterator[Finding]:
        file = self.path_by_id[id(now)]
        if now.skip_condition and not one.skip_condition:
            yield Finding(
                MEDIUM, SKIPPED_UNDER_CONDITION, file, now.line, now.name, now.skip_condition
            )
        if now.patience > one.patience:
            yield Finding(
                MEDIUM,
                TIMEOUT_RAISED,
                file,
                now.line,
                f"{one.name}: {one.patience:g}",
                f"{now.patience:g}",
            )
        if (
            missing
            and not one.cases * now.cases
            and one.cases != now.cases
            and now.strength >= one.strength
        ):
            if one.cases:
                yield Finding(MEDIUM, UNREADABLE, file, now.line, missing[0].text)
            return
        left = [b for b in now.assertions if id(b) not in self.used_ids]
        lost = [a for a in missing if not _nearest_assertion(a, left)]
        only_their_number_tells = not missing and len({a.text for a in one.assertions}) <= len(
            {a.line for a in one.assertions}
        )
        if one.cases > now.cases > 0 and (lost or only_their_number_tells):
            missing = [a for a in missing if a not in lost]
            yield Finding(
                HIGH,
                CASES_REMOVED,
                file,
                now.line,
                f"{one.name}: {one.cases} cases",
                f"{now.cases} cases",
            )
        yield from self._assertion_findings(now, missing, left)

    def _assertion_findings(
        self, now: Test, missing: Sequence[Assertion], left: list[Assertion]
    ) -> Iterator[Finding]:
        """One finding for each assertion, and but one where a table repeats it."""
        found: dict[tuple[str, int], Finding] = {}
        called = {
            text.partition("(")[0] for text in (*(now.steps or ()), *(b.text for b in left))
        } & self.helpers.keys()
        helped = max((self.helpers[name].strength for name in called), default=NEVER)
        for a in missing:
            near = _nearest_assertion(a, left)
            if (not near or (strength_loss(a, near) or ("",))[0] == MEDIUM) and any(
                is_reworded(a, b) or both_compare_with_names(a, b) for b in left
            ):
                continue
            severity, rule = (near and strength_loss(a, near)) or (HIGH, REMOVED)
            other = next((b for b in left if b.strength >= a.strength), None)
            if near is None and (helped >= a.strength or (other and a.strength == LOOSE)):
                continue  # a helper in another file says it now, or it said next to nothing
            if near is None and other:  # something else is asserted, and no less
                near, severity, rule = other, MEDIUM, CHANGED
                left = [b for b in left if b is not near or not b.subject]
            line, after = (near.line, near.text) if near else (now.line, "")
            found.setdefault(
                (rule, a.line),
                Finding(severity, rule, self.path_by_id[id(now)], line, a.text, after),
            )
        yield from found.values()

    def _pair_tests(self, old: Iterable[Test], new: Iterable[Test]) -> dict[int, Test]:
        """For every old test that is still known by its name, by its id: the one that it is now."""
        found: dict[int, Test] = {}
        for key in (lambda one: (self.path_by_id[id(one)], one.name), lambda one: one.own_name):
            used = set(map(id, found.values()))
            free = defaultdict(list)
            for one in (one for one in new if id(one) not in used):
                free[key(one)].append(one)
            for one in (one for one in old if id(one) not in found):
                if same := free[key(one)]:
                    found[id(one)] = same.pop(0)
        return found | _pair_similar_tests(
            [one for one in old if id(one) not in found], new, set(map(id, found.values()))
        )


def _pair_similar_tests(
    old: Sequence[Test], new: Iterable[Test], used: set[int]
) -> dict[int, Test]:
    """Those that have another name, by what they do and say: the most alike first."""
    free = [one for one in new if id(one) not in used]
    words = {
        id(one): Counter(
            WORD.findall(" ".join([one.own_name, *(one.steps or ()), *_assertion_texts(one)]))
        )
        for one in (*old, *free)
    }
    alike = []
    for a, b in ((a, b) for a in old for b in free if len(old) * len(free) < MAX_PAIRS):
        share = (words[id(a)] & words[id(b)]).total() / max(
            1, words[id(a)].total(), words[id(b)].total()
        )
        claims = {one.predicate: one for one in a.assertions}.values()
        stands = sum(any(_is_equivalent(one, two) for two in b.assertions) for one in claims)
        mostly = len(claims) > 1 and share * stands / len(claims) >= MIN_SIMILARITY / 3
        alike += [(share + mostly, a, b)] if share >= MIN_SIMILARITY or mostly else []
    found: dict[int, Test] = {}
    for _, a, b in sorted(alike, key=lambda one: -one[0]):
        if id(a) not in found and id(b) not in used:
            found[id(a)] = b
            used.add(id(b))
    return found


def _is_equivalent(one: Assertion, two: Assertion) -> bool:
    return one.predicate == two.predicate or is_contained_in(one, two) or is_reworded(one, two)


def _assertion_texts(one: Test) -> list[str]:
    return [a.text for a in one.assertions]


def _assertions_of_whole(a: Assertion, there: Mapping[str, list[Assertion]]) -> Iterator[Assertion]:
    """What is said of that of which the subject is a part."""
    ends = [found.start() for found in re.finditer(r"[.\[]", a.subject)]
    yield from (b for end in ends[-3:] for b in there.get(f"of {a.subject[:end]}", ()))


def _nearest_assertion(a: Assertion, left: Iterable[Assertion]) -> Assertion | None:
    """What became of an assertion: the same words that have lost their force, or other words for the same subject."""
    found = [
        b
        for b in left
        if (b.text == a.text or (a.subject and b.subject == a.subject)) and strength_loss(a, b)
    ]
    return min(
        found,
        key=lambda b: (b.text != a.text, (strength_loss(a, b) or "")[0] == HIGH, -b.strength),
        default=None,
    )


def _index_by_words(assertions: Iterable[Assertion]) -> defaultdict[str, list[Assertion]]:
    found = defaultdict(list)
    for one in assertions:
        for words in _lookup_keys(one):
            found[words].append(one)
    return found


def _lookup_keys(one: Assertion) -> dict[str, None]:
    """What it can be found by: all of it, what it says of its subject (unless that is next to nothing), the subject."""
    told = one.predicate if len(one.predicate) > len("not ·") else one.text
    return dict.fromkeys((one.text, told, f"of {one.subject or one.text}"))


def _mark_findings(before: Mapping[str, Suite], after: Mapping[str, Suite]) -> Iterator[Finding]:
    for field, rule in MARK_RULES.items():
        known = {mark.text for suite in before.values() for mark in getattr(suite, field)}
        for path, suite in after.items():
            for mark in getattr(suite, field):
                if mark.text not in known and (
                    field != "off" or path in before
                ):  # what is new and skipped takes nothing away
                    yield Finding(HIGH, rule, path, mark.line, "", mark.text)
