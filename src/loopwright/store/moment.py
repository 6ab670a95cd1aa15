"""When a line of the journal was written, and whether the machine slept or booted since."""

from __future__ import annotations

import time

from ..core.record import Record
from ..disk import files

MAX_TURN_SECONDS = 3600.0
BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id"
BOOT_IDS: dict[str, str] = {}  # what that file says: no process outlives a boot


class Moment(Record):
    """A moment by the wall clock, and by the clock that stands still while the machine sleeps."""

    at: float
    awake: float
    boot: str


def boot_id() -> str:
    """An id of the machine's current boot; "" if the system has none. It is read once."""
    if BOOT_ID_FILE not in BOOT_IDS:
        try:
            data = files.read_bytes(BOOT_ID_FILE)
        except OSError:
            data = b""
        BOOT_IDS[BOOT_ID_FILE] = data.decode("ascii", "replace").strip()
    return BOOT_IDS[BOOT_ID_FILE]


def current_moment() -> Moment:
    return Moment(time.time(), round(time.monotonic(), 3), boot_id())


def skipped_seconds(before: Moment | None, now: Moment) -> float:
    """How much further the wall clock went than the time awake; 0 for less than a second.

    After a reboot nobody knows the time awake: at most the length of one turn counts.
    """
    if before is None:
        return 0.0
    passed = now.at - before.at
    same_boot = before.boot == now.boot and now.awake >= before.awake
    awake = now.awake - before.awake if same_boot else min(max(0.0, passed), MAX_TURN_SECONDS)
    skipped = passed - awake
    return skipped if abs(skipped) >= 1.0 else 0.0
