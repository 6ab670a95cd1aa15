"""The journal: one line per Move, appended with one write and one fsync, chained by digests.

Every 4th line holds the whole loop, so opening reads back only to the last of those, however
long the file is. (To replay a line takes 0.25 ms. With every 16th line a Stop took 1.5 ms longer
on average; with every 64th the worst was a sixth slower than the best.) A large loop, such as one
with a plan, is in every 16th line only, so that the file does not become many times larger.
"""

from __future__ import annotations

from .. import __version__
from ..core.event import Event
from ..core.json_text import dumps, json_object
from ..core.loop import Loop
from ..core.record import Record, decode, digest, encode
from ..disk.files import NO_LINK_FLAGS, free_name, sync_folder, write_all, write_atomic
from ..disk.light_os import os
from .moment import Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 2
# The fields that we read of a line, with a value of the type that each must have.
LINE_FIELDS = {"seq": 0, "mirror": ""}
# What decoding or replaying an event that is not ours may raise.
DECODE_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
WHOLE_EVERY, LARGE_EVERY = 4, 16
LARGE_BYTES = 8_000  # of a line with the whole loop
CHUNK = 64 * 1024
LINK_BYTES = 300  # in which a line names its number and the line before it


class JournalError(Exception):
    """The journal cannot be trusted. It stays unchanged."""


class JournalChanged(JournalError):
    """The journal is readable, but it differs from what we wrote."""


class NewerFormat(JournalError):
    """A later version wrote the journal, so we write nothing."""


class Tail(Record):
    """The end of a journal: the loop, and where the next line goes."""

    loop: Loop
    seq: int
    head: str  # digest of the last line
    mirror_digest: str  # of the mirror that was written with the last line
    previous_mirror_digest: str  # of the mirror before it; an unfinished write leaves that one
    size: int  # bytes of whole lines; what follows is torn
    moment: Moment | None = None  # when the last line was written; None in older journals
    whole_bytes: int = 0  # of the last line that holds the whole loop

    @property
    def is_whole_due(self) -> bool:
        """Does the next line hold the whole loop?"""
        every = WHOLE_EVERY if self.whole_bytes <= LARGE_BYTES else LARGE_EVERY
        return (self.seq + 1) % every == 0


# The last lines of a journal as `read` finds them, and what they say.
KNOWN_ENDS: dict[str, tuple[list[bytes], Tail]] = {}


def read(path: str) -> Tail:
    """The loop at the end of the journal, replayed from the last line that holds the whole loop.

    The chain is verified from the last LARGE_EVERYth line on. A runner reads the same bytes several
    times in each turn; they are verified and replayed once.
    """
    lines, torn, end = _read_last_lines(path)
    known = KNOWN_ENDS.get(path)
    if known and not torn and known[0] == lines and known[1].size == end:
        return known[1]
    tail = _read_tail(path, [*lines], torn, end)
    remember_end(path, lines, tail)
    return tail


def remember_end(path: str, lines: list[bytes], tail: Tail) -> None:
    """Keep what these last lines say, in memory. Other bytes in the file are read as usual."""
    KNOWN_ENDS.clear()  # of one journal only
    KNOWN_ENDS[path] = lines, tail


def remember_line(path: str, data: bytes, before: Tail, tail: Tail) -> None:
    """Keep what the journal says after this line of ours."""
    lines, last = KNOWN_ENDS.get(path, ([], None))
    if last is before:
        starts_anew = tail.seq % LARGE_EVERY == 0
        remember_end(path, [*(lines[-1:] if starts_anew else lines), data[:-1]], tail)


def _read_tail(path: str, lines: list[bytes], torn: bytes, end: int) -> Tail:
    whole, entries = _parse_from_whole_loop(lines)
    if entries and entries[-1] is None:
        # A power cut during a write may leave a last line of garbage.
        torn = lines.pop() + b"\n" + torn
        whole, entries = _parse_from_whole_loop(lines)
    if not entries:
        raise JournalError(f"{path}: its first line cannot be read")
    if None in entries:
        number = len(lines) - len(entries) + entries.index(None) + 1
        raise JournalError(f"{path}: line {number} of its tail cannot be read")
    if whole:
        _verify_links(path, lines, whole)
    readable = [entry for entry in entries if entry is not None]
    return _replay_tail(path, lines[-len(entries) :], readable, end - len(torn))


def _read_last_lines(path: str) -> tuple[list[bytes], bytes, int]:
    """The lines from just before the last LARGE_EVERYth one, the torn end, and the file's size.

    The file is read backwards in growing steps.
    """
    with open(path, "rb") as file:
        end = file.seek(0, 2)
        start, lines, first = end, [b""], 0
        while start and not first:
            step = min(start, CHUNK if start == end else 4 * (end - start))
            start -= step
            file.seek(start)
            lines = (file.read(step) + lines[0]).split(b"\n") + lines[1:]
            # The first line may lack its beginning, unless the file starts there.
            first = _last_whole_loop(lines[:-1], after=1 if start else 0, every=LARGE_EVERY)
    return lines[max(0, first - 1) : -1], lines[-1], end


def _last_whole_loop(lines: list[bytes], after: int = 0, every: int = 1) -> int:
    """The last line after that index which holds the whole loop; 0 for none.

    `every`: only a line whose number is a multiple of it.
    """
    for number in range(len(lines) - 1, after, -1):
        line = lines[number]
        if line.endswith(b"}}") and b'"whole":' in line and _number_of(line) % every == 0:
            return number
    return 0


