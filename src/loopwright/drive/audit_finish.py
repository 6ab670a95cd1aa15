"""Makes the runs of a final proof for which the Stop had no time, and records them.

The loop has ended, so its journal is an archive: the new line continues its chain, and the seal
outside the project moves to it.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable

from ..core.directives import RunInRoom
from ..core.draft import Draft
from ..core.engine import policy_of
from ..core.evolve import evolve
from ..core.loop import Loop
from ..core.policies.closing import finish_proof, record_calibration
from ..core.prompts.messages import resume_command
from ..core.room import PENDING, RUN_ORDER, RoomRun
from ..core.signals import RoomResult
from ..core.status import ENDED
from ..disk.lock import FileLock
from ..repo.tree import tree_hash
from ..store import journal
from ..store.folder import LoopFolder, current_moment, write_seal
from .errors import UserError
from .machine_faults import MachineFault
from .record_check import record_problems
from .room_calibration import calibrate_room
from .room_checkout import drop_room
from .room_runs import run_in_room


def finish_skipped_runs(folder: LoopFolder, path: str, report: Callable[[str], None]) -> Loop:
    """Make the skipped runs on the proven tree, record them, and return the loop with them."""
    if problems := record_problems(folder, path):
        raise UserError(
            f"the record was changed, so nothing is run: {problems[0]}. See: loop audit"
        )
    tail = journal.read(path)
    loop = tail.loop
    if loop.status not in ENDED:
        command = resume_command(loop, loop.pause.cause)
        raise UserError(
            f"the loop is {loop.status}, so its proof is not over. To continue: {command}"
        )
    if not loop.skipped_runs:
        raise UserError("no run of its proof was skipped. To run its checks again: loop audit")
    draft = Draft(loop, evolve, policy_of)
    archive = _ArchivedFolder(folder, os.path.dirname(path))
    try:
        _make_runs(archive, draft, report)
    finally:
        shutil.rmtree(archive.path_of("tree"), ignore_errors=True)
    with FileLock(folder.path_of("lock"), folder.lock_timeout_seconds):
        if journal.read(path).head != tail.head:
            raise UserError(
                "its record changed meanwhile, so nothing was added. Try again: loop audit --finish"
            )
        moment = current_moment()
        data = journal.encode_move(
            tail, draft.loop, tuple(draft.events), tail.mirror_digest, moment.at, "", moment
        )
        journal.append_line(path, data, tail)
        write_seal(folder.real_root, loop.id, journal.read(path))
    drop_room(loop.id)
    return draft.loop


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
    made = {run.kind for run in draft.loop.room.runs} - set(draft.loop.skipped_runs)
    runs: list[RoomRun] = []
    for kind in RUN_ORDER:
        if kind in made or (kind == "revert" and draft.loop.backlog):
            continue
        report(f"running: {kind} …")
        try:
            signal = run_in_room(folder, RunInRoom(kind, 0, 0, draft.loop.tree), draft.loop)
        except MachineFault as fault:
            raise UserError(f"nothing was recorded: {fault}: loop audit --finish") from fault
        assert isinstance(signal, RoomResult), "only a calibration has another result"
        runs.append(signal.run)
    finish_proof(draft, tuple(runs), time.time())
