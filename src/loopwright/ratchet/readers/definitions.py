"""The functions, types and constants of a source file, in every language, and which changed.

Python is read by its own parser. Other languages, and what it cannot read, are read by their text
(definition_heads.py).
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from ... import lazy_re as re
from ...repo.parsed_files import CLEAR_CACHES
from ...repo.sources import PYTHON_ENDINGS
from .definition_heads import places_in_text
from .definition_nodes import places_in_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .definition_heads import Place

FUNCTION, METHOD, CLASS, CONSTANT = "function", "method", "class", "constant"
MARK_ABOVE = re.compile(r"\s*(?:@\w|#!?\[|\[\w)")  # a decorator, an annotation, an attribute
WORDS_BEFORE = re.compile(r"[^{};\n]*")  # such as `export const`, in the line of a definition
MAX_WORDS_BEFORE = 80  # letters
MAX_MARKS_ABOVE = 20  # lines
MAX_DEPTH = 12  # definitions inside of each other
Pair = tuple["Definition | None", "Definition | None"]


class Definition(NamedTuple):
    name: str
    kind: str  # function, method, class or constant
    owner: str  # the type or the object that it belongs to; "" without one
    first: int  # the number of its first line, with the decorators above it
    last: int
    text: str

    @property
    def key(self) -> tuple[str, str]:
        return self.owner, self.name

    @property
    def head(self) -> str:
        """Its first line without the decorators above it."""
        lines = self.text.splitlines()
        return next((line for line in lines if not MARK_ABOVE.match(line)), lines[0]).strip()


def changed_definitions(path: str, before: str | None, after: str | None) -> Iterator[Pair]:
    """Each definition whose text is not the same on both sides. None: it came, or it is gone."""
    old, new = (_by_key(definitions(path, text or "")) for text in (before, after))
    for key in {**old, **new}:
        was, now = old.get(key, []), new.get(key, [])
        yield from _pairs([*was], [*now])


def _by_key(found: Iterable[Definition]) -> dict[tuple[str, str], list[Definition]]:
    named: dict[tuple[str, str], list[Definition]] = {}
    for definition in found:
        named.setdefault(definition.key, []).append(definition)
    return named


def _pairs(old: list[Definition], new: list[Definition]) -> Iterator[Pair]:
    """Pairs those of one name: overloads, and the blocks of a type of Rust or Ruby."""
    texts = {each.text for each in old} & {each.text for each in new}
    old = [each for each in old if each.text not in texts]
    new = [each for each in new if each.text not in texts]
    heads = {each.head: each for each in reversed(old)}
    paired = [(heads.pop(each.head, None), each) for each in new]
    taken = {id(was) for was, _ in paired}
    left = iter([each for each in old if id(each) not in taken])
    for was, now in paired:
        yield was or next(left, None), now
    for gone in left:
        yield gone, None


@lru_cache(maxsize=400)  # both sides of 200 changed files
def definitions(path: str, text: str) -> tuple[Definition, ...]:
    """In the order of the file. Local variables are none; a broken text has those that it shows."""
    places = places_in_python(text) if path.endswith(PYTHON_ENDINGS) else None
    return tuple(assemble(places_in_text(path, text) if places is None else places, text))


CLEAR_CACHES.append(definitions.cache_clear)


def assemble(places: Iterable[Place], text: str) -> Iterator[Definition]:
    """Finds the owner of each place by what is around it, and its lines."""
    line_ends = [match.start() for match in re.finditer("\n", text)]
    around: list[Place] = []
    for place in sorted(places, key=lambda place: (place.start, -place.end)):
        while around and not _is_inside(place, around[-1]):
            around.pop()
        if len(around) >= MAX_DEPTH:
            continue
        above = around[-1] if around else None
        if place.kind == CONSTANT and above and above.kind == FUNCTION:
            continue  # a local variable
        around.append(place)
        owner = next((each.name for each in reversed(around[:-1]) if each.kind != FUNCTION), "")
        is_method = bool(place.owner) or (above is not None and above.kind != FUNCTION)
        kind = METHOD if place.kind == FUNCTION and is_method else place.kind
        start = _beginning(text, place.start, line_ends)
        yield Definition(
            name=place.name,
            kind=kind,
            owner=place.owner or owner,
            first=bisect_right(line_ends, start - 1) + 1,
            last=bisect_right(line_ends, place.end - 1) + 1,
            text=text[start : place.end],
        )


def _is_inside(place: Place, other: Place) -> bool:
    is_same = (place.start, place.end) == (other.start, other.end)  # `first = second = 0`
    return place.start < other.end and not is_same


def _beginning(text: str, start: int, line_ends: list[int]) -> int:
    """Where it begins, with the words before it and the marks in the lines above."""
    number = bisect_right(line_ends, start - 1)  # of the line, from 0
    begin = line_ends[number - 1] + 1 if number else 0
    is_near = start - begin <= MAX_WORDS_BEFORE
    if not is_near or not WORDS_BEFORE.fullmatch(text, begin, start):
        return start
    for above in range(number - 1, max(-1, number - 1 - MAX_MARKS_ABOVE), -1):
        line_begin = line_ends[above - 1] + 1 if above else 0
        if not MARK_ABOVE.match(text, line_begin, line_ends[above]):
            break
        begin = line_begin
    return begin
