"""A loop whose journal is gone, damaged or at another path: find it, put it back, drop it."""

from __future__ import annotations

import os

from ..core.loop import Loop
from ..core.record import Record
from ..core.status import ENDED
from ..disk import files
from ..disk.lock import FileLock
from ..disk.user_folders import state_home
from . import journal, mirror, second_copy
from .create import note_ownership, prepare_folder
from .folder import LOCK_SECONDS, LoopFolder, NoLoop, UntrustedFolder, read_note

MAX_SPEC = 60


class NothingToRestore(Exception):
    """There is no second copy of a journal for this folder that could be read."""


class Restored(Record):
    """A loop that was put back."""

    loop: Loop
    lines: int  # of the journal that is there now
    complete: bool  # does it end as the journal did?
    aside_path: str = ""  # where the damaged journal is now


def missing_loop(folder: LoopFolder) -> Loop | None:
    """The active loop that our own record names here, and whose journal is gone."""
    if os.path.lexists(folder.journal_path):
        return None
    loop_id = recorded_id(folder)
    if not loop_id:
        return None
    found = second_copy.read_second_copy(loop_id)
    if found and found[1].loop.status not in ENDED and not _has_moved(folder):
        return found[1].loop
    if found and found[1].loop.status in ENDED:  # its end was cut short
        second_copy.drop_second_copy(folder.real_root, loop_id)
    elif found or not second_copy.has_second_copy(loop_id):
        # It works in a worktree now, or its start was cut short.
        second_copy.remove_mark(folder.real_root)
    return None


def recorded_id(folder: LoopFolder) -> str:
    """The id of the loop that our record names as active here; "" for none."""
    mark = second_copy.read_mark(folder.real_root)
    return mark[0] if mark else ""


def _has_moved(folder: LoopFolder) -> bool:
    """Did `loop run --worktree` take the loop elsewhere?"""
    return os.path.exists(folder.path_of("moved"))


def missing_text(folder: LoopFolder, loop: Loop) -> str:
    """One line: what is gone, that nothing is lost, and what to type."""
    spec = " ".join(loop.spec.split())[:MAX_SPEC]
    if not os.path.isdir(folder.root):
        return (
            f"[LOOP] {folder.root} is gone, where a loop was {loop.status} ({spec!r}). Nothing is "
            "lost: where the folder was moved to, the loop continues; see `loop status` there"
        )
    what = ".loop/journal.jsonl" if os.path.isdir(folder.path) else ".loop/"
    return (
        f"[LOOP] {what} is gone from {folder.root} (git clean, a stash, another branch?), where a "
        f"loop was {loop.status} ({spec!r}). Nothing is lost. Put it back: `loop restore`. "
        "Drop it: `loop forget`"
    )


def missing_notice(folder: LoopFolder) -> str:
    """The line about a loop that is gone, once; "" if none is gone or the person knows."""
    loop = missing_loop(folder)
    if loop is None or second_copy.record_told(folder.real_root):
        return ""
    return missing_text(folder, loop)


def is_intact(folder: LoopFolder) -> bool:
    """Is there a journal that we can open?"""
    try:
        with folder.locked():
            return True
    except (journal.JournalError, NoLoop, UntrustedFolder):
        return False


def restore_loop(folder: LoopFolder) -> Restored:
    """Put the second copy of the journal back, and rebuild the files beside it.

    A journal that is there and cannot be used is set aside, never deleted.
    """
    found = _find_copy(folder)
    if found is None:
        raise NothingToRestore(
            f"there is no second copy of a loop in {folder.root}. Start one: loop start SPEC"
        )
    source, tail = found
    loop_id = tail.loop.id
    prepare_folder(folder)
    with FileLock(folder.path_of("lock"), LOCK_SECONDS):
        aside = set_journal_aside(folder)
        _place_journal(source, folder.journal_path)
        complete = tail.head in _noted_heads(folder)
        note_ownership(folder, loop_id, tail.head)
        files.write_atomic(folder.mirror_path, mirror.render_mirror(tail.loop))
        holder = tail.loop.lease.holder.encode()
        files.write_atomic(folder.path_of("driver"), holder + b"\n")
        if tail.loop.backlog:
            from .page_file import BacklogPageFile

            BacklogPageFile(folder.root, folder.path).create_page(tail.loop, onto=True)
        files.sync_folder(folder.path)
        second_copy.keep_second_copy(folder.real_root, folder.journal_path, tail)
    return Restored(loop=tail.loop, lines=tail.seq, complete=complete, aside_path=aside)


