"""The signal that the backlog of a discovery loop was edited."""

from __future__ import annotations

from ..record import Record


class BacklogEdited(Record):
    """`loop backlog`, or an edit of the page: items found, done or removed, focus and notes."""

    at: float
    found: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    item_order: tuple[str, ...] = ()  # the open items in the order of the page
    focus: str | None = None
    notes: str | None = None  # all notes of the page
    new_note: str = ""  # a note to add
    notes_on_page: tuple[str, ...] = ()  # notes by command that the page already had
    tampered_fields: tuple[str, ...] = ()
