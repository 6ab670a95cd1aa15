"""The second name of a journal, outside the project, and the mark of the folder it belongs to.

The second name is a hard link where the file system allows it, so it always ends as the journal
does. Beside it lies a copy, which also survives a journal that was overwritten in place. The mark
is a small file whose path repeats the path of the project, so that the shell gate finds it
without Python.
"""

from __future__ import annotations

import sys

from ..disk import files
from ..disk.light_os import os
from ..disk.user_folders import state_home
from . import journal

MARK, TOLD = "loop", "told"  # hook/entry.py and hook/gate.sh look for MARK
COMPARED_BYTES = 4096


def link_path(loop_id: str) -> str:
    return os.path.join(state_home(), "journals", f"{os.path.basename(loop_id)}.jsonl")


def copy_path(loop_id: str) -> str:
    return os.path.join(state_home(), "journals", f"{os.path.basename(loop_id)}.copy")


def mark_folder(real_root: str) -> str:
    """Where the mark of this project is: its own path, without links, below our record."""
    path = real_root
    if sys.platform == "win32":  # as the shell of git spells it: /c/Users
        path = f"/{path[:1].lower()}{path[2:]}".replace("\\", "/")
    return f"{os.path.join(state_home(), 'active')}{path}"


def read_mark(real_root: str) -> list[str]:
    """Loop id and file identity of the journal that belongs here; empty without a mark."""
    try:
        data = files.read_bytes(os.path.join(mark_folder(real_root), MARK))
    except OSError:
        return []
    return data[:1000].decode("utf-8", "replace").split("\n") if data else []


def file_identity(path: str) -> str:
    status = os.stat(path)
    return f"{status.st_dev}:{status.st_ino}"


def is_same_file(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def write_mark(real_root: str, loop_id: str, identity: str) -> None:
    """Record that this loop is active here. It also ends the silence about an earlier loss."""
    folder = mark_folder(real_root)
    try:
        files.make_folder(folder)
        files.write_atomic(os.path.join(folder, MARK), f"{loop_id}\n{identity}\n".encode())
        files.remove_file(os.path.join(folder, TOLD))
    except OSError:  # a path that is too long below another: the loop works without the mark
        return


def remove_mark(real_root: str) -> None:
    """Remove the mark, and the folders that were made for it."""
    folder, top = mark_folder(real_root), os.path.join(state_home(), "active")
    for name in (TOLD, MARK, f"{MARK}.tmp"):
        try:
            os.remove(os.path.join(folder, name))
        except OSError:  # there was none
            pass
    try:
        while len(folder) > len(top):
            os.rmdir(folder)
            folder = os.path.dirname(folder)
    except OSError:  # another project lies below it
        return


def record_told(real_root: str) -> bool:
    """Record that the person knows that the loop is gone. True if they knew before."""
    path = os.path.join(mark_folder(real_root), TOLD)
    if os.path.exists(path):
        return True
    try:
        files.make_folder(os.path.dirname(path))
        files.write_atomic(path, b"", wait=False)
    except OSError:
        pass
    return False


def keep_second_copy(real_root: str, journal_path: str, tail: journal.Tail) -> None:
    """See to it that mark, second name and copy belong to this journal, which was just verified."""
    loop_id = tail.loop.id
    identity = file_identity(journal_path)
    if read_mark(real_root)[:2] != [loop_id, identity] or _is_told(real_root):
        write_mark(real_root, loop_id, identity)
    try:
        if not is_same_file(journal_path, link_path(loop_id)):
            _make_link(journal_path, link_path(loop_id))
        copy = copy_path(loop_id)
        if not _is_beginning_of(copy, journal_path):
            files.remove_file(copy)
        if not os.path.exists(copy) or os.stat(copy).st_size < tail.size:
            extend_copy(journal_path, loop_id, tail.size)
    except OSError:  # no room, or no right to write: the loop itself is unharmed
        return


def _is_told(real_root: str) -> bool:
    return os.path.exists(os.path.join(mark_folder(real_root), TOLD))


def _make_link(journal_path: str, link: str) -> None:
    files.make_folder(os.path.dirname(link))
    files.remove_file(link)
    try:
        os.link(journal_path, link)
        files.sync_folder(os.path.dirname(link))
    except OSError:  # another file system, or one without hard links: the copy has to do
        return


def _is_beginning_of(copy: str, journal_path: str) -> bool:
    """Does the copy end with the bytes that the journal has at that place?"""
    try:
        with (
            open(copy, "rb", buffering=0) as file,
            open(journal_path, "rb", buffering=0) as journal_file,
        ):
            start = max(0, file.seek(0, 2) - COMPARED_BYTES)
            file.seek(start)
            journal_file.seek(start)
            last = file.read()
            return journal_file.read(len(last)) == last
    except FileNotFoundError:
        return False


def extend_copy(journal_path: str, loop_id: str, size: int) -> None:
    """Append to the copy what it lacks of the journal's whole lines, without waiting for the disk.

    `size` is the number of bytes in whole lines; a torn end is not copied.
    """
    path = copy_path(loop_id)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | files.NO_LINK_FLAGS
    try:
        files.make_folder(os.path.dirname(path))
        with open(journal_path, "rb") as file, open(os.open(path, flags, 0o600), "ab") as copy:
            start = file.seek(os.fstat(copy.fileno()).st_size)
            copy.write(file.read(max(0, size - start)))
    except OSError:  # no room: the journal itself has the line, and the next one brings both
        return


def has_second_copy(loop_id: str) -> bool:
    return os.path.exists(link_path(loop_id)) or os.path.exists(copy_path(loop_id))


def read_second_copy(loop_id: str, heads: tuple[str, ...] = ()) -> tuple[str, journal.Tail] | None:
    """The file outside the project that holds most of the journal, and its end.

    One that ends with one of these heads comes first: a line that another program appended to the
    journal is in its link too.
    """
    found: tuple[str, journal.Tail] | None = None
    found_rank = (False, -1)
    for path in (link_path(loop_id), copy_path(loop_id)):
        try:
            tail = journal.read(path)
        except (OSError, journal.JournalError):
            continue
        rank = (tail.head in heads, tail.seq)
        if tail.loop.id == loop_id and rank > found_rank:
            found, found_rank = (path, tail), rank
    return found


def drop_second_copy(real_root: str, loop_id: str) -> None:
    """The loop has ended, or nobody wants it any more. The mark goes last: it leads here."""
    for path in (copy_path(loop_id), link_path(loop_id)):
        try:
            files.remove_file(path)
        except OSError:
            continue
    if read_mark(real_root)[:1] == [loop_id]:
        remove_mark(real_root)
