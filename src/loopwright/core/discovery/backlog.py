"""The backlog of a discovery loop: its values, the events that change it, and what each changes.

Only loops of that kind hold one: this file is imported where a journal names it (see record.LATER).
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
    """What was found and is open, what is done, and how the agent is told to look for more."""

    preset: str = "generic"
    suggestions: tuple[str, ...] = ()
    look_for: str = ""
    guidance: str = ""
    context: str = ""
    task_mode: bool = False  # one item a cycle
    items: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    focus: str = ""
    notes: str = ""  # as the page has them
    added_notes: tuple[str, ...] = ()  # notes by command, that the page is to have
    found_count: int = 0
    fixed_count: int = 0
    mode: str = EXPLORATION
    mode_since: int = 1  # the iteration that began with it
    task_since: int = 1
    changed_since_stop: bool = False  # since the last Stop: not idle
    yield_since_stop: int = 0  # items found or done since the last Stop: not dry
    cycle_completed: bool = False  # a cycle was completed since the last Stop
    recent_sizes: tuple[int, ...] = ()  # open items at the last Stops, newest last

    @property
    def next_item(self) -> str:
        """What is worked on: in task mode the first item, else the focus if there is one."""
        if self.is_exploring:
            return "explore"
        first = self.items[0]
        return first if self.task_mode else self.focus or first

    @property
    def is_exploring(self) -> bool:
        """Also where the last item has gone since the mode was chosen."""
        return not self.items or self.mode == EXPLORATION

    @property
    def tally(self) -> str:
        return f"{self.found_count} found, {self.fixed_count} fixed"

    def has_item(self, text: str) -> bool:
        return item_key(text) in {item_key(item) for item in (*self.items, *self.done)}


def item_text(text: str) -> str:
    """One line of a backlog from whatever was said: no bullet, no box, no comment, no end of line."""
    line = " ".join(
        "".join(letter if letter.isprintable() else " " for letter in text[:2_000]).split()
    )
    while (rest := _without_mark(line)) != line:
        line = rest
    return line.replace("<!--", "< !--").replace("-->", "-- >")[:MAX_TEXT].strip()


def _without_mark(line: str) -> str:
    return next(
        (
            f"{line} ".removeprefix(mark).strip()
            for mark in LIST_MARKS
            if f"{line} ".startswith(mark)
        ),
        line,
    )


def item_key(text: str) -> str:
    """The same item, however it is spaced, capitalised or ended."""
    return " ".join(text.casefold().split()).rstrip(" .")


def unique_items(texts: Iterable[str]) -> tuple[str, ...]:
    """Items from what was said; empty ones are none."""
    return new_items(filter(None, map(item_text, texts)), ())


def new_items(texts: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Those that are not known yet, each once, as it was first spelled."""
    keys, new = {item_key(text) for text in known}, dict[str, str]()
    for text in texts:
        if item_key(text) not in keys:
            new.setdefault(item_key(text), text)
    return tuple(new.values())


def matching_item(text: str, items: tuple[str, ...]) -> str:
    """The item that is meant: the same words, or the only one that holds them all in a row, or that they hold."""
    close = [
        known for known in items if _contains_words(text, known) or _contains_words(known, text)
    ]
    return next(
        (known for known in items if item_key(known) == item_key(text)),
        close[0] if len(close) == 1 else "",
    )


def _contains_words(longer: str, shorter: str) -> bool:
    """Whole words, whatever stands between them."""
    one, other = (
        f" {' '.join(''.join(c if c.isalnum() else ' ' for c in item_key(t)).split())} "
        for t in (longer, shorter)
    )
    return len(other) > 7 and other in one


def items_in_order(items: tuple[str, ...], order: tuple[str, ...]) -> tuple[str, ...]:
    """In the given order; what it does not name comes last, as it was."""
    places = {item_key(text): number for number, text in enumerate(order)}
    return tuple(sorted(items, key=lambda text: places.get(item_key(text), len(places))))


# --- what happens to it ---
