"""The backlog of a discovery loop, and the comparison of its items.

Only discovery loops import this file (see record.KINDS_BY_MODULE).
"""

from __future__ import annotations

from ..limits import Limits
from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DISCOVERY_LIMITS = Limits(iterations=50, minutes=480, idle=5)
EXPLORATION, EXPLOITATION, REPAIR = "exploration", "exploitation", "repair"
MAX_ITEMS, MAX_DONE, MAX_TEXT = 500, 1_000, 300
MAX_SIZES = 60
LIST_MARKS = ("- ", "* ", "+ ", "[ ] ", "[x] ", "[X] ")


class Backlog(Record):
    """The open and finished items, and the instructions for finding more."""

    preset: str = "generic"
    suggestions: tuple[str, ...] = ()
    look_for: str = ""
    guidance: str = ""
    context: str = ""
    task_mode: bool = False  # one item per cycle
    items: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    focus: str = ""
    notes: str = ""  # the notes of the page
    added_notes: tuple[str, ...] = ()  # notes by command that are still to be added to the page
    found_count: int = 0
    fixed_count: int = 0
    mode: str = EXPLORATION
    mode_since: int = 1  # the iteration that started with this mode
    task_since: int = 1
    changed_since_stop: bool = False  # if so, the turn is not idle
    yield_since_stop: int = 0  # items found or done; with any, the turn is not dry
    cycle_completed: bool = False  # since the last Stop
    recent_sizes: tuple[int, ...] = ()  # number of open items at the last Stops, newest last

    @property
    def next_item(self) -> str:
        """The current work: in task mode the first item, else the focus if there is one."""
        if self.is_exploring:
            return "explore"
        first = self.items[0]
        return first if self.task_mode else self.focus or first

    @property
    def is_exploring(self) -> bool:
        """Is the agent exploring? Also if the last item was removed since the mode was chosen."""
        return not self.items or self.mode == EXPLORATION

    @property
    def tally(self) -> str:
        return f"{self.found_count} found, {self.fixed_count} fixed"

    def has_item(self, text: str) -> bool:
        return item_key(text) in {item_key(item) for item in (*self.items, *self.done)}


def item_text(text: str) -> str:
    """The text as one line of the backlog, without bullets, boxes, comments and line ends."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text[:2_000])
    line = " ".join(printable.split())
    while (rest := _without_mark(line)) != line:
        line = rest
    return line.replace("<!--", "< !--").replace("-->", "-- >")[:MAX_TEXT].strip()


def _without_mark(line: str) -> str:
    padded = f"{line} "  # a line that is only a mark has lost the blank behind it
    for mark in LIST_MARKS:
        if padded.startswith(mark):
            return padded.removeprefix(mark).strip()
    return line


def item_key(text: str) -> str:
    """The key of an item: the same for any spacing, capitals and full stop."""
    return " ".join(text.casefold().split()).rstrip(" .")


def unique_items(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts as items, each once and without empty ones."""
    return new_items(filter(None, map(item_text, texts)), ())


def new_items(texts: Iterable[str], present: Iterable[str]) -> tuple[str, ...]:
    """The texts that are not present yet, each once and in its first spelling."""
    present_keys = set(map(item_key, present))
    new: dict[str, str] = {}
    for text in texts:
        key = item_key(text)
        if key not in present_keys:
            new.setdefault(key, text)
    return tuple(new.values())


def matching_item(text: str, items: tuple[str, ...]) -> str:
    """The item that the text means: an equal one, or the only one that overlaps with it."""
    for item in items:
        if item_key(item) == item_key(text):
            return item
    close = [item for item in items if _contains_words(text, item) or _contains_words(item, text)]
    return close[0] if len(close) == 1 else ""


def _contains_words(longer: str, shorter: str) -> bool:
    """Does the longer text contain all words of the shorter one in a row?"""
    words = _spaced_words(shorter)
    return len(words) > 7 and words in _spaced_words(longer)


def _spaced_words(text: str) -> str:
    """The words of an item, with one blank before and after each."""
    letters = (letter if letter.isalnum() else " " for letter in item_key(text))
    return f" {' '.join(''.join(letters).split())} "


def items_in_order(items: tuple[str, ...], order: tuple[str, ...]) -> tuple[str, ...]:
    """The items in this order. Those that it does not name come last, in their old order."""
    ranks = {item_key(text): rank for rank, text in enumerate(order)}
    return tuple(sorted(items, key=lambda text: ranks.get(item_key(text), len(ranks))))
