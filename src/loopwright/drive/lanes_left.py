"""Worktrees that runs of plans left behind: list them, and remove those that nobody needs."""

from __future__ import annotations

import os
import shutil

from .. import lazy_re as re
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
from ..repo.lanes.worktrees import BRANCH_LEAF, BRANCH_PREFIX, bare_branch_name, change_worktrees
from ..store.folder import LoopFolder
from .runner.lane_trial import TRIAL_NAME, VERIFY_NAME, remove_trial

LANES_FOLDER = re.compile(r"-(?P<kind>lanes|attempts)-(?P<loop>[^/\\]{6})$")
TEMPORARY = (TRIAL_NAME, VERIFY_NAME)  # they hold no work


class LeftLane(Record):
    """A worktree of a task or an attempt, with what it holds that main does not have."""

    task: str
    path: str
    branch: str  # its own; an agent may have left it, for another branch or for none
    loop_id: str
    holds: str = ""
    is_active: bool = False  # of the loop that is here now


def left_lanes(folder: LoopFolder) -> list[LeftLane]:
    """Every worktree of a task or an attempt in this repository, also of loops that have ended."""
    root, loop = folder.root, folder.read_loop()
    lanes = []
    for worktree in _worktrees(root):
        parent, name = os.path.split(worktree.path)
        # The folder says whose lane it is: an agent can switch the branch, or leave all of them.
        place = LANES_FOLDER.search(parent)
        if not place:
            continue
        if place["kind"] == "attempts":
            name = f"attempt-{name}"
        is_active = loop is not None and loop.id[-6:] == place["loop"]
        branch = _own_branch(root, f"{place['loop']}-{name}")
        loop_id = bare_branch_name(branch).removesuffix(f"-{name}")
        if loop and is_active:
            loop_id = loop.id
        is_temporary = name.startswith(TEMPORARY)
        lanes.append(
            LeftLane(
                task=name,
                path=worktree.path,
                branch=branch,
                loop_id=loop_id,
                holds="" if is_temporary else _held_work(root, worktree, branch),
                is_active=is_active,
            )
        )
    return lanes


def _worktrees(root: str) -> list[Worktree]:
    try:
        return list(list_worktrees(root)[1:])
    except GitError:
        return []


def _own_branch(root: str, ending: str) -> str:
    """The branch of the lane whose name ends so; "" if it is gone."""
    words = ("for-each-ref", "--format=%(refname:lstrip=2)", f"refs/heads/{BRANCH_PREFIX}")
    names = os.fsdecode(run_user_git(root, *words).stdout).split("\n")
    return next((name for name in names if name.endswith(f"{ending}{BRANCH_LEAF}")), "")


def _held_work(root: str, worktree: Worktree, branch: str) -> str:
    """What main does not have, in words; "" for nothing."""
    path = worktree.path
    try:
        files = changes.uncommitted_paths(path) if os.path.isdir(path) else ()
        tips = {commit_at(root, f"refs/heads/{branch}") if branch else "": branch}
        if worktree.head not in tips:  # the worktree is on another branch, or on none
            tips[worktree.head] = worktree.branch or worktree.head[:12]
        unmerged = [
            name for tip, name in tips.items() if tip and not contains_commit(root, "HEAD", tip)
        ]
    except GitError as error:
        return str(error)
    parts = [f"not committed: {join_names(files)}"] if files else []
    parts += [f"commits that main does not have: git log HEAD..{name}" for name in unmerged]
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
    if lane.task.startswith(TEMPORARY):
        remove_trial(root, lane.path)
        return f"{lane.task}: removed"
    kept = ""
    if lane.holds:
        saved = changes.commit_lane(lane.path, f"left in the lane of task {lane.task}")
        if saved.problem:
            return f"{lane.task}: kept at {lane.path}: {saved.problem}"
        refs = _keep_work(root, lane)
        kept = f"; its work is kept: git show {' '.join(refs)}"
    change_worktrees(root, "remove", "--force", lane.path)
    shutil.rmtree(lane.path, ignore_errors=True)
    if lane.branch:
        run_user_git(root, "branch", "--delete", "--force", lane.branch)
    parent = os.path.dirname(lane.path)
    if os.path.isdir(parent) and not os.listdir(parent):
        os.rmdir(parent)
    return f"{lane.task}: removed{kept}"


def _keep_work(root: str, lane: LeftLane) -> list[str]:
    """Keep what is checked out there, and the lane's own branch if that has more; the refs."""
    folder = os.path.basename(os.path.dirname(lane.path))
    name = bare_branch_name(lane.branch) or f"{folder}-{lane.task}"
    tip = commit_at(lane.path, "HEAD")
    kept = {f"refs/loop/{name}/cleared": tip}
    own = commit_at(root, f"refs/heads/{lane.branch}") if lane.branch else ""
    if own and not contains_commit(root, tip, own):
        kept[f"refs/loop/{name}/cleared-branch"] = own
    for ref, commit in kept.items():
        git_output(root, "update-ref", ref, commit)
    return list(kept)
