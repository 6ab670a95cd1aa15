"""The journal: one line per Move, appended with one write and one fsync, each line chained to the one before.

Every 16th line carries the whole loop, so opening reads back to the last of those and no further, however long the file.
(Every 64th made the worst Stop a sixth slower than the best: `bench/hook.py`, journal rows.)
"""

from __future__ import annotations

import os
import sys
import time

from .. import __version__
from ..core.evolve import evolve
from ..core.loop import Loop
from ..core.record import JSONError, Record, decode, digest, dumps, encode, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FORMAT = 2
LINE_FIELDS = {"seq": 0, "v": FORMAT, "mirror": ""}  # what a line is read for, and what kind of value that is
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
REPLACE_RETRY_SECONDS = 1.0  # seconds
NO_LINK_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(
    os, "O_NONBLOCK", 0
)  # through no link, and not waiting for a pipe's reader
STALE_DRAFT_SECONDS = 0.5  # seconds in which every draft has become its file, unless its writer was killed


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
        while start and not begin:  # from the end, in growing steps, to a line with the whole loop and the one before it
            step = min(start, CHUNK if start == end else 4 * (end - start))
            start -= step
            file.seek(start)
            lines = (file.read(step) + lines[0]).split(b"\n") + lines[1:]
            cut = 1 if start else 0  # the first line may lack its beginning, the last its end
            begin = max((i for i, line in enumerate(lines[:-1]) if i > cut and _has_whole_loop(line)), default=0)
    torn, lines = lines[-1], lines[max(0, begin - 1) : -1]
    entries = [_parse_line(line) for line in lines]
    if entries and entries[-1] is None:  # a last line of garbage is a write that power loss cut short
        torn = lines.pop() + b"\n" + torn
        entries.pop()
    if not entries or None in entries:
        where = f"line {entries.index(None) + 1} of its tail" if entries else "its first line"
        raise JournalError(f"{path}: {where} cannot be read")
    return _replay_tail(path, lines, [entry for entry in entries if entry is not None], end - len(torn))


def _has_whole_loop(line: bytes) -> bool:
    return line.endswith(b"}}") and b'"whole":' in line


def _parse_line(line: bytes) -> dict[str, Any] | None:
    try:
        entry = loads(line)
    except JSONError:
        return None
    fits = isinstance(entry, dict) and all(isinstance(entry.get(name, usual), type(usual)) for name, usual in LINE_FIELDS.items())
    return entry if fits and "seq" in entry else None


def decode_part(entry: dict[str, Any], plain: Any) -> Any:
    """A value of a journal line: an event, or the whole loop. Lines of an older format are translated first."""
    if entry.get("v", FORMAT) < FORMAT:
        from .upgrade import upgrade

        plain = upgrade(plain)
    return decode(plain)


def _replay_tail(path: str, lines: list[bytes], entries: list[dict[str, Any]], size: int) -> Tail:
    begin = max(i for i, entry in enumerate(entries) if "whole" in entry or entry["seq"] == 1 or i == 0)
    loop: Loop | None = None
    for i in range(begin, len(entries)):
        entry = entries[i]
        if entry.get("v", FORMAT) > FORMAT:
            writer = entry.get("by", "a later version")
            raise NewerFormat(f"{path}: written by Loopwright {writer} (format {entry['v']}); install that version")
        if i > begin and (entry.get("prev") != digest(lines[i - 1]) or entry["seq"] != entries[i - 1]["seq"] + 1):
            raise JournalError(f"{path}: the chain is broken before line {entry['seq']}")
        try:
            if "whole" in entry:
                loop = decode_part(entry, entry["whole"])
            else:
                for plain in entry["events"]:
                    event = decode_part(entry, plain)
                    loop = event.loop if loop is None else evolve(loop, event)
        except DECODE_ERRORS as error:
            raise JournalError(f"{path}: line {entry['seq']} makes no sense ({error!r:.200})") from error
    if not isinstance(loop, Loop):
        raise JournalError(f"{path}: it does not begin with a start")
    last, before = entries[-1], entries[-2] if len(entries) > 1 else {}
    return Tail(loop, last["seq"], digest(lines[-1]), last.get("mirror", ""), before.get("mirror", ""), size)


