"""Loops that have ended here: read back from their archives, newest first.

One that cannot be read is passed over, and so is one that did not end here, or not so: `loop audit` says what is wrong with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..core.loop import Loop
from . import journal
from .chain import ended_at
from .folder import LoopFolder


def ids(folder: LoopFolder) -> list[str]:
    """By their end: two that began in one second, or when the clocks were put back, have names in any order."""
    place = folder.inside("history")

    def end(name: str) -> tuple[float, str]:
        try:
            return os.stat(os.path.join(place, name, "journal.jsonl")).st_mtime, name
        except OSError:
            return 0.0, name

    return sorted(os.listdir(place), key=end, reverse=True) if os.path.isdir(place) else []


def loops(folder: LoopFolder) -> list[Loop]:
    return list(_readable(folder))


def last(folder: LoopFolder) -> Loop | None:
    """The one that ended last; the others are not read for it."""
    return next(_readable(folder), None)


def _readable(folder: LoopFolder) -> Iterator[Loop]:
    for name in ids(folder):
        try:
            tail = journal.read(folder.inside("history", name, "journal.jsonl"))
        except (OSError, journal.JournalError):
            continue
        if is_sealed(name, tail):
            yield tail.loop


def is_sealed(name: str, tail: journal.Tail) -> bool:
    """Did the loop of this name end here, and with this journal?"""
    return ended_at(name) == (tail.seq, tail.head)
