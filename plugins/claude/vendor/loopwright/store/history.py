"""Loops that have ended: read back from their archives, newest first. One that cannot be read is passed over."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..core.loop import Loop
from . import journal
from .folder import LoopFolder


def ids(folder: LoopFolder) -> list[str]:
    place = folder.inside("history")
    return sorted(os.listdir(place), reverse=True) if os.path.isdir(place) else []


def loops(folder: LoopFolder) -> list[Loop]:
    return list(_readable(folder))


def last(folder: LoopFolder) -> Loop | None:
    """The one that ended last; the others are not read for it."""
    return next(_readable(folder), None)


def _readable(folder: LoopFolder) -> Iterator[Loop]:
    for name in ids(folder):
        try:
            yield journal.read(folder.inside("history", name, "journal.jsonl")).loop
        except (OSError, journal.JournalError):
            continue
