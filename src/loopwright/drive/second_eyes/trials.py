"""Runs a command of a second agent: in a fresh clean checkout, in a sandbox without network.

Each run has its own checkout, so a command that deletes or changes files harms nothing but itself.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from ... import lazy_re as re
from ...checks.test_files import is_test_file
from ...cleanroom.checkout import PreparedRoom, open_room, options_of_start, run_check_in_room
from ...cleanroom.checkout_files import RoomError
from ...cleanroom.trees import end_commit, room_trees
from ...core.criteria import Check
from ...core.loop import Loop
from ...core.record import Record
from ...core.second_eyes.answers import Trial
from ...repo.kept_trees import file_contents
from ...repo.user_repo import tracked_files
from ...store.folder import LoopFolder
from ...verify.unrunnable import could_not_run
from .contradiction import contradicted_line

SECOND = "second"  # the origin of its commands: their sandbox is closed
SECONDS = 120
MAX_TEST_FILES, MAX_BYTES = 300, 200_000
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NAME = re.compile(r"[a-z_]\w{2,}")
NOT_THERE = re.compile(
    r"(?:modulenotfounderror: )?no module named|importerror: cannot import name|"
    r"cannot find module|not found|no such file or directory"
)


class Place(Record):
    """Where commands are tried: a commit of the loop."""

    folder: LoopFolder
    loop: Loop
    commit: str
    logs: str  # the folder for their output


class TrialResult(Record):
    """How a command ended."""

    passed: bool
    has_run: bool
    output: str = ""
    is_timeout: bool = False


def place_of_end(folder: LoopFolder, loop: Loop, tree: str, logs: str) -> Place:
    """The final tree."""
    commit = end_commit(folder, loop, tree)
    if not commit:
        raise RoomError("the final tree cannot be kept")
    return Place(folder, loop, commit, logs)


@contextmanager
def open_boxed_room(place: Place) -> Iterator[PreparedRoom]:
    """A clean checkout in a sandbox: a second agent and its commands run nowhere else."""
    with open_room(place.folder, place.loop, place.commit, options_of_start(place.loop)) as room:
        if not room.view.boxed:
            raise RoomError("the clean checkout has no sandbox around it")
        yield room


def run_trial(place: Place, trial: Trial, is_empty: bool = False) -> TrialResult:
    return run_script(place, trial.script(), is_empty)


def run_script(place: Place, script: str, is_empty: bool = False) -> TrialResult:
    """One run in a checkout of its own; `is_empty`: without any file of the project."""
    check = Check(script, SECONDS, origin=SECOND)
    with open_boxed_room(place) as room:
        if is_empty:
            _remove_files(room.path)
        run = run_check_in_room(check, SECOND, place.loop.tree, room, place.logs)
    has_run = not could_not_run(run.evidence, run.report)
    is_timeout = run.evidence.outcome == "timeout"
    return TrialResult(run.evidence.passed, has_run, run.evidence.detail, is_timeout)


def flaw_of_failing(place: Place, trial: Trial, first: TrialResult) -> str:
    """Why a failing command shows nothing; "" if it may show something."""
    if not first.has_run:
        return "it cannot run"
    if first.passed:
        return "its command passes"
    output = _without_times(first.output)
    if names_what_is_asked_for(first.output, place.loop.spec):
        return ""  # it is not there yet: every checkout without it fails so
    in_empty = run_trial(place, trial, is_empty=True)
    if in_empty.is_timeout:
        return "it takes too long to run"  # how it fails there is unknown: that shows nothing
    if not in_empty.passed and _without_times(in_empty.output) == output:
        return "it fails in the same way without the project: it looks at nothing of it"
    return ""


def names_what_is_asked_for(output: str, spec: str) -> bool:
    """Does a line that misses a module, a file or a name say one that the spec has?"""
    asked = set(NAME.findall(spec.casefold()))
    lines = (line for line in output.casefold().splitlines() if NOT_THERE.search(line))
    return any(name in asked for line in lines for name in NAME.findall(NOT_THERE.sub(" ", line)))


def contradicted_test(place: Place, trial: Trial) -> str:
    """The place of a test of the start that expects another value; "" for none."""
    trees = room_trees(place.folder, place.loop)
    paths = [path for path in tracked_files(trees.root, trees.baseline) if is_test_file(path)]
    texts = file_contents(
        trees.root, trees.loop_path, trees.baseline, paths[:MAX_TEST_FILES], MAX_BYTES
    )
    tests = {path: data.decode("utf-8", "replace") for path, data in texts.items()}
    return contradicted_line(trial, tests)


def _without_times(text: str) -> str:
    return NUMBER.sub("0", text)


def _remove_files(folder: str) -> None:
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.remove(entry.path)
