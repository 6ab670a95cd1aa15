"""One replacement in a text, by which a mutant differs from the file."""

from __future__ import annotations

from ..core.record import Record


class Edit(Record):
    operator: str
    line: int
    start: int  # characters of the text
    end: int
    new: str
