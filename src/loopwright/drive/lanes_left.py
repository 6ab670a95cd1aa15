"""Worktrees that runs of plans left behind: list them, and remove those that nobody needs."""

from __future__ import annotations

import os
import shutil

from ..core.record import Record
from ..repo.git import (
    GitError,
    Worktree,
    commit_at,
    contains_commit,
    git_output,
    join_names,
    list_worktrees,
    run_user_git,
)
from ..repo.lanes import changes
from ..repo.lanes.worktrees import BRANCH_PREFIX, bare_branch_name, change_worktrees
from ..store.folder import LoopFolder
from .runner.lane_trial import TRIAL_NAME, VERIFY_NAME, remove_trial

TEMPORARY = (TRIAL_NAME, VERIFY_NAME)  # they hold no work


class LeftLane(Record):
    """A worktree of a task or an attempt, with what it holds that main does not have."""

    task: str
    path: str
    branch: str
    loop_id: str
    holds: str = ""
    is_active: bool = False  # of the loop that is here now


def left_lanes(folder: LoopFolder) -> list[LeftLane]:
    """Every worktree of a task or an attempt in this repository, also of loops that have ended."""
    root, loop = folder.root, folder.read_loop()
    active = loop.id if loop else ""
    lanes = []
    for worktree in _worktrees(root):
        name = os.path.basename(worktree.path)
        if not worktree.branch.startswith(BRANCH_PREFIX) and not name.startswith(TEMPORARY):
            continue
        parent = os.path.basename(os.path.dirname(worktree.path))
        if "-lanes-" not in parent and "-attempts-" not in parent:
            continue
        if "-attempts-" in parent:
            name = f"attempt-{name}"
        loop_id = bare_branch_name(worktree.branch).removesuffix(f"-{name}")
        lanes.append(
            LeftLane(
                task=name,
                path=worktree.path,
                branch=worktree.branch,
                loop_id=loop_id,
                holds=_held_work(root, worktree.path, worktree.branch),
                is_active=bool(active) and loop_id == active,
            )
        )
    return lanes


def _worktrees(root: str) -> list[Worktree]:
    try:
        return list(list_worktrees(root)[1:])
    except GitError:
        return []


def _held_work(root: str, path: str, branch: str) -> str:
    """What main does not have, in words; "" for nothing."""
    try:
        files = changes.uncommitted_paths(path) if os.path.isdir(path) else ()
        tip = commit_at(root, f"refs/heads/{branch}") if branch else ""
        is_merged = not tip or contains_commit(root, "HEAD", tip)
    except GitError as error:
        return str(error)
    parts = [f"not committed: {join_names(files)}"] if files else []
    if not is_merged:
        parts.append(f"commits that main does not have: git log HEAD..{branch}")
    return "; ".join(parts)


def clear_lanes(folder: LoopFolder, lanes: list[LeftLane]) -> list[str]:
    """Remove the worktrees of loops that have ended. Their work is kept under refs/loop/ first."""
    rows = []
    for lane in lanes:
        if lane.is_active:
            rows.append(f"{lane.task}: kept, its loop is active. End it: loop cancel")
            continue
        try:
            rows.append(_clear_lane(folder.root, lane))
        except GitError as error:
            rows.append(f"{lane.task}: kept at {lane.path}: {error}")
    return rows


def _clear_lane(root: str, lane: LeftLane) -> str:
    if lane.task.startswith(TEMPORARY) or not lane.branch:
        remove_trial(root, lane.path)
        return f"{lane.task}: removed"
    ref = f"refs/loop/{bare_branch_name(lane.branch)}/cleared"
    kept = ""
    if lane.holds:
        saved = changes.commit_lane(lane.path, f"left in the lane of task {lane.task}")
        if saved.problem:
            return f"{lane.task}: kept at {lane.path}: {saved.problem}"
        tip = commit_at(lane.path, "HEAD")
        git_output(root, "update-ref", ref, tip)
        kept = f"; its work is kept: git show {ref}"
    change_worktrees(root, "remove", "--force", lane.path)
    shutil.rmtree(lane.path, ignore_errors=True)
    run_user_git(root, "branch", "--delete", "--force", lane.branch)
    parent = os.path.dirname(lane.path)
    if os.path.isdir(parent) and not os.listdir(parent):
        os.rmdir(parent)
    return f"{lane.task}: removed{kept}"
