"""Events of a backlog, and what each changes."""

from __future__ import annotations

from ..event import Event
from ..loop import Loop, backlog_of
from .backlog import MAX_DONE, MAX_SIZES, REPAIR, item_key, items_in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .backlog import Backlog


class BacklogEvent(Event, is_kind=False):
    """An event that changes the backlog."""

    def apply(self, loop: Loop) -> Loop:
        return loop.but(backlog=self.change(backlog_of(loop), loop.spend.iterations + 1))

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        raise NotImplementedError


class ItemsFound(BacklogEvent):
    items: tuple[str, ...]

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        keys = {item_key(text) for text in self.items}
        done = tuple(text for text in backlog.done if item_key(text) not in keys)  # reopened
        count = len(self.items)
        return _with_items(backlog, (*backlog.items, *self.items), iteration).but(
            done=done,
            found_count=backlog.found_count + count,
            yield_since_stop=backlog.yield_since_stop + count,
        )


class ItemsDone(BacklogEvent):
    """The agent reports these items as done. Loopwright runs the guards itself."""

    items: tuple[str, ...]

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        count = len(self.items)
        return _without_items(backlog, self.items, iteration).but(
            done=(*backlog.done, *self.items)[-MAX_DONE:],
            fixed_count=backlog.fixed_count + count,
            yield_since_stop=backlog.yield_since_stop + count,
        )


class ItemsDropped(BacklogEvent):
    """Items removed from the page by hand. They are neither open nor done."""

    items: tuple[str, ...]

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        keys = {item_key(text) for text in self.items}
        return _without_items(backlog, self.items, iteration).but(
            done=tuple(text for text in backlog.done if item_key(text) not in keys)
        )


class ItemsReordered(BacklogEvent):
    """A person reordered the items in the page. The first one is done first."""

    items: tuple[str, ...]

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        return _with_items(backlog, items_in_order(backlog.items, self.items), iteration)


class FocusSet(BacklogEvent):
    text: str

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        return backlog.but(focus=self.text, changed_since_stop=True)


class NotesReplaced(BacklogEvent):
    text: str

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        return backlog.but(notes=self.text, added_notes=(), changed_since_stop=True)


class NoteAdded(BacklogEvent):
    text: str

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        return backlog.but(added_notes=(*backlog.added_notes, self.text), changed_since_stop=True)


class CycleCompleted(BacklogEvent):
    """The last message had <cycle_complete>."""

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        return backlog.but(cycle_completed=True)


class ModeChosen(BacklogEvent):
    """What the next turn is for, decided at each Stop. The counts since the last Stop are reset."""

    mode: str

    def change(self, backlog: Backlog, iteration: int) -> Backlog:
        since = backlog.mode_since if self.mode == backlog.mode else iteration
        sizes = (*backlog.recent_sizes, len(backlog.items))[-MAX_SIZES:]
        cycled = backlog.cycle_completed and self.mode == REPAIR  # kept until the repair is over
        return backlog.but(
            mode=self.mode,
            mode_since=since,
            changed_since_stop=False,
            yield_since_stop=0,
            cycle_completed=cycled,
            recent_sizes=sizes,
        )


def _with_items(b: Backlog, items: tuple[str, ...], iteration: int) -> Backlog:
    """A new first item is a new task that starts now."""
    same_task = items[:1] == b.items[:1]
    return b.but(
        items=items,
        task_since=b.task_since if same_task else iteration,
        changed_since_stop=True,
    )


def _without_items(b: Backlog, gone: tuple[str, ...], iteration: int) -> Backlog:
    keys = {item_key(text) for text in gone}
    remaining = tuple(text for text in b.items if item_key(text) not in keys)
    focus = "" if item_key(b.focus) in keys else b.focus
    return _with_items(b, remaining, iteration).but(focus=focus)