def line_digests(path: str) -> list[str]:
    """The digest of every line: what its head was at some time."""
    with open(path, "rb") as file:
        return [digest(row.rstrip(b"\n")) for row in file]


def mirror_digests(path: str) -> set[str]:
    """The digest of every mirror that was written."""
    with open(path, "rb") as file:
        return {entry.get("mirror", "") for row in file if (entry := _parse_line(row.rstrip(b"\n")))}


def events_by_move(path: str) -> Iterator[tuple[Record, ...]]:
    """The events of every Move, in order. A torn line is passed over."""
    with open(path, "rb") as file:
        for row in file:
            entry = _parse_line(row.rstrip(b"\n"))
            if entry and isinstance(entry.get("events"), list):
                try:
                    events = tuple(decode_part(entry, event) for event in entry["events"])
                    assert all(isinstance(event, Record) for event in events), "an event is a record"
                except DECODE_ERRORS as error:
                    raise JournalError(f"{path}: line {entry['seq']} makes no sense ({error!r:.200})") from error
                yield events


def encode_move(tail: Tail | None, loop: Loop, events: tuple[Record, ...], mirror: str, at: float, signal: str) -> bytes:
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


def write_all(fd: int, data: bytes) -> None:
    """Every byte as it is: left to itself, Windows would write \\r\\n for each \\n."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(fd, os.O_BINARY)
    while data:
        data = data[os.write(fd, data) :]


def _set_torn_end_aside(path: str, fd: int, start: int, end: int) -> None:
    fresh = os.open(free_name(f"{path}.torn-{start}"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(path, "rb") as file, open(fresh, "wb") as aside:
        file.seek(start)
        aside.write(file.read(end - start))
    os.ftruncate(fd, start)


def free_name(path: str) -> str:
    """The path itself, or the first of its numbered kin that is not taken: nothing is overwritten."""
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = f"{path}.{number}"
    return free


def replace_file(path: str, place: str) -> None:
    """Rename over what is there. On Windows whoever reads one of the two forbids it for a moment, so we ask again."""
    patience = time.monotonic() + REPLACE_RETRY_SECONDS
    while True:
        try:
            return os.replace(path, place)
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > patience:
                raise
            time.sleep(0.01)


def write_atomic(path: str, data: bytes, wait: bool = True) -> None:
    """Readers see the old file or the new one, never half of either; after a power cut too, if we `wait` for the disk."""
    draft = f"{path}.tmp"
    fd = _open_draft(draft)
    try:
        try:
            write_all(fd, data)
            if wait:
                os.fsync(fd)
        finally:
            os.close(fd)
        replace_file(draft, path)
    except OSError:
        os.unlink(draft)
        raise


def _open_draft(draft: str) -> int:
    """A draft of our own. Its name is always the same, so what a killed writer left goes with the next write, not never."""
    patience = time.monotonic() + STALE_DRAFT_SECONDS
    while True:
        try:
            return os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            try:
                if abs(time.time() - os.lstat(draft).st_mtime) > STALE_DRAFT_SECONDS or time.monotonic() > patience:
                    os.unlink(draft)
                else:
                    time.sleep(0.005)
            except FileNotFoundError:  # it has become its file
                pass


def overwrite_in_place(path: str, data: bytes, wait: bool) -> bool:
    """New bytes in the place of as many old ones; False where they do not fit. A power cut leaves the old or the new ones."""
    try:
        fd = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        fits = os.fstat(fd).st_size == len(data)
        if fits:
            write_all(fd, data)
            if wait:
                os.fsync(fd)
        return fits
    finally:
        os.close(fd)


def make_folder(path: str) -> None:
    """It, and all above it that is missing, for the user alone: os.makedirs gives its mode to the last one only."""
    if path and not os.path.isdir(path):
        make_folder(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:  # somebody else was quicker
            pass


def set_aside(path: str, folder: str) -> str:
    """Nothing that cannot be read is deleted: it gets a name of its own."""
    make_folder(folder)
    place = free_name(os.path.join(folder, os.path.basename(path)))
    replace_file(path, place)
    return place


def sync_folder(folder: str) -> None:
    """Make a new name in the folder survive a power cut, where the system lets us; Windows opens no folder."""
    try:
        fd = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)