def _number_of(line: bytes) -> int:
    """The number of a line that need not be parsed; 0 if it has none."""
    digits = line.partition(b'"seq":')[2][:12].partition(b",")[0]
    return int(digits) if digits.isdigit() else 0


def _parse_from_whole_loop(lines: list[bytes]) -> tuple[int, list[dict[str, Any] | None]]:
    """Which line is the last with the whole loop; and the lines from just before it, parsed."""
    whole = _last_whole_loop(lines)
    return whole, [parse_line(line) for line in lines[max(0, whole - 1) :]]


def _verify_links(path: str, lines: list[bytes], until: int) -> None:
    """Each line names the digest of the one before it; those after `until` are verified later.

    They are not parsed: their digests say that they are as we wrote them. Where the lines do not
    begin with the start of the journal, the first is only there for the digest of its mirror.
    """
    is_start = _number_of(lines[0]) == 1
    if not is_start and _number_of(lines[1]) % LARGE_EVERY:
        raise JournalError(f"{path}: it does not begin with a start")
    for i in range(1 if is_start else 2, until + 1):
        number, previous = _number_of(lines[i]), digest(lines[i - 1]).encode()
        follows = number == _number_of(lines[i - 1]) + 1
        if not follows or b'"prev":"%s"' % previous not in lines[i][:LINK_BYTES]:
            raise JournalError(f"{path}: the chain is broken before line {number}")


def parse_line(line: bytes) -> dict[str, Any] | None:
    """The fields of a line; None if it is no line of a journal."""
    entry = json_object(line)
    if entry is None or "seq" not in entry:
        return None
    for name, example in LINE_FIELDS.items():
        if not isinstance(entry.get(name, example), type(example)):
            return None
    return entry


def decode_part(entry: dict[str, Any], plain: Any) -> Any:
    """Decode a value of a line: an event or the whole loop. An older format is upgraded first."""
    if entry["v"] < FORMAT:
        from .upgrade import upgrade

        plain = upgrade(plain)
    return decode(plain)


def _replay_tail(path: str, lines: list[bytes], entries: list[dict[str, Any]], size: int) -> Tail:
    begin = _replay_start(entries)
    loop: Loop | None = None
    for i in range(begin, len(entries)):
        entry = entries[i]
        require_readable_format(path, entry)
        if i > begin:
            follows = entry["seq"] == entries[i - 1]["seq"] + 1
            if not follows or entry.get("prev") != digest(lines[i - 1]):
                raise JournalError(f"{path}: the chain is broken before line {entry['seq']}")
        try:
            loop = replay_entry(entry, loop)
        except DECODE_ERRORS as error:
            raise senseless_line(path, entry, error) from error
    if not isinstance(loop, Loop):
        raise JournalError(f"{path}: it does not begin with a start")
    last, previous = entries[-1], entries[-2] if len(entries) > 1 else {}
    return Tail(
        loop=loop,
        seq=last["seq"],
        head=digest(lines[-1]),
        mirror_digest=last.get("mirror", ""),
        previous_mirror_digest=previous.get("mirror", ""),
        size=size,
        moment=_moment_of(last),
        whole_bytes=len(lines[begin]),
    )


def _moment_of(entry: dict[str, Any]) -> Moment | None:
    at, awake, boot = entry.get("at"), entry.get("awake"), entry.get("boot")
    if not isinstance(at, int | float) or not isinstance(awake, int | float):
        return None
    return Moment(at, awake, boot) if isinstance(boot, str) else None


def _replay_start(entries: list[dict[str, Any]]) -> int:
    """The last entry from which the loop can be rebuilt without those before it."""
    for number in range(len(entries) - 1, 0, -1):
        if "whole" in entries[number] or entries[number]["seq"] == 1:
            return number
    return 0


def require_readable_format(path: str, entry: dict[str, Any]) -> None:
    """Refuse a line of a later format, and one whose format never existed: it was edited."""
    number = entry.get("v")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise JournalError(f"{path}: line {entry['seq']} has no known format ({number!r:.40})")
    if number > FORMAT:
        writer = f"Loopwright {entry['by']}" if "by" in entry else "a later version of Loopwright"
        raise NewerFormat(f"{path}: written by {writer} (format {number}); install that version")


def replay_entry(entry: dict[str, Any], loop: Loop | None) -> Any:
    """The loop after this line."""
    if "whole" in entry:
        return decode_part(entry, entry["whole"])
    for plain in entry["events"]:
        event = decode_part(entry, plain)
        loop = event.loop if loop is None else event.apply(loop)
    return loop


def senseless_line(path: str, entry: dict[str, Any], error: Exception) -> JournalError:
    return JournalError(f"{path}: line {entry['seq']} makes no sense ({error!r:.200})")


def line_digests(path: str) -> list[str]:
    """The digest of every line: each was the head of the journal at some time."""
    with open(path, "rb") as file:
        return [digest(row.rstrip(b"\n")) for row in file]


def encode_move(
    tail: Tail | None,
    loop: Loop,
    events: tuple[Event, ...],
    mirror: str,
    at: float,
    signal: str,
    moment: Moment | None = None,
) -> bytes:
    """One Move as one line of JSON. `mirror` and `signal` are digests."""
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
    if moment:
        entry |= {"awake": round(moment.awake, 3), "boot": moment.boot}
    if tail and tail.is_whole_due:
        entry["whole"] = encode(loop)
    return dumps(entry).encode() + b"\n"


def append_line(path: str, data: bytes, tail: Tail | None) -> None:
    """Append the line and wait for the disk.

    A torn end is set aside first. A failed write leaves the file unchanged.
    """
    if tail is None:  # a crash must not leave an empty journal
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
            write_all(fd, data, path)
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
