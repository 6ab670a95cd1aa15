"""Before the first turn: do the checks work in a lane as they do in the checkout?

A check that only fails because a worktree lacks a file would cost every attempt of every task.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ...cleanroom.checkout import RoomOptions
from ...cleanroom.findings import CheckRun, calibration_problem
from ...core.criteria import Criterion
from ...core.loop import Loop
from ...core.prompts.phrases import count_phrase
from ...repo.git import (
    GitError,
    git_error_text,
    git_output_list,
    join_names,
    list_worktrees,
    same_path,
)
from ...repo.lanes.changes import EXCLUDE_CACHE_FLAGS
from ...repo.lanes.worktrees import change_worktrees
from ...repo.tree import tree_hash
from ...store.folder import LoopFolder
from ...verify.check_groups import group_checks
from ...verify.halting import CheckHalted, halting_when, join_threads
from ..lane_checkout import check_run, prepare_lane

TRIAL_SECONDS = 300.0  # for all checks together; the others are not tried
TRIAL_NAME, VERIFY_NAME = ".trial", ".verify"  # of worktrees without a branch
OWN_FOLDER = ".loop/"  # what the loop keeps there, no check needs
MAX_OUTPUT = 400
LACKS = re.compile(
    r"No module named|Cannot find (?:module|package)|command not found|: not found|ENOENT"
    r"|No such file or directory|MODULE_NOT_FOUND|is not installed|cannot open",
    re.I,
)


def try_lane(
    folder: LoopFolder,
    loop: Loop,
    options: RoomOptions,
    lanes_folder: str,
    lanes: int,
    show: Callable[[str], None],
    is_halted: Callable[[], bool],
) -> str:
    """What keeps the checks from working in a lane, and what to do about it; "" for nothing.

    A trial that is halted says nothing: the person or the system wants the run to end. The caller
    suspends interrupts: one between two threads would leave a worktree behind.
    """
    checks = _checks_to_try(loop)
    if checks:
        show(f"[LOOP] Trying {count_phrase(len(checks), 'check')} in a fresh worktree …")
    trial = Trial(folder, loop, options, is_halted)
    groups = group_checks(checks, lanes) or [[]]
    paths = [os.path.join(lanes_folder, f"{TRIAL_NAME}-{n}") for n in range(1, len(groups) + 1)]
    threads = [
        threading.Thread(target=trial.try_group, args=(path, group), name=path)
        for path, group in zip(paths, groups, strict=True)
    ]
    with halting_when(is_halted):
        for thread in threads:
            thread.start()
        join_threads(threads)
    if is_halted():
        return ""
    if trial.untried:
        names = join_names(trial.untried)
        show(f"[LOOP] Not tried in a worktree, because there was no time: {names}")
    return trial.problems[0] if trial.problems else ""


def _checks_to_try(loop: Loop) -> list[Criterion]:
    """The criteria that run a command, each command once."""
    by_command = {
        str(c.check.command): c for c in loop.criteria if c.check and c.may_run and c.runs_command
    }
    return list(by_command.values())


class Trial:
    """The trial of all checks: side by side in worktrees, one at a time in the checkout."""

    def __init__(
        self,
        folder: LoopFolder,
        loop: Loop,
        options: RoomOptions,
        is_halted: Callable[[], bool],
    ) -> None:
        self.folder, self.loop, self.options = folder, loop, options
        self.is_halted = is_halted
        self.tree = tree_hash(folder.root, folder.path, loop.settings.volatile_globs)
        self.deadline = time.monotonic() + TRIAL_SECONDS
        self.in_place = threading.Lock()
        self.problems: list[str] = []
        self.untried: list[str] = []

    def try_group(self, path: str, group: list[Criterion]) -> None:
        """Try these checks one after the other in a worktree of their own."""
        try:
            with trial_lane(self.folder.root, path):
                problem = prepare_lane(self.folder, self.loop, path, self.options)
                for c in group:
                    if problem or self.problems or self.is_halted():
                        break
                    if time.monotonic() > self.deadline:
                        self.untried.append(c.name)
                        continue
                    problem = self._difference(c, path)
        except CheckHalted:
            return
        except (GitError, OSError) as error:
            problem = str(error)
        if problem:
            self.problems.append(problem)

    def _difference(self, c: Criterion, path: str) -> str:
        assert c.check is not None
        in_lane = check_run(self.folder, self.loop, c.check, c.name, path)
        if in_lane.evidence.passed:
            return ""
        if c.fails_on(self.tree) and not LACKS.search(in_lane.evidence.detail):
            return ""  # as at the start, on the same files, and nothing seems to be missing
        root = self.folder.root
        with self.in_place:
            in_place = check_run(self.folder, self.loop, c.check, c.name, root)
        paths = (os.path.realpath(path), path, os.path.realpath(root), root)
        if not calibration_problem(in_place, in_lane, paths):
            return ""
        if not in_place.evidence.passed and not _lacks_more(in_place, in_lane):
            return ""  # the work is still to be done; other words alone say nothing
        return _named_problem(root, path, c.name, in_place, in_lane)


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
    failed = f"fails in a fresh worktree: {tail}" if tail else "fails in a fresh worktree"
    return (
        f"{name}: it {what}, and {failed}.{lacks} "
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
    return sorted(
        name
        for name in wanted
        if not name.startswith(OWN_FOLDER) and not os.path.lexists(os.path.join(path, name))
    )


@contextmanager
def trial_lane(root: str, path: str, commit: str = "HEAD") -> Iterator[str]:
    """A worktree on no branch that holds no work, so it may be removed by force."""
    remove_trial(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    done = change_worktrees(root, "add", "--quiet", "--detach", path, commit)
    if done.returncode:
        raise GitError(f"git would not make the worktree {path}: {git_error_text(done)}")
    try:
        yield path
    finally:
        remove_trial(root, path)


def remove_trial(root: str, path: str) -> None:
    """Remove the worktree of a trial, also of one that was killed."""
    words = ("remove", "--force", "--force", path)
    is_removed = change_worktrees(root, *words).returncode == 0
    shutil.rmtree(path, ignore_errors=True)
    if not is_removed:  # killed while it was made; without the folder git forgets it
        change_worktrees(root, *words)
    with suppress(OSError):  # fails when other worktrees are in it
        os.rmdir(os.path.dirname(path))


def remove_trials(root: str, lanes_folder: str) -> None:
    """Remove the worktrees without a branch that a killed run has left."""
    paths = {worktree.path for worktree in list_worktrees(root)[1:]}
    with suppress(FileNotFoundError):
        paths |= {os.path.join(lanes_folder, name) for name in os.listdir(lanes_folder)}
    for path in sorted(paths):
        folder, name = os.path.split(path)
        if same_path(folder, lanes_folder) and name.startswith((TRIAL_NAME, VERIFY_NAME)):
            remove_trial(root, path)
