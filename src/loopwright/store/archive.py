"""Move the files of an ended loop to .loop/history, and note how its journal ends.

Every step can be repeated.
"""

from __future__ import annotations

import os

from ..core.loop import Loop
from ..disk import files
from ..disk.user_folders import state_home
from . import journal, mirror, second_copy

JOURNAL = "journal.jsonl"
# The journal is moved last: while it is there, the archive is not complete.
ARCHIVED = ("evidence", "logs", "shape", "notes.md", "page.md", JOURNAL)


def move_to_history(root: str, loop_path: str, loop: Loop) -> str:
    """Archive what an ended loop leaves in its folder, and return the path of the archive."""
    history = os.path.join(loop_path, "history", loop.id)
    mirror_path = os.path.join(loop_path, "state.json")
    files.make_folder(history)
    files.write_atomic(os.path.join(history, "state.json"), mirror.render_mirror(loop))
    if loop.settings.keep_mirror:
        files.write_atomic(mirror_path, mirror.render_mirror(loop))
    else:
        files.remove_file(mirror_path)
    if loop.backlog:
        from .page_file import BacklogPageFile

        BacklogPageFile(root, loop_path).archive_page()
    _remove_drafts(loop_path)
    for name in ARCHIVED:
        path = os.path.join(loop_path, name)
        if name == JOURNAL:  # after a power cut, too, it lies beside the files that it names
            files.sync_folder(history)
            files.sync_folder(loop_path)
        if os.path.exists(path):
            files.replace_file(path, files.free_name(os.path.join(history, name)))
    return history


def _remove_drafts(folder: str) -> None:
    """Remove the drafts that killed writers left."""
    for entry in os.scandir(folder):
        if entry.name.endswith(".tmp") and entry.is_file():
            files.remove_file(entry.path)  # a writer that is alive may have renamed it


def write_seal(real_root: str, loop_id: str, tail: journal.Tail) -> None:
    """Record outside the project how an ended journal ends, and where, for `loop audit`."""
    path = seal_path(loop_id)
    files.make_folder(os.path.dirname(path))
    lines = (f"{tail.seq} {tail.head}", second_copy.file_identity(real_root), real_root, "")
    files.write_atomic(path, "\n".join(lines).encode("utf-8", "surrogateescape"))
    files.sync_folder(os.path.dirname(path))


def seal_path(loop_id: str) -> str:
    return os.path.join(state_home(), "heads", loop_id)
