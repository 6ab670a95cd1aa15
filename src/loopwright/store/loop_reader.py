"""Follow the journal of one loop: its history, read in slices, and its state now."""

from __future__ import annotations

import os
from threading import Lock

from ..core.loop import Loop
from ..core.record import Record
from ..views.loop_history import KINDS, LoopHistory
from . import journal
from .journal_reader import SLICE_BYTES, WrongPosition, read_after


class JournalStamp(Record):
    """What changes when a line is appended: size, and time in nanoseconds. `file` is the inode."""

    file: int
    size: int
    version: int


def journal_stamp(path: str) -> JournalStamp | None:
    """The stamp of a journal; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return JournalStamp(status.st_ino, status.st_size, status.st_mtime_ns)


class LoopReader:
    """The history of one loop. Each call reads a bounded part of the journal; several threads may
    share it.
    """

    def __init__(self) -> None:
        self.history = LoopHistory()
        self._lock = Lock()
        self._stamp: JournalStamp | None = None
        self._loop: Loop | None = None

    def read_more(self, path: str, max_bytes: int = SLICE_BYTES) -> bool:
        """Take in the next slice; False once there is nothing more to read."""
        with self._lock:
            try:
                part = read_after(path, self.history.position, KINDS, max_bytes)
            except WrongPosition:  # it was cut off or replaced: begin again
                self.history = LoopHistory()
                part = read_after(path, 0, KINDS, max_bytes)
            for line in part.lines:
                self.history.add_move(line.seq, line.at, line.events)
            self.history.position = part.end
            self.history.is_complete = part.reaches_end
            return not part.reaches_end

    def read_loop(self, path: str) -> Loop:
        """The loop at the end of the journal; read again only after a line was appended."""
        stamp = journal_stamp(path)
        with self._lock:
            if self._loop is None or stamp != self._stamp:
                self._loop, self._stamp = journal.read(path).loop, stamp
            return self._loop
