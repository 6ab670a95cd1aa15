"""The backlog of a discovery loop: its values, the events that change it, and what each changes.

Only loops of that kind hold one: this file is imported where a journal names it (see record.LATER).
"""

from __future__ import annotations

from .loop import Limits, Loop
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LIMITS = Limits(iterations=50, minutes=480, idle=5)
EXPLORATION, EXPLOITATION, REPAIR = "exploration", "exploitation", "repair"
MOST_ITEMS, MOST_DONE, MOST_TEXT = 500, 1_000, 300
MOST_SIZES = 60


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
        first = self.items[0] if self.items else ""
        return (first if self.task_mode else self.focus or first) or "explore"

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
    for mark in ("- ", "* ", "+ ", "[ ] ", "[x] ", "[X] "):
        line = f"{line} ".removeprefix(mark).strip()
    return line.replace("<!--", "< !--")[:MOST_TEXT].strip()


def key(text: str) -> str:
    """The same item, however it is spaced, capitalised or ended."""
    return " ".join(text.casefold().split()).rstrip(" .")


def match(text: str, items: tuple[str, ...]) -> str:
    """The item that is meant: the same words, or the only one that holds them or that they hold."""
    wanted = key(text)
    close = [known for known in items if wanted and len(wanted) > 5 and (wanted in key(known) or key(known) in wanted)]
    return next((known for known in items if key(known) == wanted), close[0] if len(close) == 1 else "")


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


def _found(b: Backlog, e: ItemsFound) -> Backlog:
    keys = {key(text) for text in e.items}
    done = tuple(text for text in b.done if key(text) not in keys)  # opened again
    new = len(e.items)
    return b.but(items=(*b.items, *e.items), done=done, found=b.found + new, yields=b.yields + new, touched=True)


def _done(b: Backlog, e: ItemsDone, iteration: int) -> Backlog:
    keys = {key(text) for text in e.items}
    left = tuple(text for text in b.items if key(text) not in keys)
    since = iteration if b.items[:1] != left[:1] else b.task_since
    focus = "" if key(b.focus) in keys else b.focus
    b = b.but(items=left, done=(*b.done, *e.items), focus=focus, task_since=since, touched=True)
    return b.but(fixed=b.fixed + len(e.items), yields=b.yields + len(e.items))


def _dropped(b: Backlog, e: ItemsDropped) -> Backlog:
    keys = {key(text) for text in e.items}
    items, done = (tuple(text for text in texts if key(text) not in keys) for texts in (b.items, b.done))
    return b.but(items=items, done=done, touched=True)


def _ordered(b: Backlog, e: ItemsOrdered, iteration: int) -> Backlog:
    items = arranged(b.items, e.items)
    return b.but(items=items, task_since=iteration if items[:1] != b.items[:1] else b.task_since, touched=True)


def _chosen(b: Backlog, e: ModeChosen, iteration: int) -> Backlog:
    since = b.mode_since if e.mode == b.mode else iteration
    sizes = (*b.sizes, len(b.items))[-MOST_SIZES:]
    return b.but(mode=e.mode, mode_since=since, touched=False, yields=0, cycled=False, sizes=sizes)


CHANGES: dict[str, Callable[[Backlog, Any, int], Backlog]] = {
    "ItemsFound": lambda b, e, _: _found(b, e),
    "ItemsDone": _done,
    "ItemsDropped": lambda b, e, _: _dropped(b, e),
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
