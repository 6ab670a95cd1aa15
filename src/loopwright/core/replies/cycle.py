"""<cycle_complete>: read what an agent reports at the end of a cycle of improvement."""

from __future__ import annotations

from ..discovery.backlog import item_text
from ..record import Record
from .markers import last_block, unquoted_lines

CYCLE_OPEN, CYCLE_CLOSE = "<cycle_complete>", "</cycle_complete>"
LIST_NAMES = ("done", "found")
EMPTY_WORDS = ("", "none", "nothing", "n/a")
MAX_ITEMS = 100


class CycleReport(Record):
    """The items that a cycle finished and found."""

    done: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


def cycle_in(text: str) -> CycleReport | None:
    """The last complete report: `done: a; b` and `found: c`, or each word with a list below it."""
    block = last_block(unquoted_lines(text), CYCLE_OPEN, CYCLE_CLOSE)
    return None if block is None else _cycle_in_block(block)


def _cycle_in_block(block: list[str]) -> CycleReport:
    lists: dict[str, list[str]] = {name: [] for name in LIST_NAMES}
    current = ""
    for line in block:
        word, colon, rest = line.partition(":")
        name = word.strip("-* ").lower()
        if colon and name in LIST_NAMES:
            current, line = name, rest
        if current:
            lists[current] += items_in(line)
    return CycleReport(tuple(lists["done"][:MAX_ITEMS]), tuple(lists["found"][:MAX_ITEMS]))


def items_in(line: str) -> tuple[str, ...]:
    """The items of one line, divided by semicolons."""
    return tuple(filter(_is_item, map(item_text, line.split(";"))))


def _is_item(text: str) -> bool:
    """Does the text name an item? "none" and our own placeholder <item> do not."""
    if text.strip("()-.… ").lower() in EMPTY_WORDS:
        return False
    return text[0] + text[-1] != "<>"
