"""What this machine keeps of a job's loop outside its checkout, beside what the checkpoint holds.

The database says which checkpoint is the newest. This record makes an older one visible.
"""

from __future__ import annotations

import os
import shutil
import time

from ..cleanroom.checkout import drop_room
from ..disk import files
from ..disk.lock import FileLock
from ..disk.user_folders import state_home
from ..drive.errors import UserError
from ..store import holdouts, journal, second_copy
from ..store.archive import seal_path, write_seal
from ..store.create import note_ownership
from ..store.folder import LoopFolder, read_note
from ..store.restore import notes_of

LAST_HEAD, LOST_JOURNAL = "head", "lost.jsonl"
LOCK_SECONDS = 120.0
RECORD_DAYS = 90


class OlderCheckpoint(UserError):
    """This machine continued from a newer checkpoint of the loop before."""


def record_path(loop_id: str, *names: str) -> str:
    return os.path.join(state_home(), "checkpoints", os.path.basename(loop_id), *names)


def lock_record(loop_id: str) -> FileLock:
    """One at a time: a worker that continues the loop, or one that removes an earlier checkout."""
    files.make_folder(record_path(loop_id))
    return FileLock(record_path(loop_id, "lock"), LOCK_SECONDS)


def drop_old_records() -> None:
    """Remove the records of loops that this machine has not continued for long."""
    folder = os.path.dirname(record_path("x"))
    oldest = time.time() - RECORD_DAYS * 86_400
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        if entry.stat().st_mtime < oldest:
            shutil.rmtree(entry.path, ignore_errors=True)


def refuse_older_journal(journal_path: str, loop_id: str) -> None:
    """Each checkpoint of a loop continues the one before it, so it has that one's last line."""
    last = files.read_text(record_path(loop_id, LAST_HEAD), 1_000)
    if last and last.strip() not in journal.line_digests(journal_path):
        raise OlderCheckpoint(
            f"the checkpoint of loop {loop_id} is older than one that this machine has continued "
            "from, so it is not used. Was the database restored from a backup? To use it all the "
            f"same, delete {record_path(loop_id)}"
        )


def take_over(folder: LoopFolder, journal_path: str, is_ended: bool) -> str:
    """Make the loop this user's, in this folder only; returns what a person should know, or "".

    Whoever still works in an earlier checkout of the loop on this machine is refused from now on.
    """
    tail = journal.read(journal_path)
    loop_id = tail.loop.id
    notice = _keep_lost_journal(journal_path, loop_id)
    _release_other_folders(folder, loop_id)
    if is_ended:
        note_ownership(folder, loop_id, tail.head)
        write_seal(folder.real_root, loop_id, tail)
    else:
        files.remove_file(seal_path(loop_id))
        note_ownership(folder, loop_id, tail.head)
        second_copy.keep_second_copy(folder.real_root, journal_path, tail)
    files.write_atomic(record_path(loop_id, LAST_HEAD), f"{tail.head}\n".encode())
    return notice


def _keep_lost_journal(journal_path: str, loop_id: str) -> str:
    """Keep the journal of a turn that was cut off here: the checkpoint does not have its lines."""
    found = second_copy.read_second_copy(loop_id)
    if found is None or found[1].head in journal.line_digests(journal_path):
        return ""
    path = record_path(loop_id, LOST_JOURNAL)
    files.write_atomic(path, files.read_bytes(found[0]))
    return (
        f"[LOOP] This machine has lines of loop {loop_id} that are not in its checkpoint: work "
        f"that was cut off. It is done again. The lines are kept in {path}"
    )


def _release_other_folders(folder: LoopFolder, loop_id: str) -> None:
    for note in notes_of(loop_id):
        _, root, *_ = (*read_note(note), "")
        if root and root != folder.real_root:
            second_copy.remove_mark(root)
            files.remove_file(note)


def forget_checkout(root: str) -> None:
    """Remove what this machine keeps of the loop in this checkout, whose files are to be deleted.

    What another checkout of the same loop needs stays. So does the record that makes an older
    checkpoint visible.
    """
    folder = LoopFolder(root)
    loop_id = read_note(folder.note_path)[0]
    second_copy.remove_mark(folder.real_root)
    if not loop_id:
        return
    with lock_record(loop_id):
        files.remove_file(folder.note_path)
        if notes_of(loop_id):
            return
        second_copy.drop_second_copy(folder.real_root, loop_id)
        holdouts.delete_holdouts(loop_id)
        drop_room(loop_id)
        files.remove_file(seal_path(loop_id))