def _find_copy(folder: LoopFolder) -> tuple[str, journal.Tail] | None:
    """The second copy of the active loop that belongs here."""
    loop_id = recorded_id(folder) or _noted_id(folder)
    heads = tuple(filter(None, _noted_heads(folder)))
    found = second_copy.read_second_copy(loop_id, heads) if loop_id else None
    return found if found and found[1].loop.status not in ENDED else None


def is_copy_complete(folder: LoopFolder) -> bool:
    """Is there a second copy that ends as our note says that the journal ends?"""
    found = _find_copy(folder)
    return bool(found and found[1].head in _noted_heads(folder))


def readable_copy(folder: LoopFolder) -> journal.Tail | None:
    """The end of the second copy that could be put back here; None if there is none."""
    found = _find_copy(folder)
    return found[1] if found else None


def restored_text(restored: Restored) -> str:
    """What was put back, in one line."""
    text = f"[LOOP] Restored: loop {restored.loop.id}, {restored.loop.status}."
    if not restored.complete:
        text += f" The copy ends with line {restored.lines} of the journal; later lines are lost."
    if restored.aside_path:
        text += f" The damaged journal is kept as {restored.aside_path}."
    return text


def set_journal_aside(folder: LoopFolder) -> str:
    """Move a journal that cannot be used to .loop/aside/; the path, or "" if there was none."""
    if not os.path.lexists(folder.journal_path):
        return ""
    path = files.set_aside(folder.journal_path, folder.path_of("aside"))
    return os.path.relpath(path, folder.root)


def _place_journal(source: str, target: str) -> None:
    """As one more name of the same file, if it is the link; as a file of its own otherwise."""
    if source.endswith(".jsonl"):
        try:
            os.link(source, target)
            return
        except OSError:  # the project now lies on another file system
            pass
    files.write_atomic(target, files.read_bytes(source))


def _noted_heads(folder: LoopFolder) -> list[str]:
    return read_note(folder.note_path)[2:4]


def _noted_id(folder: LoopFolder) -> str:
    return read_note(folder.note_path)[0]


def forget_loop(folder: LoopFolder, loop: Loop) -> None:
    """Drop all that is kept outside the project of a loop whose journal is gone."""
    second_copy.drop_second_copy(folder.real_root, loop.id)
    second_copy.remove_mark(folder.real_root)
    if _noted_id(folder) == loop.id:
        files.remove_file(folder.note_path)


def follow_moved_folder(folder: LoopFolder) -> str:
    """Take note that the folder of our loop was moved here; says so, or "" if it was not.

    It is the same loop if nothing is left at the recorded path, the file is the recorded one and
    the journal ends as our note says.
    """
    if os.path.exists(folder.note_path) or not os.path.isfile(folder.journal_path):
        return ""
    try:
        tail = journal.read(folder.journal_path)
    except (OSError, journal.JournalError):
        return ""
    for old_note in notes_of(tail.loop.id):
        _, old_root, *heads = (*read_note(old_note), "", "")
        is_gone = not os.path.lexists(old_root)
        if is_gone and tail.head in heads[:2] and _is_recorded_file(folder, old_root, tail.loop.id):
            note_ownership(folder, tail.loop.id, tail.head)
            second_copy.remove_mark(old_root)
            second_copy.keep_second_copy(folder.real_root, folder.journal_path, tail)
            files.remove_file(old_note)  # another process may have been quicker
            return f"[LOOP] This folder was moved here from {old_root}: the loop continues."
    return ""


def lost_record_notice(folder: LoopFolder, session: str) -> str:
    """The line about a loop of this session of which we keep no record any more, once; or "".

    Someone emptied our state folder. A folder that came with a clone names another session, and a
    copy has a record under the path of the original: both stay inert, without a word.
    """
    driver = files.read_text(folder.path_of("driver"), 300)
    if not session or not driver or driver.strip() != session:
        return ""
    try:
        loop = journal.read(folder.journal_path).loop
    except (OSError, journal.JournalError):
        return ""
    if loop.status in ENDED or notes_of(loop.id) or second_copy.record_told(folder.real_root):
        return ""
    return (
        f"[LOOP] Our record of this loop is gone from {state_home()}, so the stop is allowed. "
        f"The loop itself is kept in {folder.path}. To continue it, run `loop allow` in a terminal "
        "here, then prompt again"
    )


def notes_of(loop_id: str) -> list[str]:
    """The notes that name this loop."""
    folder = os.path.join(state_home(), "loops")
    try:
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:
        return []
    return [path for path in paths if read_note(path)[0] == loop_id]


def _is_recorded_file(folder: LoopFolder, old_root: str, loop_id: str) -> bool:
    if second_copy.is_same_file(folder.journal_path, second_copy.link_path(loop_id)):
        return True
    mark = second_copy.read_mark(old_root)
    return mark[:2] == [loop_id, second_copy.file_identity(folder.journal_path)]
