"""Finds the assertions that could replace another one, without comparing every pair."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ..readers.suite import Assertion

SHORTEST_PREDICATE = len("not ·")
MAX_WHOLES = 3  # of `a.b.c.d`, we look at assertions about `a.b.c`, `a.b` and `a`


class AssertionIndex:
    """Assertions by their text, by their predicate and by their subject."""

    def __init__(self, assertions: Iterable[Assertion]) -> None:
        self._by_key: dict[str, list[Assertion]] = defaultdict(list)
        for assertion in assertions:
            for key in _keys(assertion):
                self._by_key[key].append(assertion)

    def with_key(self, key: str) -> list[Assertion]:
        return self._by_key.get(key, [])

    def with_subject_of(self, assertion: Assertion) -> list[Assertion]:
        return self.with_key(f"of {assertion.subject}")

    def candidates(self, assertion: Assertion) -> Iterator[Assertion]:
        """Those with the same text, then the same predicate, then the same subject."""
        for key in _keys(assertion):
            yield from self.with_key(key)

    def with_same_predicate(self, assertion: Assertion) -> Iterator[Assertion]:
        """Those with the same text, then the same predicate."""
        yield from self.with_key(assertion.text)
        predicate = assertion.predicate
        if predicate != assertion.text and len(predicate) > SHORTEST_PREDICATE:
            yield from self.with_key(predicate)

    def about_whole_of(self, assertion: Assertion) -> Iterator[Assertion]:
        """Assertions about an object that the subject is a part of."""
        ends = [match.start() for match in re.finditer(r"[.\[]", assertion.subject)]
        for end in ends[-MAX_WHOLES:]:
            yield from self.with_key(f"of {assertion.subject[:end]}")


def _keys(assertion: Assertion) -> dict[str, None]:
    """Text, predicate (unless it is next to nothing) and subject, in this order, each once."""
    has_predicate = len(assertion.predicate) > SHORTEST_PREDICATE
    predicate = assertion.predicate if has_predicate else assertion.text
    subject = assertion.subject or assertion.text
    return dict.fromkeys((assertion.text, predicate, f"of {subject}"))
