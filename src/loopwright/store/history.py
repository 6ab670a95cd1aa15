"""Loops that have ended: read back from their archives, newest first. One that cannot be read is passed over."""

from __future__ import annotations

import os

from ..core.loop import Loop
from . import journal
from .folder import LoopFolder


def ids(folder: LoopFolder) -> list[str]:
    place = folder.inside("history")
    return sorted(os.listdir(place), reverse=True) if os.path.isdir(place) else []


def loops(folder: LoopFolder) -> list[Loop]:
    found = []
    for name in ids(folder):
        try:
            found.append(journal.read(folder.inside("history", name, "journal.jsonl")).loop)
        except (OSError, journal.JournalError):
            continue
    return found
