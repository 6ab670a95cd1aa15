"""Before the first turn: do the checks work in a lane as they do in the checkout?

A check that only fails because a worktree lacks a file would cost every attempt of every task.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...core.criteria import Criterion
from ...core.loop import Loop
from ...repo.git import GitError, git_error_text, git_output_list, join_names, run_user_git
from ...repo.lanes.changes import EXCLUDE_CACHE_FLAGS
from ...store.folder import LoopFolder
from ...verify.room_findings import CheckRun, calibration_problem
from ..lane_checkout import check_run, prepare_lane
from ..room_checkout import RoomOptions

TRIAL_SECONDS = 300.0  # for all checks together; the others are not tried
TRIAL_NAME = ".trial"
MAX_OUTPUT = 400
LACKS = re.compile(
    r"No module named|Cannot find (?:module|package)|command not found|: not found|ENOENT"
    r"|No such file or directory|MODULE_NOT_FOUND|is not installed|cannot open",
    re.I,
)


def try_lane(
    folder: LoopFolder, loop: Loop, options: RoomOptions, lanes: str, show: Callable[[str], None]
) -> str:
    """What keeps the checks from working in a lane, and what to do about it; "" for nothing."""
    checks = _checks_to_try(loop)
    with trial_lane(folder.root, os.path.join(lanes, TRIAL_NAME)) as path:
        if problem := prepare_lane(folder, loop, path, options):
            return problem
        if checks:
            show(f"[LOOP] Trying {len(checks)} checks in a fresh worktree …")
        deadline = time.monotonic() + TRIAL_SECONDS
        for c in checks:
            if time.monotonic() > deadline:
                show(f"[LOOP] {c.name} and later checks were not tried in a worktree: no time.")
                return ""
            if problem := _difference(folder, loop, c, path):
                return problem
    return ""


def _checks_to_try(loop: Loop) -> list[Criterion]:
    """The criteria that run a command, each command once."""
    by_command = {
        str(c.check.command): c for c in loop.criteria if c.check and c.may_run and c.runs_command
    }
    return list(by_command.values())


def _difference(folder: LoopFolder, loop: Loop, c: Criterion, path: str) -> str:
    assert c.check is not None
    in_lane = check_run(folder, loop, c.check, c.name, path)
    if in_lane.evidence.passed:
        return ""
    in_place = check_run(folder, loop, c.check, c.name, folder.root)
    paths = (os.path.realpath(path), path, os.path.realpath(folder.root), folder.root)
    if not calibration_problem(in_place, in_lane, paths):
        return ""
    if not in_place.evidence.passed and not _lacks_more(in_place, in_lane):
        return ""  # the work is still to be done; other words alone say nothing
    return _named_problem(folder.root, path, c.name, in_place, in_lane)


def _lacks_more(in_place: CheckRun, in_lane: CheckRun) -> bool:
    """Does only the run in the lane say that something is missing?"""
    return bool(LACKS.search(in_lane.evidence.detail)) and not LACKS.search(
        in_place.evidence.detail
    )


def _named_problem(root: str, path: str, name: str, in_place: CheckRun, in_lane: CheckRun) -> str:
    output = in_lane.evidence.detail
    missing = missing_files(root, path)
    named = [file for file in missing if os.path.basename(file.rstrip("/")) in output]
    what = "passes here" if in_place.evidence.passed else "fails in another way here"
    lacks = f" The worktree lacks {join_names(named or missing)}." if missing else ""
    tail = " ".join(output.split())[-MAX_OUTPUT:]
    return (
        f"{name}: it {what}, and fails in a fresh worktree: {tail}.{lacks} "
        "Name the files it needs in .worktreeinclude, or give the command that installs them: "
        "loop start --setup COMMAND; or run the tasks in place: loop run"
    )


def missing_files(root: str, path: str) -> list[str]:
    """Files and folders that git ignores and that only the project has."""
    flags = ("--others", "--ignored", "--exclude-standard", "--directory")
    names = git_output_list(root, "ls-files", *flags)
    caches = git_output_list(
        root, "ls-files", "--others", "--ignored", "--directory", *EXCLUDE_CACHE_FLAGS
    )
    wanted = set(names) - (set(caches) - {n for n in caches if n.endswith("node_modules/")})
    return sorted(name for name in wanted if not os.path.lexists(os.path.join(path, name)))


@contextmanager
def trial_lane(root: str, path: str) -> Iterator[str]:
    """A worktree on no branch that holds no work, so it may be removed by force."""
    remove_trial(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    done = run_user_git(root, "worktree", "add", "--quiet", "--detach", path, "HEAD")
    if done.returncode:
        raise GitError(f"git would not make the worktree {path}: {git_error_text(done)}")
    try:
        yield path
    finally:
        remove_trial(root, path)


def remove_trial(root: str, path: str) -> None:
    """Remove the worktree of a trial, also of one that was killed."""
    run_user_git(root, "worktree", "remove", "--force", "--force", path)
    shutil.rmtree(path, ignore_errors=True)
    if os.path.isdir(os.path.dirname(path)) and not os.listdir(os.path.dirname(path)):
        os.rmdir(os.path.dirname(path))
