"""Lay a loop: its folder, its first journal line, and the note that it is this user's."""

from __future__ import annotations

import os

from ..core.events import LoopStarted
from ..core.loop import Loop
from ..core.record import digest
from ..disk import files
from ..disk.files import write_atomic
from ..disk.lock import FileLock, FolderBusy, LocksUnsupported
from . import journal, mirror
from .folder import LOCK_SECONDS, LoopFolder


def prepare_folder(folder: LoopFolder) -> None:
    """The folder itself, private to the user and invisible to git. Where there are no locks it is not even made."""
    folder.require_plain_files()
    made = not os.path.exists(folder.path)
    os.makedirs(folder.path, mode=0o700, exist_ok=True)
    try:
        with FileLock(folder.path_of("lock"), LOCK_SECONDS):
            os.chmod(folder.path, 0o700)
    except LocksUnsupported:
        if made:
            os.remove(folder.path_of("lock"))
            os.rmdir(folder.path)
        raise
    write_atomic(folder.path_of(".gitignore"), b"*\n")


def create_loop(folder: LoopFolder, loop: Loop, onto: bool = False) -> None:
    """A new loop begins; `onto` the page that lies here, if it is to go on from it."""
    prepare_folder(folder)
    with FileLock(folder.path_of("lock"), LOCK_SECONDS):
        if os.path.exists(folder.journal_path):
            raise FolderBusy(
                f"another loop was started in {folder.root} just now. See: `loop status`"
            )
        body = mirror.render_mirror(loop)
        data = journal.encode_move(
            None, loop, (LoopStarted(loop),), digest(body), loop.clock.started_at, "start"
        )
        head = digest(data[:-1])
        note_ownership(folder, loop.id, head, before="-" * len(head))  # not laid to its end yet
        folder.remove_halt_files()  # it was meant for an earlier loop
        if os.path.exists(folder.path_of("moved")):
            os.remove(folder.path_of("moved"))
        write_atomic(folder.path_of("driver"), loop.lease.holder.encode() + b"\n")
        journal.append_line(folder.journal_path, data, None)
        write_atomic(folder.mirror_path, body)
        files.sync_folder(folder.path)
        folder.write_note(loop.id, head, head)
        if loop.backlog:
            from .page_file import BacklogPageFile

            BacklogPageFile(folder.root, folder.path).create_page(loop, onto)


def note_ownership(folder: LoopFolder, loop_id: str, head: str, before: str = "") -> None:
    """Note in the user's state folder that this loop, in this place, is theirs."""
    files.make_folder(os.path.dirname(folder.note_path))
    folder.write_note(loop_id, head, before or head, fresh=True)
    files.sync_folder(os.path.dirname(folder.note_path))
