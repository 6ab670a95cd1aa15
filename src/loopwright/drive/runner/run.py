"""`loop run`: one runner drives the loop of a folder until it stops or asks."""

from __future__ import annotations

from contextlib import ExitStack

from ...agents.process_guard import guard_processes
from ...core.directives import Reply
from ...disk.lock import FileLock, FolderBusy
from ...store.folder import LoopFolder
from ..orders import LOCK_WAIT_SECONDS
from .headless import LOCK_TIMEOUT_SECONDS, Runner
from .observer import RunObserver
from .run_config import RunConfig
from .stop_signals import StopSignals


class DriverBusy(Exception):
    """Another runner drives this loop."""


def run(folder: LoopFolder, crew: RunConfig, watch: RunObserver) -> Reply:
    """Drive the loop until it stops or asks. The lease is an OS lock, so it dies with us."""
    with ExitStack() as held:
        try:
            held.enter_context(FileLock(folder.path_of("driver.lock"), LOCK_WAIT_SECONDS))
        except FolderBusy as error:
            raise DriverBusy("another runner drives this loop; see `loop status`") from error
        halting, hold = (
            held.enter_context(StopSignals().install_handlers()),
            held.enter_context(guard_processes()),
        )
        patient = LoopFolder(folder.root, LOCK_TIMEOUT_SECONDS)
        kind: type[Runner] = Runner
        if (loop := patient.read_loop()) and loop.plan:
            from .tasks import TaskRunner
            from .waves import WaveRunner

            kind = WaveRunner if crew.lanes else TaskRunner
        return kind(patient, crew, watch, halting, hold).drive_loop()
