"""Create a loop: its folder, its first journal line, and the note that it is this user's."""

from __future__ import annotations

import os

from ..core.events import LoopStarted
from ..core.loop import Loop
from ..core.record import digest
from ..disk import files
from ..disk.files import remove_file, write_atomic
from ..disk.lock import FileLock, FolderBusy, LocksUnsupported
from . import journal, mirror, second_copy
from .folder import LOCK_SECONDS, LoopFolder
from .moment import current_moment


def prepare_folder(folder: LoopFolder) -> None:
    """Create the folder, private to the user and ignored by git; nothing remains without locks."""
    folder.require_plain_files()
    is_new = not os.path.exists(folder.path)
    os.makedirs(folder.path, mode=0o700, exist_ok=True)
    try:
        with FileLock(folder.path_of("lock"), LOCK_SECONDS):
            os.chmod(folder.path, 0o700)
    except LocksUnsupported:
        if is_new:
            os.remove(folder.path_of("lock"))
            os.rmdir(folder.path)
        raise
    write_atomic(folder.path_of(".gitignore"), b"*\n")


def create_loop(folder: LoopFolder, loop: Loop, onto: bool = False) -> None:
    """Write a new loop to disk. With `onto` it continues from the backlog page that is there."""
    prepare_folder(folder)
    with FileLock(folder.path_of("lock"), LOCK_SECONDS):
        if os.path.exists(folder.journal_path):
            raise FolderBusy(
                f"another loop was started in {folder.root} just now. See: `loop status`"
            )
        body = mirror.render_mirror(loop)
        started = LoopStarted(loop)
        data = journal.encode_move(
            None, loop, (started,), digest(body), loop.clock.started_at, "start", current_moment()
        )
        head = digest(data[:-1])
        # A second head that no journal has: it marks a start that is not complete.
        note_ownership(folder, loop.id, head, before="-" * len(head))
        second_copy.write_mark(folder.real_root, loop.id, "")
        folder.remove_halt_files()  # left over from an earlier loop
        remove_file(folder.path_of("moved"))
        write_atomic(folder.path_of("driver"), loop.lease.holder.encode() + b"\n")
        folder.note_session(loop.lease.holder)
        journal.append_line(folder.journal_path, data, None)
        write_atomic(folder.mirror_path, body)
        files.sync_folder(folder.path)
        folder.write_note(loop.id, head, head)
        tail = journal.read(folder.journal_path)
        second_copy.keep_second_copy(folder.real_root, folder.journal_path, tail)
        if loop.backlog:
            from .page_file import BacklogPageFile

            BacklogPageFile(folder.root, folder.path).create_page(loop, onto)


def note_ownership(folder: LoopFolder, loop_id: str, head: str, before: str = "") -> None:
    """Record in the user's state folder that this loop, in this folder, is theirs."""
    files.make_folder(os.path.dirname(folder.note_path))
    folder.write_note(loop_id, head, before or head, fresh=True)
    files.sync_folder(os.path.dirname(folder.note_path))
