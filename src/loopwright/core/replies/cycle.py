"""<cycle_complete>: what an agent says at the end of a cycle of improvement, in its last message and outside of quotes."""

from __future__ import annotations

from ..discovery.backlog import item_text
from ..record import Record
from .markers import unquoted_lines

CYCLE_OPEN, CYCLE_CLOSE = "<cycle_complete>", "</cycle_complete>"
LIST_NAMES = ("done", "found")
EMPTY_WORDS = ("", "none", "nothing", "n/a")
MAX_ITEMS = 100


class CycleReport(Record):
    done: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


def cycle_in(text: str) -> CycleReport | None:
    """The last whole one: `done: a; b` and `found: c`, or either word with a list under it."""
    cycle, inside, word = None, None, ""
    for line in unquoted_lines(text):
        if line == CYCLE_OPEN:
            inside, word = CycleReport(), ""
        elif line == CYCLE_CLOSE and inside is not None:
            cycle, inside = inside, None
        elif inside is not None:
            name, colon, rest = line.partition(":")
            if colon and name.strip("-* ").lower() in LIST_NAMES:
                word, line = name.strip("-* ").lower(), rest
            if word:
                inside = inside.but(**{word: (*getattr(inside, word), *items_in(line))[:MAX_ITEMS]})
    return cycle


def items_in(line: str) -> tuple[str, ...]:
    """The items of one line, divided by semicolons; no more than our own words for one, <item>, are none."""
    said = (item_text(part) for part in line.split(";"))
    return tuple(
        text
        for text in said
        if text.strip("()-.… ").lower() not in EMPTY_WORDS and text[0] + text[-1] != "<>"
    )
