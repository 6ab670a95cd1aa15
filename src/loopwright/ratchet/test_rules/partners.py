"""Pairs the tests of the baseline with those of now: by name, then by what they do and assert."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from ... import lazy_re as re
from ..readers.suite import Assertion, Test
from .assertions import is_contained_in, is_reworded

WORD = re.compile(r"\w+")
MIN_SIMILARITY = 0.5
MAX_PAIRS = 40_000  # of tests that are compared word by word


def pair_tests(
    old: Sequence[Test], new: Sequence[Test], path_by_id: Mapping[int, str]
) -> dict[int, Test]:
    """The partner of every old test that has one, by the id of the old test."""
    partners: dict[int, Test] = {}
    _pair_by_name(old, new, partners, lambda test: (path_by_id[id(test)], test.name))
    _pair_by_name(old, new, partners, lambda test: (_base_name(path_by_id[id(test)]), test.name))
    _pair_by_name(old, new, partners, lambda test: test.own_name)
    _pair_by_name(old, new, partners, lambda test: (path_by_id[id(test)], _plain_name(test)))
    _pair_similar_tests(old, new, partners)
    return partners


def _pair_by_name(
    old: Sequence[Test],
    new: Sequence[Test],
    partners: dict[int, Test],
    name_of: Callable[[Test], object],
) -> None:
    free: dict[object, list[Test]] = defaultdict(list)
    for test in _without_partner(new, partners):
        free[name_of(test)].append(test)
    for test in old:
        if id(test) not in partners and free[name_of(test)]:
            partners[id(test)] = free[name_of(test)].pop(0)


def _base_name(path: str) -> str:
    """The name of a file, which it keeps when its folder is renamed."""
    return path.rpartition("/")[2]


def _plain_name(test: Test) -> str:
    """`defaultSerializer` and `test_default_serializers` are one name."""
    name = "".join(WORD.findall(test.own_name)).replace("_", "").lower()
    return name.removeprefix("test").removesuffix("test").removesuffix("s")


def _without_partner(new: Sequence[Test], partners: Mapping[int, Test]) -> list[Test]:
    used = set(map(id, partners.values()))
    return [test for test in new if id(test) not in used]


def _pair_similar_tests(
    old: Sequence[Test], new: Sequence[Test], partners: dict[int, Test]
) -> None:
    """Pairs tests that were renamed, the most similar first."""
    renamed = [test for test in old if id(test) not in partners]
    free = _without_partner(new, partners)
    if len(renamed) * len(free) >= MAX_PAIRS:
        return
    words = {id(test): _words_of(test) for test in (*renamed, *free)}
    scored = []
    for before in renamed:
        for after in free:
            score = _similarity(before, after, words)
            if score:
                scored.append((score, before, after))
    used: set[int] = set()
    for _, before, after in sorted(scored, key=lambda row: -row[0]):
        if id(before) not in partners and id(after) not in used:
            partners[id(before)] = after
            used.add(id(after))


def _words_of(test: Test) -> Counter[str]:
    texts = [test.own_name, *(test.steps or ()), *(a.text for a in test.assertions)]
    return Counter(WORD.findall(" ".join(texts)))


def _similarity(old: Test, new: Test, words: Mapping[int, Counter[str]]) -> float:
    """The share of common words, plus one if most assertions are kept; 0: they are different."""
    old_words, new_words = words[id(old)], words[id(new)]
    longest = max(1, old_words.total(), new_words.total())
    share = (old_words & new_words).total() / longest
    claims = {assertion.predicate: assertion for assertion in old.assertions}.values()
    equal = sum(_has_equivalent(claim, new) for claim in claims)
    keeps_most = len(claims) > 1 and share * equal / len(claims) >= MIN_SIMILARITY / 3
    if share < MIN_SIMILARITY and not keeps_most:
        return 0.0
    return share + keeps_most


def _has_equivalent(old: Assertion, test: Test) -> bool:
    return any(_is_equivalent(old, new) for new in test.assertions)


def _is_equivalent(old: Assertion, new: Assertion) -> bool:
    return old.predicate == new.predicate or is_contained_in(old, new) or is_reworded(old, new)
