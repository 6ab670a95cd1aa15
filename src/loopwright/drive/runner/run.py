"""`loop run`: one runner drives the loop of a folder until it stops or asks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from ...agents.process_guard import ProcessGuard
from ...core.directives import Reply
from ...disk.lock import FolderBusy
from ...repo.git_box import add_launcher, remove_launcher
from ...store.folder import LoopFolder
from ...store.restore import is_copy_complete, is_intact, missing_loop, restore_loop
from ...store.runner_lock import RunnerLock
from ..errors import UserError
from .agent_box import git_launcher_for
from .headless import LOCK_TIMEOUT_SECONDS, Runner
from .observer import RunObserver
from .run_config import RunConfig
from .stop_signals import StopSignals

DRIVEN = "another runner drives this loop. Follow it: `loop logs -f`. End it: `loop pause`"


class DriverBusy(Exception):
    """Another runner drives this loop."""


def run(folder: LoopFolder, config: RunConfig, observer: RunObserver) -> Reply:
    """Drive the loop until it stops or asks. The operating system releases our lock when we die."""
    with open_runner(folder, config, observer, StopSignals()) as runner:
        return runner.drive_loop()


@contextmanager
def open_runner(
    folder: LoopFolder, config: RunConfig, observer: RunObserver, stop_signals: StopSignals
) -> Iterator[Runner]:
    """The only runner of this folder. In a thread, the caller sets the flags of `stop_signals`."""
    with ExitStack() as stack:
        try:
            stack.enter_context(RunnerLock(folder))
        except FolderBusy as error:
            raise DriverBusy(DRIVEN) from error
        stack.enter_context(stop_signals.install_handlers())
        process_guard = ProcessGuard()
        stack.callback(process_guard.close)
        patient_folder = LoopFolder(folder.root, LOCK_TIMEOUT_SECONDS)
        restorer = LoopRestorer(patient_folder, stack, observer)
        patient_folder.restore_missing = restorer.restore_missing
        patient_folder.restore_changed = restorer.restore_changed
        kind = _runner_class(patient_folder, config)
        runner = kind(patient_folder, config, observer, stop_signals, process_guard)
        if launcher := git_launcher_for(config.sandbox, patient_folder):
            add_launcher(folder.root, launcher)
            stack.callback(remove_launcher, folder.root)
        try:
            yield runner
        finally:
            runner.close()


class LoopRestorer:
    """Puts back a loop whose files disappear or change while a runner drives it, and says so."""

    def __init__(self, folder: LoopFolder, stack: ExitStack, observer: RunObserver) -> None:
        self.folder, self.stack, self.observer = folder, stack, observer
        self._one_at_a_time = Lock()  # the turns of a wave run in threads

    def restore_missing(self) -> None:
        with self._one_at_a_time:
            if missing_loop(self.folder) is None:
                return
            if not os.path.isdir(self.folder.root):  # we do not make a project out of nothing
                raise UserError(
                    f"{self.folder.root} is gone, and the run has ended. Put it back, or go where "
                    "it was moved to, then: loop run"
                )
            driver_lock = RunnerLock(self.folder)
            try:
                restored = restore_loop(self.folder)
                self.stack.enter_context(driver_lock)  # the file that we held is gone
            except FileNotFoundError:  # it is being deleted right now; we come back soon
                return
            self.observer.show_message(
                f"[LOOP] {self.folder.path} was gone (git clean, a stash, another branch?). "
                f"It is restored, and loop {restored.loop.id} continues."
            )

    def restore_changed(self) -> bool:
        """Put our copy in the place of a journal that others changed; False: there is none."""
        with self._one_at_a_time:
            if is_intact(LoopFolder(self.folder.root, LOCK_TIMEOUT_SECONDS)):
                return True  # another lane was quicker
            if not is_copy_complete(self.folder):
                return False
            restored = restore_loop(self.folder)
            self.observer.show_message(
                f"[LOOP] {self.folder.journal_path} was cut off, edited or added to. It is kept as "
                f"{restored.aside_path}; our copy is back, and loop {restored.loop.id} continues. "
                "See: loop audit"
            )
            return True


def _runner_class(folder: LoopFolder, config: RunConfig) -> type[Runner]:
    loop = folder.read_loop()
    if config.attempts:
        from .attempts import AttemptRunner

        return AttemptRunner
    if not loop or not loop.plan:
        return Runner
    from .tasks import TaskRunner
    from .waves import WaveRunner

    return WaveRunner if config.lanes else TaskRunner
