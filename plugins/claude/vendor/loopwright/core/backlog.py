"""The backlog of a discovery loop: its values, the events that change it, and what each changes.

Only loops of that kind hold one: this file is imported where a journal names it (see record.LATER).
"""

from __future__ import annotations

from .loop import Limits, Loop
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

LIMITS = Limits(iterations=50, minutes=480, idle=5)
EXPLORATION, EXPLOITATION, REPAIR = "exploration", "exploitation", "repair"
MOST_ITEMS, MOST_DONE, MOST_TEXT = 500, 1_000, 300
MOST_SIZES = 60
MARKS = ("- ", "* ", "+ ", "[ ] ", "[x] ", "[X] ")


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
    jotted: tuple[str, ...] = ()  # notes by command, that the page is to have
    found: int = 0
    fixed: int = 0
    mode: str = EXPLORATION
    mode_since: int = 1  # the iteration that began with it
    task_since: int = 1
    touched: bool = False  # since the last Stop: not idle
    yields: int = 0  # items found or done since the last Stop: not dry
    cycled: bool = False  # a cycle was completed since the last Stop
    sizes: tuple[int, ...] = ()  # open items at the last Stops, newest last

    @property
    def next_item(self) -> str:
        """What is worked on: in task mode the first item, else the focus if there is one."""
        if self.exploring:
            return "explore"
        first = self.items[0]
        return first if self.task_mode else self.focus or first

    @property
    def exploring(self) -> bool:
        """Also where the last item has gone since the mode was chosen."""
        return not self.items or self.mode == EXPLORATION

    @property
    def tally(self) -> str:
        return f"{self.found} found, {self.fixed} fixed"

    def known(self, text: str) -> bool:
        return key(text) in {key(item) for item in (*self.items, *self.done)}


def backlog_of(loop: Loop) -> Backlog:
    assert loop.backlog is not None, "BUG: a discovery loop has a backlog, and no other has"
    return loop.backlog


def item(text: str) -> str:
    """One line of a backlog from whatever was said: no bullet, no box, no comment, no end of line."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text[:2_000]).split())
    while (rest := _unmarked(line)) != line:
        line = rest
    return line.replace("<!--", "< !--").replace("-->", "-- >")[:MOST_TEXT].strip()


def _unmarked(line: str) -> str:
    return next((f"{line} ".removeprefix(mark).strip() for mark in MARKS if f"{line} ".startswith(mark)), line)


def key(text: str) -> str:
    """The same item, however it is spaced, capitalised or ended."""
    return " ".join(text.casefold().split()).rstrip(" .")


def unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Items from what was said; empty ones are none."""
    return beyond(filter(None, map(item, texts)), ())


def beyond(texts: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Those that are not known yet, each once, as it was first spelled."""
    keys, new = {key(text) for text in known}, dict[str, str]()
    for text in texts:
        if key(text) not in keys:
            new.setdefault(key(text), text)
    return tuple(new.values())


def match(text: str, items: tuple[str, ...]) -> str:
    """The item that is meant: the same words, or the only one that holds them all in a row, or that they hold."""
    close = [known for known in items if _holds(text, known) or _holds(known, text)]
    return next((known for known in items if key(known) == key(text)), close[0] if len(close) == 1 else "")


def _holds(longer: str, shorter: str) -> bool:
    """Whole words, whatever stands between them."""
    one, other = (f" {' '.join(''.join(c if c.isalnum() else ' ' for c in key(t)).split())} " for t in (longer, shorter))
    return len(other) > 7 and other in one


def arranged(items: tuple[str, ...], order: tuple[str, ...]) -> tuple[str, ...]:
    """In the given order; what it does not name comes last, as it was."""
    places = {key(text): number for number, text in enumerate(order)}
    return tuple(sorted(items, key=lambda text: places.get(key(text), len(places))))


# --- what happens to it ---


class ItemsFound(Record):
    items: tuple[str, ...]


class ItemsDone(Record):
    """As the agent says: that the guards still hold is ours to see."""

    items: tuple[str, ...]


class ItemsDropped(Record):
    """Taken out of the page by hand: neither open nor done any longer."""

    items: tuple[str, ...]


class ItemsOrdered(Record):
    """Somebody arranged them in the page: what comes first is done first."""

    items: tuple[str, ...]


class FocusSet(Record):
    text: str


class NotesKept(Record):
    text: str


class NoteAdded(Record):
    text: str


class CycleCompleted(Record):
    """<cycle_complete> in the last message."""


class ModeChosen(Record):
    """At every Stop: what the next turn is for. The counts since the last Stop begin anew."""

    mode: str


def _found(b: Backlog, e: ItemsFound, iteration: int) -> Backlog:
    keys = {key(text) for text in e.items}
    done = tuple(text for text in b.done if key(text) not in keys)  # opened again
    b = _with_items(b, (*b.items, *e.items), iteration).but(done=done)
    return b.but(found=b.found + len(e.items), yields=b.yields + len(e.items))


def _with_items(b: Backlog, items: tuple[str, ...], iteration: int) -> Backlog:
    """Another first item is another task, begun now."""
    return b.but(items=items, task_since=iteration if items[:1] != b.items[:1] else b.task_since, touched=True)


def _done(b: Backlog, e: ItemsDone, iteration: int) -> Backlog:
    b = _without(b, e.items, iteration).but(done=(*b.done, *e.items)[-MOST_DONE:])
    return b.but(fixed=b.fixed + len(e.items), yields=b.yields + len(e.items))


def _dropped(b: Backlog, e: ItemsDropped, iteration: int) -> Backlog:
    keys = {key(text) for text in e.items}
    return _without(b, e.items, iteration).but(done=tuple(text for text in b.done if key(text) not in keys))


def _without(b: Backlog, gone: tuple[str, ...], iteration: int) -> Backlog:
    keys = {key(text) for text in gone}
    left = tuple(text for text in b.items if key(text) not in keys)
    return _with_items(b, left, iteration).but(focus="" if key(b.focus) in keys else b.focus)


def _ordered(b: Backlog, e: ItemsOrdered, iteration: int) -> Backlog:
    return _with_items(b, arranged(b.items, e.items), iteration)


def _chosen(b: Backlog, e: ModeChosen, iteration: int) -> Backlog:
    since = b.mode_since if e.mode == b.mode else iteration
    sizes = (*b.sizes, len(b.items))[-MOST_SIZES:]
    cycled = b.cycled and e.mode == REPAIR  # it is not forgotten while something is mended
    return b.but(mode=e.mode, mode_since=since, touched=False, yields=0, cycled=cycled, sizes=sizes)


CHANGES: dict[str, Callable[[Backlog, Any, int], Backlog]] = {
    "ItemsFound": _found,
    "ItemsDone": _done,
    "ItemsDropped": _dropped,
    "ItemsOrdered": _ordered,
    "FocusSet": lambda b, e, _: b.but(focus=e.text, touched=True),
    "NotesKept": lambda b, e, _: b.but(notes=e.text, jotted=(), touched=True),
    "NoteAdded": lambda b, e, _: b.but(jotted=(*b.jotted, e.text), touched=True),
    "CycleCompleted": lambda b, e, _: b.but(cycled=True),
    "ModeChosen": _chosen,
}


def evolve(loop: Loop, event: Record) -> Loop:
    """The loop after an event of its backlog."""
    changed = CHANGES[type(event).__name__](backlog_of(loop), event, loop.spend.iterations + 1)
    return loop.but(backlog=changed)
