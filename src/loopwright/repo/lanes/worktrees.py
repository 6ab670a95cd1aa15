"""Lanes: worktrees beside the project in which tasks run at the same time, each on a branch of its own. No work in one is lost.

lay, or again → an agent works → work.changed, work.save → merge.candidate → the checks, in the lane → merge.land → clear.
Nothing is forced here. What git takes along when it removes a worktree are ignored files; all else must be in main first.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from glob import escape, glob

from ...core.record import Record
from ..git import (
    GitError,
    commit_at,
    contains_commit,
    git_error_text,
    git_output,
    git_output_list,
    join_names,
    list_worktrees,
    merge_base,
    read_checkout,
    run_user_git,
    same_path,
)
from .changes import (
    EXCLUDE_CACHE_FLAGS,
    lane_checkout_problem,
    lane_problem,
    uncommitted_paths,
    unsaved_work,
)

NEEDED_GIT_VERSION = (2, 38)  # merge-tree --write-tree


class LaneResult(Record):
    """The commit of main that a lane stands on; or why there is no lane."""

    base: str = ""
    problem: str = ""


def lanes_unavailable_reason(root: str) -> str:
    """Why tasks cannot run in lanes here, and the way out; "" where they can."""
    try:
        version = re.search(r"(\d+)\.(\d+)", git_output(root, "version"))
    except GitError as trouble:
        return f"{trouble}. Install git, or let the tasks run one after the other"
    if version and tuple(map(int, version.groups())) < NEEDED_GIT_VERSION:
        return f"git {version[0]} is too old, lanes need {NEEDED_GIT_VERSION[0]}.{NEEDED_GIT_VERSION[1]}. Update it"
    if not os.path.exists(os.path.join(root, ".git")):
        return f"{root} is no git repository. `git init` and a first commit make it one"
    inside = run_user_git(root, "rev-parse", "--is-inside-work-tree")
    if inside.returncode or inside.stdout.strip() != b"true":
        return f"git cannot work in {root}: {git_error_text(inside)}"
    here = read_checkout(root)
    if not here.head:
        return f"{root} has no commit to begin from. Make the first: `git add -A && git commit`"
    if here.unfinished_operation:
        return f"{here.unfinished_operation} is not finished in {root}. Finish it or give it up; `git status` says how"
    if not here.branch:
        return f"{root} is on no branch, and what lands there would be on none. `git switch -c BRANCH` first"
    if unmerged := git_output_list(root, "diff", "--name-only", "--diff-filter=U"):
        return (
            f"{join_names(unmerged)} in {root} has conflicts. Resolve them and `git add` the files"
        )
    return ""


def create_lane(root: str, place: str, branch: str) -> LaneResult:
    """A new lane at main's last commit, which is the base to be remembered. A branch that holds work is never begun anew."""
    if os.path.lexists(place):
        return LaneResult(problem=f"{place} is there already. Look there, and move it away")
    here = read_checkout(root)
    if tip := commit_at(root, f"refs/heads/{branch}"):
        if not contains_commit(root, here.head, tip):
            return LaneResult(
                problem=f"the branch {branch} holds work of an earlier run: `git log {here.head[:12]}..{branch}`"
            )
        _keep_lost_commits(root, branch, _reflog_commits(root, branch))
        if (done := run_user_git(root, "branch", "--delete", branch)).returncode:
            return LaneResult(
                problem=f"the branch {branch} is there already: {git_error_text(done)}"
            )
    # The commit is named: main may move while git writes the files.
    done = run_user_git(
        root, "worktree", "add", "--quiet", "--no-track", "-b", branch, place, here.head
    )
    if done.returncode:
        return LaneResult(
            problem=f"git would not make the worktree {place}: {git_error_text(done)}"
        )
    there = read_checkout(place)
    if why := lane_checkout_problem(here, there, place, branch):
        return LaneResult(problem=why)
    if there.head != here.head:
        return LaneResult(
            problem=f"{place} stands on {there.head[:12]} and not on {here.head[:12]}"
        )
    if fresh := uncommitted_paths(place):
        words = f"a fresh checkout differs from its own commit: {join_names(fresh)}. If line ends are the reason"
        return LaneResult(
            there.head, f"{words}, settle it in {root}: `git add --renormalize .` and a commit"
        )
    return LaneResult(there.head)


def reopen_lane(root: str, place: str, branch: str) -> LaneResult:
    """The lane of an earlier run, with all that it holds; made anew from its branch where the folder is gone."""
    if not os.path.lexists(place):
        if why := _forget_worktree(root, place, branch):
            return LaneResult(problem=why)
        if not commit_at(root, f"refs/heads/{branch}"):
            return LaneResult(problem=f"neither {place} nor the branch {branch} is there any more")
        done = run_user_git(root, "worktree", "add", "--quiet", place, branch)
        if done.returncode:
            return LaneResult(
                problem=f"git would not make the worktree {place} again: {git_error_text(done)}"
            )
    elif not os.path.lexists(os.path.join(place, ".git")):
        _repair_git_file(read_checkout(root).common_dir, place)
    why = lane_problem(root, place, branch)
    return LaneResult(problem=why) if why else LaneResult(lane_base(root, place))


