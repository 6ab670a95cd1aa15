"""Holds the tests of the start against those of now: what was asserted must still be, there or elsewhere, and as strongly."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...core.ratchet import HIGH, MEDIUM, Finding
from ..sources import shown
from .claims import CHANGED, is_alike, is_carried, is_implied, is_renamed, is_told_otherwise, loss
from .claims import LOOSENED as LOOSENED
from .claims import POINTLESS as POINTLESS
from .claims import WIDENED as WIDENED
from .suite import LOOSE, NEVER, Assertion, Suite, Test

DELETED, SKIPPED, REMOVED = "test deleted", "test switched off", "assertion removed"
UNREADABLE = "the cases of a test can no longer be read"
CASES, PERHAPS, PATIENCE = "cases taken out of a table", "test skipped under a condition", "more time or more tries for a test"
WORD = re.compile(r"\w+")
ALIKE, MOST_PAIRS = 0.5, 40_000
MARKS = {"tricks": "the runner is tampered with", "only": "only some tests run", "off": "tests skipped"}


def compared(before: Mapping[str, Suite], after: Mapping[str, Suite]) -> list[Finding]:
    """What became weaker between two readings of all changed test files of a language, by path."""
    found = [*Comparison(before, after).findings(), *_marked(before, after)]
    return [one.but(before=shown(one.before), after=shown(one.after)) for one in found]


class Comparison:
    """Every old test with the one that it is now, and the assertions that nobody has laid claim to."""

    def __init__(self, before: Mapping[str, Suite], after: Mapping[str, Suite]) -> None:
        suites = (*before.items(), *after.items())
        self.files = {id(one): path for path, suite in suites for one in (*suite.tests, *suite.helpers)}
        tests = [test for suite in before.values() for test in suite.tests]
        self.new = [test for suite in after.values() for test in suite.tests]
        # In a file with tests, what a helper asserts is read with those that call it. One that is gone is no loss by itself.
        loose = [helper for suite in before.values() if not suite.tests for helper in suite.helpers]
        self.helpers = {helper.name: helper for suite in after.values() for helper in suite.helpers}
        self.partners = self._paired(tests, self.new) | self._paired(loose, self.helpers.values())
        self.old = [one for one in (*tests, *(one for one in loose if id(one) in self.partners)) if not one.off]
        self.taken: set[int] = set()
        # What a test asserts that is still there is its own, and nobody else's alibi: these first, the others from what is left.
        missing = [self._missing(one) for one in self.old]
        self.pool = _by_words(a for one in self.new if not one.off for a in one.assertions if id(a) not in self.taken)
        missing = [[a for a in left if not self._takes(a, self.pool, elsewhere=True)] for left in missing]
        everywhere = _by_words(a for one in self.new if not one.off for a in one.assertions)
        self.missing = [[a for a in left if not any(is_implied(a, b) for b in _wholes(a, everywhere))] for left in missing]

    def _missing(self, one: Test) -> list[Assertion]:
        """Assertions of an old test that do not stand, as strong as they were, in the one that it is now."""
        now = self.partners.get(id(one))
        there = now.assertions if now and not now.off else ()
        by_words, said = _by_words(there), {a.text for a in one.assertions}
        left = [a for a in one.assertions if a.strength and not self._takes(a, {a.text: by_words[a.text]})]
        left = [a for a in left if not self._takes(a, by_words)]
        left = [a for a in left if not any(is_carried(a, b) for b in there if b.text not in said)]
        return [a for a in left if not any(is_implied(a, b) for b in there)]

    def _takes(self, a: Assertion, there: Mapping[str, list[Assertion]], elsewhere: bool = False) -> bool:
        """Is there one left that can stand for this one? Each stands for one only."""
        for b in (b for words in _words(a) for b in there.get(words, ())):
            if id(b) not in self.taken and loss(a, b) is None and (not elsewhere or is_alike(a, b)):
                self.taken.add(id(b))
                return True
        return False

    def findings(self) -> Iterator[Finding]:
        off: dict[tuple[str, str], list[Test]] = defaultdict(list)
        for one, missing in zip(self.old, self.missing, strict=True):
            now = self.partners.get(id(one))
            is_gone = missing or not one.assertions
            if now and not now.off:
                yield from self._weaker(one, now, missing)
            elif now and is_gone:
                off[self.files[id(now)], now.off].append(now)
            elif is_gone and not self._stood_elsewhere(one):
                yield from self._gone(one, missing)
        for (file, words), tests in off.items():
            yield Finding(HIGH, SKIPPED, file, tests[0].line, ", ".join(test.name for test in tests), words)

    def _stood_elsewhere(self, gone: Test) -> bool:
        """Another test does and asserts all of it: the one that is gone was a duplicate."""
        steps, texts = Counter(gone.steps), {a.text for a in gone.assertions}
        others = [one for one in self.new if not one.off and None not in (one.steps, gone.steps) and steps <= Counter(one.steps)]
        return any(texts <= {a.text for a in one.assertions if a.strength} for one in others)

    def _gone(self, one: Test, missing: Sequence[Assertion]) -> Iterator[Finding]:
        left = [b for a in missing for b in self.pool[f"of {a.subject}"] if id(b) not in self.taken]
        new = [b for now in self.new if not now.off for b in now.assertions if b.strength and id(b) not in self.taken]
        if missing and all(_nearest(a, left) for a in missing):
            yield from self._removed(one, missing, left)
        elif one.strength > LOOSE or not new:  # one that said next to nothing may give way to any
            yield Finding(HIGH, DELETED, self.files[id(one)], 0, one.name)

    def _weaker(self, one: Test, now: Test, missing: Sequence[Assertion]) -> Iterator[Finding]:
        file = self.files[id(now)]
        if now.maybe and not one.maybe:
            yield Finding(MEDIUM, PERHAPS, file, now.line, now.name, now.maybe)
        if now.patience > one.patience:
            yield Finding(MEDIUM, PATIENCE, file, now.line, f"{one.name}: {one.patience:g}", f"{now.patience:g}")
        if missing and not one.cases * now.cases and one.cases != now.cases and now.strength >= one.strength:
            if one.cases:
                yield Finding(MEDIUM, UNREADABLE, file, now.line, missing[0].text)
            return
        left = [b for b in now.assertions if id(b) not in self.taken]
        lost = [a for a in missing if not _nearest(a, left)]
        only_their_number_tells = not missing and len({a.text for a in one.assertions}) <= len({a.line for a in one.assertions})
        if one.cases > now.cases > 0 and (lost or only_their_number_tells):
            missing = [a for a in missing if a not in lost]
            yield Finding(HIGH, CASES, file, now.line, f"{one.name}: {one.cases} cases", f"{now.cases} cases")
        yield from self._removed(now, missing, left)

    def _removed(self, now: Test, missing: Sequence[Assertion], left: list[Assertion]) -> Iterator[Finding]:
        """One finding for each assertion, and but one where a table repeats it."""
        found: dict[tuple[str, int], Finding] = {}
        called = {text.partition("(")[0] for text in (*(now.steps or ()), *(b.text for b in left))} & self.helpers.keys()
        helped = max((self.helpers[name].strength for name in called), default=NEVER)
        for a in missing:
            near = _nearest(a, left)
            if (not near or (loss(a, near) or ("",))[0] == MEDIUM) and any(
                is_told_otherwise(a, b) or is_renamed(a, b) for b in left
            ):
                continue
            severity, rule = (near and loss(a, near)) or (HIGH, REMOVED)
            other = next((b for b in left if b.strength >= a.strength), None)
            if near is None and (helped >= a.strength or (other and a.strength == LOOSE)):
                continue  # a helper in another file says it now, or it said next to nothing
            if near is None and other:  # something else is asserted, and no less
                near, severity, rule = other, MEDIUM, CHANGED
                left = [b for b in left if b is not near or not b.subject]
            line, after = (near.line, near.text) if near else (now.line, "")
            found.setdefault((rule, a.line), Finding(severity, rule, self.files[id(now)], line, a.text, after))
        yield from found.values()

    def _paired(self, old: Iterable[Test], new: Iterable[Test]) -> dict[int, Test]:
        """For every old test that is still known by its name, by its id: the one that it is now."""
        found: dict[int, Test] = {}
        for key in (lambda one: (self.files[id(one)], one.name), lambda one: one.own_name):
            used = set(map(id, found.values()))
            free = defaultdict(list)
            for one in (one for one in new if id(one) not in used):
                free[key(one)].append(one)
            for one in (one for one in old if id(one) not in found):
                if same := free[key(one)]:
                    found[id(one)] = same.pop(0)
        return found | _resembling([one for one in old if id(one) not in found], new, set(map(id, found.values())))


def _resembling(old: Sequence[Test], new: Iterable[Test], used: set[int]) -> dict[int, Test]:
    """Those that have another name, by what they do and say: the most alike first."""
    free = [one for one in new if id(one) not in used]
    words = {id(one): Counter(WORD.findall(" ".join([one.own_name, *(one.steps or ()), *_texts(one)]))) for one in (*old, *free)}
    alike = []
    for a, b in ((a, b) for a in old for b in free if len(old) * len(free) < MOST_PAIRS):
        share = (words[id(a)] & words[id(b)]).total() / max(1, words[id(a)].total(), words[id(b)].total())
        claims = {one.claim: one for one in a.assertions}.values()
        stands = sum(any(_is_said(one, two) for two in b.assertions) for one in claims)
        mostly = len(claims) > 1 and share * stands / len(claims) >= ALIKE / 3
        alike += [(share + mostly, a, b)] if share >= ALIKE or mostly else []
    found: dict[int, Test] = {}
    for _, a, b in sorted(alike, key=lambda one: -one[0]):
        if id(a) not in found and id(b) not in used:
            found[id(a)] = b
            used.add(id(b))
    return found


def _is_said(one: Assertion, two: Assertion) -> bool:
    return one.claim == two.claim or is_carried(one, two) or is_told_otherwise(one, two)


def _texts(one: Test) -> list[str]:
    return [a.text for a in one.assertions]


def _wholes(a: Assertion, there: Mapping[str, list[Assertion]]) -> Iterator[Assertion]:
    """What is said of that of which the subject is a part."""
    ends = [found.start() for found in re.finditer(r"[.\[]", a.subject)]
    yield from (b for end in ends[-3:] for b in there.get(f"of {a.subject[:end]}", ()))


def _nearest(a: Assertion, left: Iterable[Assertion]) -> Assertion | None:
    """What became of an assertion: the same words that have lost their force, or other words for the same subject."""
    found = [b for b in left if (b.text == a.text or (a.subject and b.subject == a.subject)) and loss(a, b)]
    return min(found, key=lambda b: (b.text != a.text, (loss(a, b) or "")[0] == HIGH, -b.strength), default=None)


def _by_words(assertions: Iterable[Assertion]) -> defaultdict[str, list[Assertion]]:
    found = defaultdict(list)
    for one in assertions:
        for words in _words(one):
            found[words].append(one)
    return found


def _words(one: Assertion) -> dict[str, None]:
    """What it can be found by: all of it, what it says of its subject (unless that is next to nothing), the subject."""
    told = one.claim if len(one.claim) > len("not ·") else one.text
    return dict.fromkeys((one.text, told, f"of {one.subject or one.text}"))


def _marked(before: Mapping[str, Suite], after: Mapping[str, Suite]) -> Iterator[Finding]:
    for field, rule in MARKS.items():
        known = {mark.text for suite in before.values() for mark in getattr(suite, field)}
        for path, suite in after.items():
            for mark in getattr(suite, field):
                if mark.text not in known and (field != "off" or path in before):  # what is new and skipped takes nothing away
                    yield Finding(HIGH, rule, path, mark.line, "", mark.text)
