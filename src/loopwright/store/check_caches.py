"""Caches that a tool must write: each check in a sandbox gets its own copy of them.

Where the sandbox cannot copy by itself, the cache of the user stays out of it, and a tool that
finds an empty one builds everything again: Go its whole standard library. So what the checks of
the start leave is kept, and each later run works in a copy. Nothing that an agent caused is in it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..core.loop import Loop
from ..disk.copies import copy_path
from ..disk.files import make_folder, write_private
from ..disk.user_folders import home_folder
from .state_folder import room_store

CACHES = "caches"
# Go takes no test result that is older than the time in this file: a test always runs.
GO_CACHE, OLDEST_RESULT = os.path.join(".cache", "go-build"), "testexpire.txt"
GO_FILES = ("go.mod", "go.work")  # in the project
MAX_BYTES = 200_000_000  # of the user's cache of Go: its newest files
LONG_AGO = 2 * 24 * 3600  # seconds; Go gives a file that it uses a new time, after an hour


@contextmanager
def private_caches(loop: Loop, root: str, names: tuple[str, ...]) -> Iterator[str]:
    """A folder with the caches of these names for one run; removed afterwards.

    Before the loop has begun, what the run leaves is kept for the runs after it.
    """
    make_folder(room_store(loop))
    folder = tempfile.mkdtemp(prefix=f"{CACHES}-", dir=room_store(loop))
    kept = room_store(loop, CACHES)
    try:
        if os.path.isdir(kept):
            copy_path(os.path.join(kept, "."), folder)  # what it lacks is built again
        for name in names:
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        is_first = not loop.baseline.tree_id and not os.path.isdir(kept)
        if is_first and any(os.path.exists(os.path.join(root, name)) for name in GO_FILES):
            _copy_cache_of_go(os.path.join(folder, GO_CACHE))
        yield folder
        if not loop.baseline.tree_id:  # no agent has worked
            _keep_caches(folder, kept, is_first)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_cache_of_go(cache: str) -> None:
    """Begin with what the user's own cache has; what the run does not use is not kept."""
    files, size = [], 0
    for folder, _, names in os.walk(os.path.join(home_folder(), GO_CACHE)):
        for path in (os.path.join(folder, name) for name in names):
            with suppress(OSError):
                files.append((os.stat(path), path))
    before = time.time() - LONG_AGO
    for status, path in sorted(files, key=lambda row: row[0].st_mtime, reverse=True):
        size += status.st_size
        if size > MAX_BYTES:
            return
        copy = os.path.join(cache, os.path.relpath(path, os.path.join(home_folder(), GO_CACHE)))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with suppress(OSError):
            shutil.copy(path, copy)
            os.utime(copy, (before, before))


def _keep_caches(folder: str, kept: str, is_first: bool) -> None:
    go_cache = os.path.join(folder, GO_CACHE)
    if is_first:
        _remove_unused_files(go_cache)
    if not any(names for _, _, names in os.walk(folder)):
        return
    if os.path.isdir(go_cache):
        write_private(os.path.join(go_cache, OLDEST_RESULT), b"%d\n" % time.time_ns())
    shutil.rmtree(kept, ignore_errors=True)
    with suppress(OSError):  # a check beside this one was quicker
        os.rename(folder, kept)


def _remove_unused_files(go_cache: str) -> None:
    for folder, _, names in os.walk(go_cache):
        for path in (os.path.join(folder, name) for name in names):
            if os.stat(path).st_mtime < time.time() - LONG_AGO / 2:
                os.unlink(path)
