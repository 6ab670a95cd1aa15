"""The calibration at the start: do the checks give the same results in a room as in place?

A room that gives other results than the project cannot refute a claim at the end.
"""

from __future__ import annotations

import os
import time

from ..checks.file_questions import are_named_files_alike, asks_about_files
from ..core.loop import Loop
from ..core.proof.clean_checkout import ALLOWED_LATE, OFF, PENDING, TRUSTED, UNPREPARED, UNTRUSTED
from ..core.proof.state import Room
from ..core.signals import CalibrationResult
from ..repo.checkout import CheckoutFailed
from ..store.folder import LoopFolder
from ..store.state_folder import room_store
from . import checkout_files, path_binding
from . import findings as judge
from .checkout import (
    BASELINE_REPORTS,
    CheckRuns,
    RoomOptions,
    load_runs,
    open_room,
    room_criteria,
    run_checks,
    save_runs,
    summarize_run,
)
from .packages import detected_setup
from .trees import keep_baseline_for_room, room_trees


def plan_room(folder: LoopFolder, loop: Loop, in_place: CheckRuns) -> Room:
    """Save what the rooms of this loop need, before the agent works.

    Once more when checks are allowed after the start, with their results. The tree and the
    packages stay those of the start.
    """
    if not in_place and not loop.waiting_checks:
        return loop.room
    try:
        save_runs(loop, BASELINE_REPORTS, in_place)
        if loop.room.status == OFF:
            return loop.room
        room = loop.room if loop.room.status else _save_start(folder, loop)
    except (checkout_files.RoomError, OSError) as error:
        return loop.room.but(status=UNPREPARED, why=str(error))
    if not in_place:
        return room.but(status=UNPREPARED, why=ALLOWED_LATE)
    if room.status == UNPREPARED and room.why != ALLOWED_LATE:
        return room
    return room.but(status=PENDING, why="")


def _save_start(folder: LoopFolder, loop: Loop) -> Room:
    """Keep the tree, and copy installed packages and included files, before the agent works."""
    commit = keep_baseline_for_room(folder, loop)
    store = room_store(loop, "files")
    needed = checkout_files.needed_paths(folder.root, loop.room.include)
    digest = checkout_files.save_paths(folder.root, store, needed)
    return loop.room.but(baseline_commit=commit, files_digest=digest)


def calibrate_room(folder: LoopFolder, loop: Loop, round_number: int = 0) -> CalibrationResult:
    """Run the checks of the baseline in a room and compare the results with those in place."""
    in_place = load_runs(loop, BASELINE_REPORTS)
    result = CalibrationResult(0.0, UNPREPARED, fence=loop.lease.fence, round=round_number)
    for options in _ways_to_prepare(folder, loop, in_place):
        result = result.but(setup=options.setup, binding=options.binding)
        try:
            result = _calibrate(folder, loop, in_place, options, result)
        except (checkout_files.RoomError, CheckoutFailed, OSError) as error:
            result = result.but(status=UNPREPARED, why=str(error), checks=(), packages="")
        if result.status == TRUSTED or _turned_green(in_place, result):
            break
    return result.but(at=time.time())


def _turned_green(in_place: CheckRuns, result: CalibrationResult) -> bool:
    """Does a check that fails in place pass in the room? Other ways to prepare it cannot help."""
    red = {name for name, run in in_place.items() if not run.evidence.passed}
    return any(check.passed and check.criterion in red for check in result.checks)


def _ways_to_prepare(folder: LoopFolder, loop: Loop, in_place: CheckRuns) -> list[RoomOptions]:
    """At the path of the project where the system allows it; then with rewritten paths.

    The packages that are installed are tried before the setup of the lock file.
    """
    setups = [loop.room.setup]
    if not loop.room.setup and (detected := detected_setup(folder.root)):
        setups.append(detected)
    last_way = RoomOptions(setups[-1])
    silent = {name for name, run in in_place.items() if judge.fails_without_output(run)}
    if silent - _file_questions(loop).keys():
        return [last_way]  # no way can be trusted, so the others would be tried for nothing
    binding = path_binding.available_kind(os.path.realpath(folder.root))
    ways = [RoomOptions(setup, binding) for setup in setups]
    return [*ways, last_way] if binding else ways


def calibrated_room(loop: Loop, result: CalibrationResult) -> Room:
    """The room of a loop that has not started yet, after its calibration."""
    return loop.room.but(
        status=result.status,
        why=result.why,
        setup=result.setup,
        baseline=result.checks,
        binding=result.binding,
        packages=result.packages,
        prepare_seconds=result.prepare_seconds,
    )


def _calibrate(
    folder: LoopFolder,
    loop: Loop,
    in_place: CheckRuns,
    options: RoomOptions,
    result: CalibrationResult,
) -> CalibrationResult:
    """The result of one way to prepare the room."""
    began = time.monotonic()
    with open_room(folder, loop, room_trees(folder, loop).baseline, options) as room:
        prepare_seconds = round(time.monotonic() - began, 3)
        runs = run_checks(folder, loop, room, room_criteria(loop))
        paths = (os.path.realpath(room.path), room.path, folder.root)
        packages = room.packages
        certain = {
            name
            for name, line in _file_questions(loop).items()
            if are_named_files_alike(line, folder.root, room.path)
        }
    problem = _first_difference(in_place, runs, paths, certain)
    return result.but(
        status=UNTRUSTED if problem else TRUSTED,
        why=problem,
        checks=tuple(summarize_run(name, run) for name, run in runs.items()),
        packages=packages,
        prepare_seconds=prepare_seconds,
    )


def _file_questions(loop: Loop) -> dict[str, str]:
    """The lines of the checks that only ask about files."""
    lines = {c.name: c.check.command_line for c in room_criteria(loop) if c.check}
    return {name: line for name, line in lines.items() if asks_about_files(line)}


def _first_difference(
    in_place: CheckRuns, in_room: CheckRuns, paths: tuple[str, ...], certain: set[str]
) -> str:
    """The first difference between the results in place and in the room; "" for none."""
    for name, run in in_room.items():
        if name not in in_place:
            return f"{name}: its result at the start is not known"
        if problem := judge.calibration_problem(in_place[name], run, paths, name in certain):
            return f"{name}: {problem}"
    return ""
