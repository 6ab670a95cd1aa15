"""Makes the runs of a final proof that are missing: not made, or not passed.

They run on the kept final tree, by the rules of the final proof itself.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable

from ...cleanroom.calibration import calibrate_room
from ...cleanroom.checkout import drop_ended_room, room_criteria
from ...cleanroom.runs import run_in_room
from ...core.directives import RunInCleanCheckout
from ...core.draft import Draft
from ...core.loop import Loop
from ...core.policies.clean_checkout_runs import (
    finish_proof,
    missing_runs,
    next_clean_checkout_run,
    record_calibration,
    record_clean_checkout_run,
    run_of_kind,
)
from ...core.proof.clean_checkout import FAILED, TRUSTED, UNTRUSTED
from ...core.proof.state import CheckRound
from ...core.signals import CleanCheckoutResult
from ...repo.tree import tree_hash
from ...store.folder import LoopFolder
from ...store.machine_faults import MachineFault
from ..errors import UserError
from .ended_record import amend_record, read_ended_loop


def finish_proof_of_ended_loop(
    folder: LoopFolder, path: str, report: Callable[[str], None]
) -> Loop:
    """Make the runs that are missing, on the final tree, and record them."""
    loop = read_ended_loop(folder, path)
    if not missing_runs(loop) or not room_criteria(loop):
        why = "" if room_criteria(loop) else " (none of its checks runs a command)"
        raise UserError(
            f"no run of its proof is left to be made{why}. To run its checks again: loop audit"
        )
    archive = _ArchivedFolder(folder, os.path.dirname(path))

    def make_runs(draft: Draft) -> None:
        try:
            _make_runs(archive, draft, report)
        except MachineFault as fault:
            raise UserError(f"nothing was recorded: {fault}: loop audit --finish") from fault
        finally:
            shutil.rmtree(archive.path_of("tree"), ignore_errors=True)

    finished = amend_record(folder, path, make_runs)
    drop_ended_room(finished)
    return finished


class _ArchivedFolder(LoopFolder):
    """The folder of a loop that has ended: outputs of checks go beside its journal."""

    def __init__(self, folder: LoopFolder, archive: str) -> None:
        super().__init__(folder.root)
        self.path = archive


def _make_runs(folder: LoopFolder, draft: Draft, report: Callable[[str], None]) -> None:
    # The reading creates the git folder in the archive through which trees are compared.
    tree_hash(folder.root, folder.path, draft.loop.settings.volatile_globs)
    if draft.loop.room.status not in (TRUSTED, UNTRUSTED):
        report("calibrating the clean checkout …")
        record_calibration(draft, calibrate_room(folder, draft.loop))
    # The claim to prove is that of the end, so what has not passed then is made anew.
    claim = CheckRound(number=0, tree=draft.loop.tree)
    while wanted := next_clean_checkout_run(draft.loop, claim):
        report(_progress_text(draft.loop, wanted))
        signal = run_in_room(folder, wanted, draft.loop)
        assert isinstance(signal, CleanCheckoutResult), "only a calibration has another result"
        record_clean_checkout_run(draft, signal.run)
        claim = claim.but(room_runs=(*claim.room_runs, wanted.kind))
    finish_proof(draft, time.time())


def _progress_text(loop: Loop, wanted: RunInCleanCheckout) -> str:
    earlier = run_of_kind(loop, wanted.kind, wanted.tree)
    has_failed = earlier is not None and earlier.outcome == FAILED
    return f"running{' again, because it failed' if has_failed else ''}: {wanted.kind} …"
