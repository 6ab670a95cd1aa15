"""The journal: one line per Move, appended with one write and one fsync, each line chained to the one before.

Every 16th line carries the whole loop, so opening reads back to the last of those and no further, however long the file.
(Every 64th made the worst Stop a sixth slower than the best: `bench/hook.py`, journal rows.)
"""

from __future__ import annotations

import os

from .. import __version__
from ..core.evolve import evolve
from ..core.json_text import JSONError, dumps, loads
from ..core.loop import Loop
from ..core.record import Record, decode, digest, encode
from ..disk.files import NO_LINK_FLAGS, free_name, sync_folder, write_all, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FORMAT = 2
LINE_FIELDS = {
    "seq": 0,
    "v": FORMAT,
    "mirror": "",
}  # what a line is read for, and what kind of value that is
DECODE_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)  # events that are none of ours
WHOLE_EVERY = 16
CHUNK = 64 * 1024


class JournalError(Exception):
    """The journal cannot be trusted. It is left as it is."""


class JournalChanged(JournalError):
    """It reads well, and is not what we wrote."""


class NewerFormat(JournalError):
    """Written by a later version: we write nothing."""


class Tail(Record):
    """What the end of a journal says: the loop, and where the next line goes."""

    loop: Loop
    seq: int
    head: str  # digest of the last line
    mirror_digest: str  # digest of the mirror that the last line wrote
    previous_mirror_digest: str  # and the line before it: an unfinished write leaves this one
    size: int  # bytes of whole lines; what follows is torn


def read(path: str) -> Tail:
    """The loop at the end of the journal, its chain verified back to the last whole loop."""
    with open(path, "rb") as file:
        end = file.seek(0, 2)
        start, lines, begin = end, [b""], 0
        while (
            start and not begin
        ):  # from the end, in growing steps, to a line with the whole loop and the one before it
            step = min(start, CHUNK if start == end else 4 * (end - start))
            start -= step
            file.seek(start)
            lines = (file.read(step) + lines[0]).split(b"\n") + lines[1:]
            cut = 1 if start else 0  # the first line may lack its beginning, the last its end
            begin = max(
                (i for i, line in enumerate(lines[:-1]) if i > cut and _has_whole_loop(line)),
                default=0,
            )
    torn, lines = lines[-1], lines[max(0, begin - 1) : -1]
    entries = [_parse_line(line) for line in lines]
    if (
        entries and entries[-1] is None
    ):  # a last line of garbage is a write that power loss cut short
        torn = lines.pop() + b"\n" + torn
        entries.pop()
    if not entries or None in entries:
        where = f"line {entries.index(None) + 1} of its tail" if entries else "its first line"
        raise JournalError(f"{path}: {where} cannot be read")
    return _replay_tail(
        path, lines, [entry for entry in entries if entry is not None], end - len(torn)
    )


def _has_whole_loop(line: bytes) -> bool:
    return line.endswith(b"}}") and b'"whole":' in line


def _parse_line(line: bytes) -> dict[str, Any] | None:
    try:
        entry = loads(line)
    except JSONError:
        return None
    fits = isinstance(entry, dict) and all(
        isinstance(entry.get(name, usual), type(usual)) for name, usual in LINE_FIELDS.items()
    )
    return entry if fits and "seq" in entry else None


def decode_part(entry: dict[str, Any], plain: Any) -> Any:
    """A value of a journal line: an event, or the whole loop. Lines of an older format are translated first."""
    if entry.get("v", FORMAT) < FORMAT:
        from .upgrade import upgrade

        plain = upgrade(plain)
    return decode(plain)


