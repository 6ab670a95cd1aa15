"""Loops that have ended here: read back from their archives, newest first.

One that cannot be read is passed over, and so is one that did not end here, or not so: `loop audit` says what is wrong with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..core.loop import Loop
from . import journal
from .chain import sealed_end
from .folder import LoopFolder


def ended_loop_ids(folder: LoopFolder) -> list[str]:
    """By their end: two that began in one second, or when the clocks were put back, have names in any order."""
    place = folder.path_of("history")

    def end(name: str) -> tuple[float, str]:
        try:
            return os.stat(os.path.join(place, name, "journal.jsonl")).st_mtime, name
        except OSError:
            return 0.0, name

    return sorted(os.listdir(place), key=end, reverse=True) if os.path.isdir(place) else []


def ended_loops(folder: LoopFolder) -> list[Loop]:
    return list(_sealed_loops(folder))


def last_ended_loop(folder: LoopFolder) -> Loop | None:
    """The one that ended last; the others are not read for it."""
    return next(_sealed_loops(folder), None)


def _sealed_loops(folder: LoopFolder) -> Iterator[Loop]:
    for name in ended_loop_ids(folder):
        try:
            tail = journal.read(folder.path_of("history", name, "journal.jsonl"))
        except (OSError, journal.JournalError):
            continue
        if is_sealed(name, tail):
            yield tail.loop


def is_sealed(name: str, tail: journal.Tail) -> bool:
    """Did the loop of this name end here, and with this journal?"""
    return sealed_end(name) == (tail.seq, tail.head)
