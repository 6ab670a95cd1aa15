"""The lock that a runner holds for its whole life, and orders take for a moment."""

from __future__ import annotations

import errno

from ..core.loop import Loop
from ..disk.lock import FileLock, FolderBusy
from .folder import LoopFolder

# A runner holds its lock for longer than this; a command that only tests the lock does not.
LOCK_WAIT_SECONDS = 0.5


class RunnerLock(FileLock):
    """The lock of the one runner of a folder."""

    def __init__(self, folder: LoopFolder, wait_seconds: float = LOCK_WAIT_SECONDS) -> None:
        super().__init__(folder.path_of("driver.lock"), wait_seconds)
        self.folder = folder


def is_runner_alive(folder: LoopFolder) -> bool:
    """Does a runner hold its lock? It does for its whole life."""
    try:
        with RunnerLock(folder, wait_seconds=0.0):
            return False
    except FolderBusy:
        return True
    except OSError as error:
        if error.errno == errno.EROFS:  # its agent asks, from inside the sandbox
            return True
        raise


def is_runner_gone(folder: LoopFolder, loop: Loop) -> bool:
    """Has the runner that drives this loop ended without giving the lease back?"""
    return loop.status == "running" and bool(loop.headless_run) and not is_runner_alive(folder)