def _replay_tail(path: str, lines: list[bytes], entries: list[dict[str, Any]], size: int) -> Tail:
    begin = max(
        i for i, entry in enumerate(entries) if "whole" in entry or entry["seq"] == 1 or i == 0
    )
    loop: Loop | None = None
    for i in range(begin, len(entries)):
        entry = entries[i]
        if entry.get("v", FORMAT) > FORMAT:
            writer = entry.get("by", "a later version")
            raise NewerFormat(
                f"{path}: written by Loopwright {writer} (format {entry['v']}); install that version"
            )
        if i > begin and (
            entry.get("prev") != digest(lines[i - 1]) or entry["seq"] != entries[i - 1]["seq"] + 1
        ):
            raise JournalError(f"{path}: the chain is broken before line {entry['seq']}")
        try:
            if "whole" in entry:
                loop = decode_part(entry, entry["whole"])
            else:
                for plain in entry["events"]:
                    event = decode_part(entry, plain)
                    loop = event.loop if loop is None else evolve(loop, event)
        except DECODE_ERRORS as error:
            raise JournalError(
                f"{path}: line {entry['seq']} makes no sense ({error!r:.200})"
            ) from error
    if not isinstance(loop, Loop):
        raise JournalError(f"{path}: it does not begin with a start")
    last, before = entries[-1], entries[-2] if len(entries) > 1 else {}
    return Tail(
        loop, last["seq"], digest(lines[-1]), last.get("mirror", ""), before.get("mirror", ""), size
    )


def line_digests(path: str) -> list[str]:
    """The digest of every line: what its head was at some time."""
    with open(path, "rb") as file:
        return [digest(row.rstrip(b"\n")) for row in file]


def mirror_digests(path: str) -> set[str]:
    """The digest of every mirror that was written."""
    with open(path, "rb") as file:
        return {
            entry.get("mirror", "") for row in file if (entry := _parse_line(row.rstrip(b"\n")))
        }


def events_by_move(path: str) -> Iterator[tuple[Record, ...]]:
    """The events of every Move, in order. A torn line is passed over."""
    with open(path, "rb") as file:
        for row in file:
            entry = _parse_line(row.rstrip(b"\n"))
            if entry and isinstance(entry.get("events"), list):
                try:
                    events = tuple(decode_part(entry, event) for event in entry["events"])
                    assert all(isinstance(event, Record) for event in events), (
                        "an event is a record"
                    )
                except DECODE_ERRORS as error:
                    raise JournalError(
                        f"{path}: line {entry['seq']} makes no sense ({error!r:.200})"
                    ) from error
                yield events


def encode_move(
    tail: Tail | None, loop: Loop, events: tuple[Record, ...], mirror: str, at: float, signal: str
) -> bytes:
    """One Move as one line of JSON."""
    seq = tail.seq + 1 if tail else 1
    entry: dict[str, Any] = {
        "v": FORMAT,
        "by": __version__,
        "seq": seq,
        "prev": tail.head if tail else "",
        "at": at,
        "fence": loop.lease.fence,
        "signal": signal,
        "mirror": mirror,
        "events": [encode(event) for event in events],
    }
    if seq % WHOLE_EVERY == 0:
        entry["whole"] = encode(loop)
    return dumps(entry).encode() + b"\n"


def append_line(path: str, data: bytes, tail: Tail | None) -> None:
    """Add the line and wait for the disk. A torn end is set aside first; a failed write leaves the file as it was."""
    if tail is None:  # the first line: the journal is there with it, or not at all
        write_atomic(path, data)
        sync_folder(os.path.dirname(path))
        return
    fd = os.open(path, os.O_RDWR | os.O_APPEND | NO_LINK_FLAGS)
    try:
        size = os.fstat(fd).st_size
        if size > tail.size:
            _set_torn_end_aside(path, fd, tail.size, size)
            size = tail.size
        try:
            write_all(fd, data)
            os.fsync(fd)
        except OSError:
            os.ftruncate(fd, size)
            raise
    finally:
        os.close(fd)


def _set_torn_end_aside(path: str, fd: int, start: int, end: int) -> None:
    fresh = os.open(free_name(f"{path}.torn-{start}"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(path, "rb") as file, open(fresh, "wb") as aside:
        file.seek(start)
        aside.write(file.read(end - start))
    os.ftruncate(fd, start)
