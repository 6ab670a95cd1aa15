"""What every event is: a fact in the journal that says what it changes."""

from __future__ import annotations

from .loop import Loop
from .record import Record


class Event(Record, is_kind=False):
    """`apply` alone rebuilds a loop from its journal."""

    def apply(self, loop: Loop) -> Loop:
        """The loop after the event; most events change something."""
        return loop
