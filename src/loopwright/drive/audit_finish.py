"""Makes the runs of a final proof that the end had no time for, or could not prepare."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable

from ..core.directives import RunInRoom
from ..core.draft import Draft
from ..core.loop import Loop
from ..core.policies.closing import finish_proof, record_calibration
from ..core.room import COULD_NOT_PREPARE, PENDING, RoomRun, needed_runs
from ..core.signals import RoomResult
from ..repo.tree import tree_hash
from ..store.folder import LoopFolder
from .ended_record import amend_record, read_ended_loop
from .errors import UserError
from .machine_faults import MachineFault
from .room_calibration import calibrate_room
from .room_checkout import drop_room
from .room_runs import run_in_room


def finish_proof_of_ended_loop(
    folder: LoopFolder, path: str, report: Callable[[str], None]
) -> Loop:
    """Make the runs that could not be made, on the proven tree, and record them."""
    loop = read_ended_loop(folder, path)
    if not loop.unfinished_runs:
        why = "" if loop.room.runs or not loop.room.why else f" ({loop.room.why})"
        raise UserError(
            f"no run of its proof is left to be made{why}. To run its checks again: loop audit"
        )
    archive = _ArchivedFolder(folder, os.path.dirname(path))

    def make_runs(draft: Draft) -> None:
        try:
            _make_runs(archive, draft, report)
        finally:
            shutil.rmtree(archive.path_of("tree"), ignore_errors=True)

    finished = amend_record(folder, path, make_runs)
    if not finished.unfinished_runs:
        drop_room(loop.id)
    return finished


class _ArchivedFolder(LoopFolder):
    """The folder of a loop that has ended: outputs of checks go beside its journal."""

    def __init__(self, folder: LoopFolder, archive: str) -> None:
        super().__init__(folder.root)
        self.path = archive


def _make_runs(folder: LoopFolder, draft: Draft, report: Callable[[str], None]) -> None:
    # The reading creates the git folder in the archive through which trees are compared.
    tree_hash(folder.root, folder.path, draft.loop.settings.volatile_globs)
    if draft.loop.room.status == PENDING:
        report("calibrating the clean checkout …")
        record_calibration(draft, calibrate_room(folder, draft.loop))
    made = {run.kind for run in draft.loop.room.runs} - set(draft.loop.unfinished_runs)
    runs: list[RoomRun] = []
    for kind in needed_runs(bool(draft.loop.backlog)):
        if kind in made:
            continue
        report(f"running: {kind} …")
        try:
            signal = run_in_room(folder, RunInRoom(kind, 0, 0, draft.loop.tree), draft.loop)
        except MachineFault as fault:
            raise UserError(f"nothing was recorded: {fault}: loop audit --finish") from fault
        assert isinstance(signal, RoomResult), "only a calibration has another result"
        runs.append(signal.run)
        if signal.run.outcome == COULD_NOT_PREPARE:
            break  # the others cannot be prepared either
    finish_proof(draft, tuple(runs), time.time())
