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
from ..disk.files import make_folder, write_private
from .state_folder import room_store

CACHES = "caches"
# Go takes no test result that is older than the time in this file: a test always runs.
GO_CACHE, OLDEST_RESULT = os.path.join(".cache", "go-build"), "testexpire.txt"


@contextmanager
def private_caches(loop: Loop, names: tuple[str, ...]) -> Iterator[str]:
    """A folder with the caches of these names for one run; removed afterwards.

    Before the loop has begun, what the run leaves is kept for the runs after it.
    """
    make_folder(room_store(loop))
    folder = tempfile.mkdtemp(prefix=f"{CACHES}-", dir=room_store(loop))
    kept = room_store(loop, CACHES)
    try:
        for name in names:
            _copy_cache(os.path.join(kept, name), os.path.join(folder, name))
        yield folder
        if not loop.baseline.tree_id:  # no agent has worked
            _keep_caches(folder, kept)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_cache(kept: str, cache: str) -> None:
    if os.path.isdir(kept):
        shutil.copytree(kept, cache, symlinks=True, copy_function=shutil.copy)
    else:
        os.makedirs(cache)


def _keep_caches(folder: str, kept: str) -> None:
    go_cache = os.path.join(folder, GO_CACHE)
    if os.path.isdir(go_cache):
        write_private(os.path.join(go_cache, OLDEST_RESULT), b"%d\n" % time.time_ns())
    shutil.rmtree(kept, ignore_errors=True)
    with suppress(OSError):  # a check beside this one was quicker
        os.rename(folder, kept)
