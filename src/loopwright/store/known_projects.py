"""The projects and worktrees of this user: every folder in which they have had a loop.

The ownership note of a loop is in the state folder, one small file for each project, and it is
written at each Move. So nothing more has to be recorded, and the time of a note is the time of the
last Move.
"""

from __future__ import annotations

import os

from ..core.record import Record
from ..disk.user_folders import state_home
from .folder import read_note

MAX_PROJECTS = 5_000


class NoteStamp(Record):
    """One note, by its path, and when it was written last."""

    path: str
    written_at: float
    version: int  # changes with each write


class KnownProject(Record):
    """A project or worktree: its folder, and the loop that was active there last."""

    root: str
    loop_id: str


def note_stamps() -> list[NoteStamp]:
    """All notes, newest first, without reading them."""
    stamps = []
    try:
        entries = os.scandir(os.path.join(state_home(), "loops"))
    except OSError:  # no loop has started yet
        return []
    with entries:
        for entry in entries:
            if entry.name.endswith(".tmp"):
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:  # it is being replaced
                continue
            stamps.append(NoteStamp(entry.path, status.st_mtime, status.st_mtime_ns))
    stamps.sort(key=lambda stamp: -stamp.version)
    return stamps[:MAX_PROJECTS]


def read_project(stamp: NoteStamp) -> KnownProject | None:
    """The project of a note; None if it cannot be read or its folder is gone."""
    lines = read_note(stamp.path)
    if len(lines) < 2 or not os.path.isabs(lines[1]) or not os.path.isdir(lines[1]):
        return None
    return KnownProject(lines[1], lines[0])
