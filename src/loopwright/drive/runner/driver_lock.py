"""The lock that a runner holds for its whole life, and orders take for a moment."""

from __future__ import annotations

import errno

from ...disk.lock import FileLock, FolderBusy
from ...store.folder import LoopFolder
from ..errors import UserError

# A runner holds its lock for longer than this; a command that only tests the lock does not.
LOCK_WAIT_SECONDS = 0.5


class RunnerLock(FileLock):
    """The lock of the one runner of a folder."""

    def __init__(self, folder: LoopFolder, wait_seconds: float = LOCK_WAIT_SECONDS) -> None:
        super().__init__(folder.path_of("driver.lock"), wait_seconds)
        self.folder = folder


class OrderLock(RunnerLock):
    """The lock of a runner, taken for one order, so that there are never two drivers.

    Whoever takes the lock first records what a killed runner had spent.
    """

    def __enter__(self) -> None:
        try:
            super().__enter__()
        except FolderBusy as error:
            raise UserError(
                "`loop run` drives this loop now. Stop it first: Ctrl-C there, or: `loop pause`"
            ) from error
        try:
            if (loop := self.folder.read_loop()) and loop.headless_run:
                from .turn_result import settle_lost_turns

                settle_lost_turns(self.folder, loop)
        except BaseException:
            self.release()
            raise


def refuse_if_driven(folder: LoopFolder) -> None:
    """Raise an error when a runner drives the loop."""
    with OrderLock(folder):
        pass


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
