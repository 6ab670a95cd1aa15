"""Lay a loop: its folder, its first journal line, and the note that it is this user's."""

from __future__ import annotations

import os

from ..core.events import LoopStarted
from ..core.loop import Loop
from ..core.record import digest
from . import journal, mirror
from .folder import LOCK_SECONDS, FileLock, FolderBusy, LoopFolder, NoLocks
from .journal import write_atomic


def prepare(folder: LoopFolder) -> None:
    """The folder itself, private to the user and invisible to git. Where there are no locks it is not even made."""
    folder.must_be_plain()
    made = not os.path.exists(folder.path)
    os.makedirs(folder.path, mode=0o700, exist_ok=True)
    try:
        with FileLock(folder.inside("lock"), LOCK_SECONDS):
            os.chmod(folder.path, 0o700)
    except NoLocks:
        if made:
            os.remove(folder.inside("lock"))
            os.rmdir(folder.path)
        raise
    write_atomic(folder.inside(".gitignore"), b"*\n")


def lay(folder: LoopFolder, loop: Loop, onto: bool = False) -> None:
    """A new loop begins; `onto` the page that lies here, if it is to go on from it."""
    prepare(folder)
    with FileLock(folder.inside("lock"), LOCK_SECONDS):
        if os.path.exists(folder.journal):
            raise FolderBusy(f"another loop was started in {folder.root} just now. See: `loop status`")
        body = mirror.render(loop)
        data = journal.line(None, loop, (LoopStarted(loop),), digest(body), loop.started_at, "start")
        head = digest(data[:-1])
        own(folder, loop.id, head, before="-" * len(head))  # not laid to its end yet
        folder.unhalt()  # it was meant for an earlier loop
        if os.path.exists(folder.inside("moved")):
            os.remove(folder.inside("moved"))
        write_atomic(folder.inside("driver"), loop.lease.holder.encode() + b"\n")
        journal.append(folder.journal, data, None)
        write_atomic(folder.mirror, body)
        journal.sync_folder(folder.path)
        folder.note(loop.id, head, head)
        if loop.backlog:
            from .page_file import PageFile

            PageFile(folder.root, folder.path).lay(loop, onto)


def own(folder: LoopFolder, loop_id: str, head: str, before: str = "") -> None:
    """Note in the user's state folder that this loop, in this place, is theirs."""
    journal.make_folder(os.path.dirname(folder.record))
    folder.note(loop_id, head, before or head, fresh=True)
    journal.sync_folder(os.path.dirname(folder.record))
