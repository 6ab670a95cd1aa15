"""What happens to a backlog: its events, and what each changes."""

from __future__ import annotations

from ..loop import Loop, backlog_of
from ..record import Record
from .backlog import MAX_DONE, MAX_SIZES, REPAIR, item_key, items_in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .backlog import Backlog


class ItemsFound(Record):
    items: tuple[str, ...]


class ItemsDone(Record):
    """As the agent says: that the guards still hold is ours to see."""

    items: tuple[str, ...]


class ItemsDropped(Record):
    """Taken out of the page by hand: neither open nor done any longer."""

    items: tuple[str, ...]


class ItemsReordered(Record):
    """Somebody arranged them in the page: what comes first is done first."""

    items: tuple[str, ...]


class FocusSet(Record):
    text: str


class NotesReplaced(Record):
    text: str


class NoteAdded(Record):
    text: str


class CycleCompleted(Record):
    """<cycle_complete> in the last message."""


class ModeChosen(Record):
    """At every Stop: what the next turn is for. The counts since the last Stop begin anew."""

    mode: str


def _apply_items_found(b: Backlog, e: ItemsFound, iteration: int) -> Backlog:
    keys = {item_key(text) for text in e.items}
    done = tuple(text for text in b.done if item_key(text) not in keys)  # opened again
    b = _with_items(b, (*b.items, *e.items), iteration).but(done=done)
    return b.but(
        found_count=b.found_count + len(e.items), yield_since_stop=b.yield_since_stop + len(e.items)
    )


def _with_items(b: Backlog, items: tuple[str, ...], iteration: int) -> Backlog:
    """Another first item is another task, begun now."""
    return b.but(
        items=items,
        task_since=iteration if items[:1] != b.items[:1] else b.task_since,
        changed_since_stop=True,
    )


def _apply_items_done(b: Backlog, e: ItemsDone, iteration: int) -> Backlog:
    b = _without_items(b, e.items, iteration).but(done=(*b.done, *e.items)[-MAX_DONE:])
    return b.but(
        fixed_count=b.fixed_count + len(e.items), yield_since_stop=b.yield_since_stop + len(e.items)
    )


def _apply_items_dropped(b: Backlog, e: ItemsDropped, iteration: int) -> Backlog:
    keys = {item_key(text) for text in e.items}
    return _without_items(b, e.items, iteration).but(
        done=tuple(text for text in b.done if item_key(text) not in keys)
    )


def _without_items(b: Backlog, gone: tuple[str, ...], iteration: int) -> Backlog:
    keys = {item_key(text) for text in gone}
    left = tuple(text for text in b.items if item_key(text) not in keys)
    return _with_items(b, left, iteration).but(focus="" if item_key(b.focus) in keys else b.focus)


def _apply_items_reordered(b: Backlog, e: ItemsReordered, iteration: int) -> Backlog:
    return _with_items(b, items_in_order(b.items, e.items), iteration)


def _apply_mode_chosen(b: Backlog, e: ModeChosen, iteration: int) -> Backlog:
    since = b.mode_since if e.mode == b.mode else iteration
    sizes = (*b.recent_sizes, len(b.items))[-MAX_SIZES:]
    cycled = b.cycle_completed and e.mode == REPAIR  # it is not forgotten while something is mended
    return b.but(
        mode=e.mode,
        mode_since=since,
        changed_since_stop=False,
        yield_since_stop=0,
        cycle_completed=cycled,
        recent_sizes=sizes,
    )


EVOLUTIONS: dict[str, Callable[[Backlog, Any, int], Backlog]] = {
    "ItemsFound": _apply_items_found,
    "ItemsDone": _apply_items_done,
    "ItemsDropped": _apply_items_dropped,
    "ItemsReordered": _apply_items_reordered,
    "FocusSet": lambda b, e, _: b.but(focus=e.text, changed_since_stop=True),
    "NotesReplaced": lambda b, e, _: b.but(notes=e.text, added_notes=(), changed_since_stop=True),
    "NoteAdded": lambda b, e, _: b.but(
        added_notes=(*b.added_notes, e.text), changed_since_stop=True
    ),
    "CycleCompleted": lambda b, e, _: b.but(cycle_completed=True),
    "ModeChosen": _apply_mode_chosen,
}


def evolve_backlog(loop: Loop, event: Record) -> Loop:
    """The loop after an event of its backlog."""
    changed = EVOLUTIONS[type(event).__name__](backlog_of(loop), event, loop.spend.iterations + 1)
    return loop.but(backlog=changed)
