"""Events of a backlog, and what each changes."""

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
    """The agent reports these items as done. Loopwright runs the guards itself."""

    items: tuple[str, ...]


class ItemsDropped(Record):
    """Items removed from the page by hand. They are neither open nor done."""

    items: tuple[str, ...]


class ItemsReordered(Record):
    """A person reordered the items in the page. The first one is done first."""

    items: tuple[str, ...]


class FocusSet(Record):
    text: str


class NotesReplaced(Record):
    text: str


class NoteAdded(Record):
    text: str


class CycleCompleted(Record):
    """The last message had <cycle_complete>."""


class ModeChosen(Record):
    """What the next turn is for, decided at each Stop. The counts since the last Stop are reset."""

    mode: str


def _apply_items_found(b: Backlog, e: ItemsFound, iteration: int) -> Backlog:
    keys = {item_key(text) for text in e.items}
    done = tuple(text for text in b.done if item_key(text) not in keys)  # reopened
    b = _with_items(b, (*b.items, *e.items), iteration).but(done=done)
    count = len(e.items)
    return b.but(found_count=b.found_count + count, yield_since_stop=b.yield_since_stop + count)


def _with_items(b: Backlog, items: tuple[str, ...], iteration: int) -> Backlog:
    """A new first item is a new task that starts now."""
    same_task = items[:1] == b.items[:1]
    return b.but(
        items=items,
        task_since=b.task_since if same_task else iteration,
        changed_since_stop=True,
    )


def _apply_items_done(b: Backlog, e: ItemsDone, iteration: int) -> Backlog:
    b = _without_items(b, e.items, iteration).but(done=(*b.done, *e.items)[-MAX_DONE:])
    count = len(e.items)
    return b.but(fixed_count=b.fixed_count + count, yield_since_stop=b.yield_since_stop + count)


def _apply_items_dropped(b: Backlog, e: ItemsDropped, iteration: int) -> Backlog:
    keys = {item_key(text) for text in e.items}
    return _without_items(b, e.items, iteration).but(
        done=tuple(text for text in b.done if item_key(text) not in keys)
    )


def _without_items(b: Backlog, gone: tuple[str, ...], iteration: int) -> Backlog:
    keys = {item_key(text) for text in gone}
    remaining = tuple(text for text in b.items if item_key(text) not in keys)
    focus = "" if item_key(b.focus) in keys else b.focus
    return _with_items(b, remaining, iteration).but(focus=focus)


def _apply_items_reordered(b: Backlog, e: ItemsReordered, iteration: int) -> Backlog:
    return _with_items(b, items_in_order(b.items, e.items), iteration)


def _apply_mode_chosen(b: Backlog, e: ModeChosen, iteration: int) -> Backlog:
    since = b.mode_since if e.mode == b.mode else iteration
    sizes = (*b.recent_sizes, len(b.items))[-MAX_SIZES:]
    cycled = b.cycle_completed and e.mode == REPAIR  # kept until the repair is over
    return b.but(
        mode=e.mode,
        mode_since=since,
        changed_since_stop=False,
        yield_since_stop=0,
        cycle_completed=cycled,
        recent_sizes=sizes,
    )


BACKLOG_CHANGES: dict[str, Callable[[Backlog, Any, int], Backlog]] = {
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


def _evolve_backlog(loop: Loop, event: Record) -> Loop:
    change = BACKLOG_CHANGES[type(event).__name__]
    return loop.but(backlog=change(backlog_of(loop), event, loop.spend.iterations + 1))


EVOLUTIONS = dict.fromkeys(BACKLOG_CHANGES, _evolve_backlog)
