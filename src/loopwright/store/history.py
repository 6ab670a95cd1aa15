"""Loops that have ended: read back from their archives, newest first. One that cannot be read is passed over."""

from __future__ import annotations

import os

from ..core.loop import Loop
from . import journal
from .folder import LoopFolder


def loops(folder: LoopFolder) -> list[Loop]:
    place = folder.inside("history")
    found = []
    for name in sorted(os.listdir(place), reverse=True) if os.path.isdir(place) else ():
        try:
            found.append(journal.read(os.path.join(place, name, "journal.jsonl")).loop)
        except (OSError, journal.JournalError):
            continue
    return found
