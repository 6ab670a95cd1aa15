"""Run the checks of one final run side by side, each group in a clean checkout of its own.

Only a run with parallel lanes does this: its checks have run at the same time before. A check that
fails there runs once more with nothing beside it, and that result counts.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ..core.criteria import Criterion
from ..core.loop import Loop
from ..repo.checkout import CheckoutFailed
from ..store.folder import LoopFolder
from ..verify.check_groups import group_checks
from ..verify.halting import CheckHalted, halting_when, join_threads
from .checkout import CheckRuns, PreparedRoom, RoomOptions, open_room, room_criteria, run_checks
from .checkout_files import RoomError

Arrange = Callable[[PreparedRoom], None]  # what is changed in the checkout before the checks


def run_in_rooms(
    folder: LoopFolder,
    loop: Loop,
    commit: str,
    options: RoomOptions,
    arrange: Arrange,
) -> CheckRuns:
    """The results of all checks on this commit."""
    criteria = room_criteria(loop)
    lanes = loop.headless_run.lanes if loop.headless_run and loop.plan else 1
    groups = group_checks(criteria, lanes, loop.room.prepare_seconds)
    passed: CheckRuns = {}
    if len(groups) > 1:
        passed = _run_groups(folder, loop, commit, options, arrange, groups)
    rest = [c for c in criteria if c.name not in passed]
    runs = passed
    if rest or not passed:
        with open_room(folder, loop, commit, options) as room:
            arrange(room)
            runs = passed | run_checks(folder, loop, room, rest)
    return {c.name: runs[c.name] for c in criteria}


def _run_groups(
    folder: LoopFolder,
    loop: Loop,
    commit: str,
    options: RoomOptions,
    arrange: Arrange,
    groups: list[list[Criterion]],
) -> CheckRuns:
    """The checks that pass, each group in its own checkout."""
    passed: CheckRuns = {}
    halted: list[CheckHalted] = []

    def run_group(group: list[Criterion]) -> None:
        try:
            with open_room(folder, loop, commit, options) as room:
                arrange(room)
                for name, run in run_checks(folder, loop, room, group).items():
                    if run.evidence.passed:
                        passed[name] = run
        except CheckHalted as error:
            halted.append(error)
        except (RoomError, CheckoutFailed, OSError):
            return  # the checks run in one checkout, which says what is wrong

    threads = [threading.Thread(target=run_group, args=(group,)) for group in groups]
    with _halting_on_sigterm():
        for thread in threads:
            thread.start()
        join_threads(threads)
    if halted:
        raise halted[0]
    return passed


@contextmanager
def _halting_on_sigterm() -> Iterator[None]:
    """End the checks of all threads when we get SIGTERM; then it takes its usual course."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGTERM, lambda *call: received.append(call))
    try:
        with halting_when(lambda: bool(received)):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if received:
            signal.raise_signal(signal.SIGTERM)
