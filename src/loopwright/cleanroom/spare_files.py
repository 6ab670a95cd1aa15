"""The copy of the saved packages that one room leaves to the next.

Copying and removing installed packages may cost more than the checks. So a room that closes leaves
its copy, and the next one takes it if the content is still what was recorded at the start: a check
may have written into it. What was saved itself is never in a room.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from ..core.loop import Loop
from ..store.state_folder import room_store
from . import checkout_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SPARE_FOLDER = "spare"


def missing_paths(store: str, room: str, below: str = "") -> Iterator[str]:
    """What of the store the room does not have: whole folders where it can be."""
    folder = os.path.join(store, below)
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
        path = os.path.join(below, name)
        if _is_folder(os.path.join(store, path)) and _is_folder(os.path.join(room, path)):
            yield from missing_paths(store, room, path)
        else:
            yield path


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def take_spare_files(loop: Loop, room: str) -> bool:
    """Move what an earlier room left into this one; False where that is not as it was saved."""
    scratch = tempfile.mkdtemp(prefix="taken-", dir=room_store(loop))
    files = os.path.join(scratch, "files")
    try:
        os.rename(room_store(loop, SPARE_FOLDER), files)  # of several rooms one gets it
        if checkout_files.content_digest(files) != loop.room.files_digest:
            return False
    except OSError:
        return False
    else:
        _move_paths(files, room, list(missing_paths(files, room)))
        return True
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def leave_spare_files(loop: Loop, room: str, paths: list[str]) -> None:
    """Move these files out of the room; the next one takes them."""
    scratch = tempfile.mkdtemp(prefix="left-", dir=room_store(loop))
    files = os.path.join(scratch, "files")
    try:
        _move_paths(room, files, paths)
        os.rename(files, room_store(loop, SPARE_FOLDER))
    except OSError:
        return  # a check removed some of it, or another room has left its copy
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _move_paths(source: str, target: str, paths: list[str]) -> None:
    for path in paths:
        full = os.path.join(target, path)
        os.makedirs(os.path.dirname(full), mode=0o700, exist_ok=True)
        os.replace(os.path.join(source, path), full)
