"""Prepare a lane as the clean checkout of the proof is: packages, included files, submodules.

A worktree has the files of its commit only. What it needs besides is copied from what was saved
when the run began, or installed by the setup, with every path of the project leading into the lane.
"""

from __future__ import annotations

import os
import re

from ..cleanroom import checkout_files
from ..cleanroom.checkout import RoomOptions, place_saved_files
from ..cleanroom.checkout_files import RoomError, needed_paths
from ..cleanroom.findings import CheckRun
from ..cleanroom.packages import detected_setup, prepare_packages
from ..cleanroom.view import RoomView
from ..core.criteria import Check, Evidence
from ..core.directives import RunCheck
from ..core.loop import Loop
from ..disk.files import make_folder
from ..repo.checkout import CheckoutFailed, fill_submodules
from ..repo.git import GitError, git_output_list, join_names, run_user_git
from ..repo.lanes.changes import EXCLUDE_CACHE_FLAGS
from ..store.chosen_sandbox import lane_launcher
from ..store.folder import LoopFolder
from ..store.state_folder import room_store
from ..verify.runner import check_environment, run_with_report
from ..verify.test_report import TestReport
from .proof.check_box import check_launcher, compare_with_start

# Variables that are lists of folders: those of the project lead into the lane.
FOLDER_VARIABLES = ("PATH", "PYTHONPATH", "NODE_PATH", "VIRTUAL_ENV", "PWD")


def save_lane_files(folder: LoopFolder, loop: Loop) -> RoomOptions:
    """How lanes are prepared. Copies what they need, unless the start has saved it already.

    A person may have named more files since, in .worktreeinclude.
    """
    setup = loop.room.setup
    names = needed_paths(folder.root, loop.room.include)
    saved = [name for name in names if os.path.lexists(room_store(loop, "files", name))]
    if loop.room.files_digest and saved == names:
        return RoomOptions(setup, packages=loop.room.packages)
    store = room_store(loop, "lanes")
    make_folder(store)
    files = os.path.join(store, "files")
    checkout_files.save_paths(folder.root, files, names)
    os.makedirs(files, exist_ok=True)
    if not setup and not checkout_files.environment_folders(folder.root):
        setup = detected_setup(folder.root)
    return RoomOptions(setup, files=files)


def prepare_lane(folder: LoopFolder, loop: Loop, path: str, options: RoomOptions) -> str:
    """Give a fresh worktree what its commit does not have; why that is not possible, or ""."""
    view = RoomView(folder.root, path, "", loop.settings.pass_env)
    try:
        fill_submodules(folder.root, path)
        saved = place_saved_files(loop, view, options)
        if options.setup:
            with lane_launcher(loop, path, folder.path) as words:
                view = view.but(boxed=words)
                prepare_packages(options.setup, view, saved, options.packages)
            run_user_git(path, "checkout", "--quiet", "--", ".")
        return _hide_placed_files(path)
    except (RoomError, CheckoutFailed, OSError, GitError) as error:
        return f"a worktree cannot be prepared: {error}"


def _hide_placed_files(path: str) -> str:
    """Keep what was placed out of the commits of the lane; the files that cannot be, in words."""
    flags = ("--others", "--exclude-standard", "--directory", *EXCLUDE_CACHE_FLAGS)
    visible = []
    for name in git_output_list(path, "ls-files", *flags):
        full = os.path.join(path, name)
        if os.path.isdir(full) and not os.path.islink(full.rstrip("/")):
            with open(os.path.join(full, ".gitignore"), "a", encoding="utf-8") as file:
                file.write("*\n")
        else:
            visible.append(name)
    if not visible:
        return ""
    return (
        f"git does not ignore {join_names(visible)}, so an agent could commit it. "
        "Add it to .gitignore"
    )


def lane_environment(variables: dict[str, str], root: str, lane: str) -> dict[str, str]:
    """The variables, with the folders of the project replaced by those of the lane."""
    roots = {root, os.path.realpath(root)}

    def in_lane(entry: str) -> str:
        own = next((r for r in roots if checkout_files.is_inside(entry, r)), "")
        return lane + entry[len(own) :] if own else entry

    moved = {
        name: os.pathsep.join(map(in_lane, variables[name].split(os.pathsep)))
        for name in FOLDER_VARIABLES
        if name in variables
    }
    return {**variables, **moved}


def check_in_lane(check: Check, root: str, lane: str) -> Check:
    """The check with the paths of its command in the lane."""
    path = re.compile(rf"{re.escape(root)}(?=[/\s\"';&|)]|$)")
    if isinstance(check.command, str):
        return check.but(command=path.sub(lambda _: lane, check.command))
    return check.but(command=tuple(path.sub(lambda _: lane, word) for word in check.command))


def run_in_lane(folder: LoopFolder, loop: Loop, wanted: RunCheck, lane: str) -> Evidence:
    """Run one check in a lane."""
    name, tree = wanted.criterion, wanted.tree
    run = CheckRun(*run_check_in_lane(folder, loop, wanted.check, name, tree, lane))
    return compare_with_start(loop, run)


def run_check_in_lane(
    folder: LoopFolder, loop: Loop, check: Check, name: str, tree: str, lane: str
) -> tuple[Evidence, TestReport]:
    environment = check_environment(loop.settings.pass_env)
    if lane != folder.root:
        environment = lane_environment(environment, folder.root, lane)
        check = check_in_lane(check, folder.root, lane)
    launcher = check_launcher(folder, loop, check, lane)
    return run_with_report(check, name, tree, lane, folder.path, environment, launcher=launcher)


def check_run(folder: LoopFolder, loop: Loop, check: Check, name: str, lane: str) -> CheckRun:
    """One check in the lane or in the checkout, with the results of its single tests."""
    return CheckRun(*run_check_in_lane(folder, loop, check, name, "", lane))
