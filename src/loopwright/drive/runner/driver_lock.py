"""Orders take the lock of the runner for a moment."""

from __future__ import annotations

from ...disk.lock import FolderBusy
from ...store.folder import LoopFolder
from ...store.runner_lock import RunnerLock
from ..errors import UserError


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
