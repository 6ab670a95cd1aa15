"""Lay a loop: its folder, its first journal line, and the note that it is this user's."""

from __future__ import annotations

import os

from ..core.events import LoopStarted
from ..core.loop import Loop
from ..core.record import digest
from . import journal, mirror
from .folder import LOCK_SECONDS, FileLock, LoopFolder
from .journal import write_atomic


def prepare(folder: LoopFolder) -> None:
    """The folder itself, private to the user and invisible to git."""
    os.makedirs(folder.path, mode=0o700, exist_ok=True)
    os.chmod(folder.path, 0o700)
    write_atomic(folder.inside(".gitignore"), b"*\n")


def lay(folder: LoopFolder, loop: Loop, onto: bool = False) -> None:
    """A new loop begins; `onto` the page that lies here, if it is to go on from it."""
    prepare(folder)
    with FileLock(folder.inside("lock"), LOCK_SECONDS):
        body = mirror.render(loop)
        data = journal.line(None, loop, (LoopStarted(loop),), digest(body), loop.started_at, "start")
        own(folder, loop.id, digest(data[:-1]))
        folder.unhalt()  # it was meant for an earlier loop
        if os.path.exists(folder.inside("moved")):
            os.remove(folder.inside("moved"))
        write_atomic(folder.inside("driver"), loop.lease.holder.encode() + b"\n")
        journal.append(folder.journal, data, None)
        write_atomic(folder.mirror, body)
        if loop.backlog:
            from .page_file import PageFile

            PageFile(folder.root, folder.path).lay(loop, onto)


def own(folder: LoopFolder, loop_id: str, head: str) -> None:
    """Note in the user's state folder that this loop, in this place, is theirs."""
    os.makedirs(os.path.dirname(folder.record), mode=0o700, exist_ok=True)
    folder.note(loop_id, head, head)
