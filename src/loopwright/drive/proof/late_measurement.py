"""Checks that a person allows after the start run once then, as the start would have run them.

Only while the files are still those of the start. Otherwise nothing is known of the start, and the
result is proven in place at best.
"""

from __future__ import annotations

import time

from ...cleanroom.calibration import plan_room
from ...cleanroom.checkout import (
    BASELINE_REPORTS,
    CheckRuns,
    load_loaded_files,
    load_runs,
    room_criteria,
)
from ...core.loop import Loop
from ...core.signals import StartMeasurement
from ...repo.tree import read_contents
from ...store.folder import LoopFolder
from ...store.machine_faults import MachineFault, require_writable
from ...verify.halting import CheckHalted, halting_when
from ...verify.ignored_files import content_digests
from .comparison import check_commands
from .measurement import measure_criterion
from .parts_of_proof import halt_question


def measure_allowed_checks(
    folder: LoopFolder, loop: Loop, names: frozenset[str]
) -> StartMeasurement | None:
    """Run the checks of these criteria on the tree of the start; None: that is not possible."""
    allowed = [c for c in room_criteria(loop) if c.name in names]
    if not allowed or not _is_as_at_start(folder, loop):
        return None
    runs: CheckRuns = {}
    try:
        with halting_when(halt_question(folder)):
            tree = loop.baseline.start_tree
            again = [c.but(proof=None) for c in allowed]  # it may have run with another sandbox
            measured = [measure_criterion(c, loop, folder, tree, runs) for c in again]
        if not all(run.evidence.passed for run in runs.values()):
            require_writable(folder, loop)  # the machine may be why, and not the product
    except (CheckHalted, MachineFault, OSError):
        return None
    # A check that writes files cannot be told from an agent that works meanwhile.
    if not runs or _current_tree(folder, loop) != tree:
        return None
    criteria = tuple(c for c in measured if c.name in runs)
    room = plan_room(folder, loop, {**load_runs(loop, BASELINE_REPORTS), **runs})
    return StartMeasurement(time.time(), criteria, room)


def _is_as_at_start(folder: LoopFolder, loop: Loop) -> bool:
    """Are the files of the tree those of the start, and those that the checks load beside it?"""
    start_tree = loop.baseline.start_tree
    if not start_tree or _current_tree(folder, loop) != start_tree:
        return False
    loaded = content_digests(folder.root, check_commands(loop.criteria))
    return loaded == load_loaded_files(loop)


def _current_tree(folder: LoopFolder, loop: Loop) -> str:
    """From the content of the files: an index may call a changed file unchanged."""
    reading = read_contents(folder.root, folder.path, loop.settings.volatile_globs)
    return "" if reading.problem else reading.tree
