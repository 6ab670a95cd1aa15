"""Read a journal in slices, forwards and backwards, each of bounded size.

A position is the offset of a byte at which a line begins. It stays valid for the life of a journal:
lines are only appended, and the archive keeps the file as it is.
"""

from __future__ import annotations

import os
from typing import Any

from ..core.event import Event
from ..core.json_text import JSONError, loads
from ..core.record import Record
from .journal import DECODE_ERRORS, decode_part, require_readable_format

SLICE_BYTES = 256 * 1024
MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_BACKWARD_BYTES = 4 * 1024 * 1024
WHOLE_FIELD = b',"whole":{"is":"Loop"'


class JournalLine(Record):
    """One Move: its number and time, where its line begins and ends, and its events."""

    seq: int
    at: float
    start: int
    end: int
    events: tuple[Event, ...] = ()


class JournalSlice(Record):
    """Lines that follow each other, where they begin and end, and the size of the journal."""

    lines: tuple[JournalLine, ...]
    start: int
    end: int
    size: int

    @property
    def reaches_end(self) -> bool:
        """Is nothing left behind this slice but, perhaps, a line that is still being written?"""
        return self.end >= self.size


class WrongPosition(Exception):
    """No line begins at this position: the journal was cut off, or it is another one."""


def read_after(
    path: str,
    position: int,
    kinds: frozenset[str] | None = None,
    max_bytes: int = SLICE_BYTES,
) -> JournalSlice:
    """The next lines after a position, with their events of these kinds (None: of all kinds)."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        _require_line_start(file, position, size)
        data = _read_whole_lines(file, position, max_bytes)
    lines = _parse_lines(path, data, position, kinds)
    # Without a newline, what follows is not written to its end yet.
    return JournalSlice(lines, position, position + len(data), size if data else position)


def _require_line_start(file: Any, position: int, size: int) -> None:
    if position < 0 or position > size:
        raise WrongPosition(f"the journal has {size} bytes, and {position} is not in it")
    if position:
        file.seek(position - 1)
        if file.read(1) != b"\n":
            raise WrongPosition(f"no line begins at {position}")


def _read_whole_lines(file: Any, position: int, max_bytes: int) -> bytes:
    """Bytes up to the last newline; a line that is longer than `max_bytes` is read to its end."""
    file.seek(position)
    data: bytes = file.read(max_bytes)
    while len(data) >= max_bytes and b"\n" not in data and len(data) < MAX_LINE_BYTES:
        data += file.read(len(data))
    return data[: data.rfind(b"\n") + 1]


def read_before(
    path: str, end: int | None, count: int, kinds: frozenset[str] | None = None
) -> JournalSlice:
    """At most `count` lines before a position; None: the last lines of the journal."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if end is not None:
            _require_line_start(file, end, size)
        start, data = _read_backwards(file, size if end is None else end, count)
    return JournalSlice(_parse_lines(path, data, start, kinds), start, start + len(data), size)


def _read_backwards(file: Any, end: int, count: int) -> tuple[int, bytes]:
    """Where the lines begin, and their bytes; a torn end is left out."""
    start, data = end, b""
    while start and data.count(b"\n") <= count and len(data) < MAX_BACKWARD_BYTES:
        step = min(start, max(64 * 1024, len(data)))
        start -= step
        file.seek(start)
        data = file.read(step) + data
    data = data[: data.rfind(b"\n") + 1]
    rows = data.split(b"\n")[:-1]
    # The first row may lack its beginning, unless the file starts there.
    wanted = rows[-count:] if start == 0 else rows[1:][-count:]
    length = sum(len(row) + 1 for row in wanted)
    return start + len(data) - length, data[len(data) - length :]


def _parse_lines(
    path: str, data: bytes, position: int, kinds: frozenset[str] | None
) -> tuple[JournalLine, ...]:
    lines = []
    for row in data.split(b"\n")[:-1]:
        end = position + len(row) + 1
        if line := _parse_line(path, row, position, end, kinds):
            lines.append(line)
        position = end
    return tuple(lines)


def _parse_line(
    path: str, row: bytes, start: int, end: int, kinds: frozenset[str] | None
) -> JournalLine | None:
    """A line with its events; None if it is not one of a journal. `loop audit` names those."""
    try:
        entry = loads(_without_whole_loop(row))
        require_readable_format(path, entry)
        events = _wanted_events(entry, kinds)
        return JournalLine(int(entry["seq"]), float(entry["at"]), start, end, events)
    except (JSONError, *DECODE_ERRORS):
        return None


def _without_whole_loop(row: bytes) -> bytes:
    """The line without its last field, the whole loop of every 4th line, which is not needed here.

    In a JSON string each quote has a backslash before it, so no text of others is cut.
    """
    place = row.rfind(WHOLE_FIELD)
    return row if place < 0 else row[:place] + b"}"


def _wanted_events(entry: dict[str, Any], kinds: frozenset[str] | None) -> tuple[Event, ...]:
    # Records of format 1 had other names, so they are all upgraded first.
    plain = [event for event in entry["events"] if _is_wanted(entry, event, kinds)]
    events = (decode_part(entry, event) for event in plain)
    return tuple(event for event in events if kinds is None or type(event).__name__ in kinds)


def _is_wanted(entry: dict[str, Any], event: dict[str, Any], kinds: frozenset[str] | None) -> bool:
    return kinds is None or entry["v"] < 2 or event["is"] in kinds