def lane_base(root: str, place: str) -> str:
    """The last commit of main that the lane has: where it began, or what was merged into it since; "" where none is shared.

    A merge that is begun and not concluded counts: main's files are in the lane already.
    """
    begun = commit_at(place, "MERGE_HEAD")
    if begun and contains_commit(root, "HEAD", begun):
        return begun
    return merge_base(root, "HEAD", git_output(place, "rev-parse", "HEAD"))


def remove_lane(root: str, place: str, branch: str) -> str:
    """Remove the lane and its branch, if main has all that they hold; else leave them and say why and where."""
    exists, here, there = os.path.lexists(place), read_checkout(root), read_checkout(place)
    tip = commit_at(root, f"refs/heads/{branch}")
    why = (
        (lane_checkout_problem(here, there, place, branch) or unsaved_work(place, there))
        if exists
        else ""
    )
    if not why and tip and not (here.branch and contains_commit(root, here.head, tip)):
        why = f"the branch {branch} has commits that are not in main: `git log HEAD..{branch}`"
    if why:
        return f"kept at {place}: {why}" if exists else f"kept: {why}"
    if exists:
        _keep_lost_commits(
            root, branch, (*_reflog_commits(place, "HEAD"), *_reflog_commits(root, branch))
        )
        _remove_caches(place)
        if (done := run_user_git(root, "worktree", "remove", place)).returncode:
            return f"kept at {place}: {git_error_text(done)}"
    elif why := _forget_worktree(root, place, branch):
        return why
    if tip and (done := run_user_git(root, "branch", "--delete", branch)).returncode:
        return f"kept: the branch {branch}: {git_error_text(done)}"
    return ""


def _repair_git_file(common: str, place: str) -> None:
    """Write the lane's .git file anew. (`git worktree repair` would also take lanes from the project that this is a copy of.)"""
    own = os.path.join(place, ".git")
    for pointer in glob(os.path.join(escape(common), "worktrees", "*", "gitdir")):
        entry = os.path.dirname(pointer)
        with open(pointer, "rb") as file:
            leads_to = os.path.join(entry, os.fsdecode(file.read().strip()))
        if same_path(leads_to, own):
            with open(own, "wb") as file:
                file.write(b"gitdir: " + os.fsencode(entry) + b"\n")


def _forget_worktree(root: str, place: str, branch: str) -> str:
    """Take this folder, which is gone, off git's list. (`git worktree prune` would take off all that are gone.)"""
    entry = next((one for one in list_worktrees(root)[1:] if same_path(one.path, place)), None)
    if entry is None:
        return ""
    _keep_lost_commits(root, branch, (entry.head,))
    done = run_user_git(root, "worktree", "remove", entry.path)
    return (
        f"git would not forget {place}, whose folder is gone: {git_error_text(done)}"
        if done.returncode
        else ""
    )


def _reflog_commits(root: str, name: str) -> tuple[str, ...]:
    """Every commit that a name has stood for, the latest first."""
    return tuple(
        run_user_git(root, "rev-list", "--walk-reflogs", "--max-count=500", name, "--")
        .stdout.decode("ascii")
        .split()
    )


def _keep_lost_commits(root: str, branch: str, commits: tuple[str, ...]) -> None:
    """What was committed in a lane and landed in another form, or was thrown away there, stays under refs/loop/.

    The names in which git would find it go with the lane. Where all the content is in main nothing is kept.
    """
    known = tuple(dict.fromkeys(commits))
    for one in known if _has_unique_content(root, known) else ():
        if _has_unique_content(root, (one,)):
            git_output(
                root, "update-ref", f"refs/loop/{branch.removeprefix('loop/')}/{one[:12]}", one
            )


def _has_unique_content(root: str, commits: tuple[str, ...]) -> bool:
    """Whether these hold the content of a file that no branch has, nor anything else that outlives the lane."""
    only = (
        "--objects-edge-aggressive",
        "--filter=object:type=blob",
        "--filter-provided-objects",
        "--single-worktree",
        "--ignore-missing",
    )
    found = (
        git_output(root, "rev-list", *only, *commits, "--not", "--all", "--").split("\n")
        if commits
        else []
    )
    return any(
        line and not line.startswith("-") for line in found
    )  # with a dash: where the walk ended


def _remove_caches(place: str) -> None:
    """Caches of tools that the project does not ignore: git would not remove a worktree that has them."""
    for path in git_output_list(place, "ls-files", "--others", "--ignored", *EXCLUDE_CACHE_FLAGS):
        with suppress(OSError):  # then git says that it would not remove it
            os.remove(os.path.join(place, path))
