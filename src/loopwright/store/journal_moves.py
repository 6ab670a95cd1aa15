"""What a journal says about the past: the events of its Moves, all of them or the last ones."""

from __future__ import annotations

from ..core.event import Event
from ..core.loop import Loop
from .journal import (
    CHUNK,
    DECODE_ERRORS,
    JournalError,
    decode_part,
    parse_line,
    replay_entry,
    senseless_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def events_by_move(path: str) -> Iterator[tuple[Event, ...]]:
    """The events of every Move, in order. A torn line is skipped."""
    with open(path, "rb") as file:
        for row in file:
            entry = parse_line(row.rstrip(b"\n"))
            if entry and isinstance(entry.get("events"), list):
                try:
                    events = _decode_events(entry)
                except DECODE_ERRORS as error:
                    raise senseless_line(path, entry, error) from error
                yield events


def recent_moves(path: str, turns: int) -> tuple[Loop | None, list[tuple[Event, ...]]]:
    """The moves of at least the last `turns` turns, and the loop before them.

    The loop is None if the moves begin with the start of the journal. The file is read backwards,
    so the cost does not grow with its length.
    """
    with open(path, "rb") as file:
        end = start = file.seek(0, 2)
        rows: list[bytes] = [b""]
        first = None
        while start and first is None:
            step = min(start, max(CHUNK, end - start))
            start -= step
            file.seek(start)
            rows = (file.read(step) + rows[0]).split(b"\n") + rows[1:]
            first = _whole_loop_before(rows, turns, after=1 if start else 0)
    entries = [entry for row in rows[first or 0 :] if (entry := parse_line(row))]
    try:
        loop = replay_entry(entries[0], None) if first is not None else None
        moves = entries if loop is None else entries[1:]
        return loop, [_decode_events(entry) for entry in moves if "events" in entry]
    except DECODE_ERRORS as error:
        raise JournalError(f"{path}: its last lines make no sense ({error!r:.200})") from error


def _whole_loop_before(rows: list[bytes], turns: int, after: int) -> int | None:
    """The last line with the whole loop that has so many turns after it; None if there is none."""
    ended = 0
    for number in range(len(rows) - 2, after - 1, -1):
        if ended >= turns and b'"whole":' in rows[number] and parse_line(rows[number]):
            return number
        ended += rows[number].count(b'"TurnEnded"')
    return None


def _decode_events(entry: dict[str, Any]) -> tuple[Event, ...]:
    events = tuple(decode_part(entry, event) for event in entry["events"])
    assert all(isinstance(event, Event) for event in events), "only events are in a move"
    return events


def mirror_digests(path: str) -> set[str]:
    """The digest of every mirror that was written."""
    digests: set[str] = set()
    with open(path, "rb") as file:
        for row in file:
            if entry := parse_line(row.rstrip(b"\n")):
                digests.add(entry.get("mirror", ""))
    return digests
