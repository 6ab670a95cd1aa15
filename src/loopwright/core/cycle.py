"""<cycle_complete>: what an agent says at the end of a cycle of improvement, in its last message and outside of quotes."""

from __future__ import annotations

from .backlog import item
from .markers import spoken_lines
from .record import Record

OPEN, CLOSE = "<cycle_complete>", "</cycle_complete>"
WORDS = ("done", "found")
NOTHING = ("", "none", "nothing", "n/a")
MOST = 100


class Cycle(Record):
    done: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


def cycle_in(text: str) -> Cycle | None:
    """The last whole one: `done: a; b` and `found: c`, or either word with a list under it."""
    cycle, inside, word = None, None, ""
    for line in spoken_lines(text):
        if line == OPEN:
            inside, word = Cycle(), ""
        elif line == CLOSE and inside is not None:
            cycle, inside = inside, None
        elif inside is not None:
            name, colon, rest = line.partition(":")
            if colon and name.strip("-* ").lower() in WORDS:
                word, line = name.strip("-* ").lower(), rest
            if word:
                inside = inside.but(**{word: (*getattr(inside, word), *items_in(line))[:MOST]})
    return cycle


def items_in(line: str) -> tuple[str, ...]:
    """The items of one line, divided by semicolons; no more than our own words for one, <item>, are none."""
    said = (item(part) for part in line.split(";"))
    return tuple(text for text in said if text.strip("()-.… ").lower() not in NOTHING and text[0] + text[-1] != "<>")
