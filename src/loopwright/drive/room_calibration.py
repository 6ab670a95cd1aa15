"""The calibration at the start: do the checks give the same results in a room as in place?

A room that gives other results than the project cannot refute a claim at the end.
"""

from __future__ import annotations

import os
import time

from ..core.loop import Loop, Room
from ..core.room import (
    OFF,
    PENDING,
    TRUSTED,
    UNPREPARED,
    UNTRUSTED,
)
from ..core.signals import CalibrationResult
from ..repo.baseline import COPY_PREFIX
from ..repo.checkout import CheckoutFailed
from ..store.folder import LoopFolder
from ..verify import room as rooms
from ..verify import room_findings as judge
from .room_checkout import (
    BASELINE_REPORTS,
    CheckRuns,
    load_runs,
    open_room,
    room_store,
    run_checks,
    save_runs,
    summarize_run,
)

INCLUDE_FILE = ".worktreeinclude"


def plan_room(folder: LoopFolder, loop: Loop, in_place: CheckRuns) -> Room:
    """Save what the rooms of this loop need, before the agent works."""
    if loop.room.status == OFF or not in_place:
        return loop.room
    if not loop.baseline.tree_id or loop.baseline.tree_id.startswith(COPY_PREFIX):
        return loop.room.but(status=UNPREPARED, why="the project is not in a git repository")
    try:
        _save_room_files(folder, loop)
        save_runs(loop, BASELINE_REPORTS, in_place)
    except (rooms.RoomError, OSError) as error:
        return loop.room.but(status=UNPREPARED, why=str(error))
    return loop.room.but(status=PENDING)


def _save_room_files(folder: LoopFolder, loop: Loop) -> None:
    """Copy installed packages and included files, as they are before the agent works."""
    names = rooms.environment_folders(folder.root)
    names += [name for name in _included_paths(folder, loop) if name not in names]
    rooms.save_paths(folder.root, room_store(loop, "files"), names)


def _included_paths(folder: LoopFolder, loop: Loop) -> list[str]:
    """Ignored files that the checks need: --include, and the lines of .worktreeinclude."""
    names = list(loop.room.include)
    path = os.path.join(folder.root, INCLUDE_FILE)
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = (line.strip() for line in file)
            names += [line for line in lines if line and not line.startswith("#")]
    names = [os.path.normpath(name.strip("/")) for name in names]
    if outside := [name for name in names if name in (".", "..") or name.startswith("../")]:
        raise rooms.RoomError(f"{outside[0]} is not a path inside the project")
    present = (name for name in names if os.path.lexists(os.path.join(folder.root, name)))
    return list(dict.fromkeys(present))


def calibrate_room(folder: LoopFolder, loop: Loop, round_number: int = 0) -> CalibrationResult:
    """Run the checks of the baseline in a room and compare the results with those in place."""
    in_place = load_runs(loop, BASELINE_REPORTS)
    setup = loop.room.setup
    try:
        problem, runs = _calibrate(folder, loop, in_place, setup)
        detected = "" if setup else rooms.detected_setup(folder.root)
        if problem and detected:
            setup = detected
            problem, runs = _calibrate(folder, loop, in_place, setup)
    except (rooms.RoomError, CheckoutFailed, OSError) as error:
        return _calibration(loop, UNPREPARED, str(error), setup, {}, round_number)
    status = UNTRUSTED if problem else TRUSTED
    return _calibration(loop, status, problem, setup, runs, round_number)


def calibrated_room(loop: Loop, result: CalibrationResult) -> Room:
    """The room of a loop that has not started yet, after its calibration."""
    return loop.room.but(
        status=result.status, why=result.why, setup=result.setup, baseline=result.checks
    )


def _calibration(
    loop: Loop, status: str, why: str, setup: str, runs: CheckRuns, round_number: int
) -> CalibrationResult:
    return CalibrationResult(
        at=time.time(),
        status=status,
        why=why,
        setup=setup,
        checks=tuple(summarize_run(name, run) for name, run in runs.items()),
        round=round_number,
        fence=loop.lease.fence,
    )


def _calibrate(
    folder: LoopFolder, loop: Loop, in_place: CheckRuns, setup: str
) -> tuple[str, CheckRuns]:
    """The first difference between the results in place and in the room; "" for none."""
    with open_room(folder, loop, loop.baseline.tree_id, setup) as room:
        runs = run_checks(folder, loop, room)
        paths = (os.path.realpath(room), room, folder.root)
    for name, run in runs.items():
        if name not in in_place:
            return f"{name}: its result at the start is not known", runs
        if problem := judge.calibration_problem(in_place[name], run, paths):
            return f"{name}: {problem}", runs
    return "", runs
