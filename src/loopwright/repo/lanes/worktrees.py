"""Lanes: worktrees beside the project in which tasks run in parallel, each on its own branch.

The life of a lane: create_lane or reopen_lane, the agent works, commit_lane, make_candidate, the
checks run in the lane, fast_forward_main, remove_lane. Nothing is forced here, so no work is lost:
git removes a worktree only with ignored files, and everything else must be in main first.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from contextlib import suppress
from glob import escape, glob

from ...core.record import Record
from ...disk.files import read_bytes
from ..checkout import empty_submodules
from ..git import (
    Checkout,
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
from ..git_box import keep_branch
from ..submodules import LOOK_AT_COMMIT
from .changes import (
    EXCLUDE_CACHE_FLAGS,
    lane_checkout_problem,
    lane_problem,
    uncommitted_paths,
    unsaved_work,
)

NEEDED_GIT_VERSION = (2, 38)  # the first with merge-tree --write-tree
UNIQUE_BLOB_FLAGS = (
    "--objects-edge-aggressive",
    "--filter=object:type=blob",
    "--filter-provided-objects",
    "--single-worktree",
    "--ignore-missing",
)


TRIES = 5
HALF_WRITTEN = re.compile(rb"\.git/worktrees.*(No such file|File exists|Success)|failed to read")
_WORKTREES = threading.Lock()
BRANCH_PREFIX, BRANCH_LEAF = "loop/", "/work"


def lane_branch(loop_id: str, name: str) -> str:
    """A branch that is alone in its folder: in a sandbox, only that folder of refs is writable."""
    return f"{BRANCH_PREFIX}{loop_id}-{name}{BRANCH_LEAF}"


def bare_branch_name(branch: str) -> str:
    """What such a branch is named for: the loop and the task."""
    return branch.removeprefix(BRANCH_PREFIX).removesuffix(BRANCH_LEAF)


def change_worktrees(root: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run `git worktree add`, `remove` or `prune`, one at a time.

    Each reads what another has written only half, and removes the folder of all when it is empty.
    Another process may be at it too, so what fails for such a reason is tried again.
    """
    with _WORKTREES:
        for _ in range(TRIES):
            done = run_user_git(root, "worktree", *words)
            if done.returncode == 0 or not HALF_WRITTEN.search(done.stderr):
                break
        return done


class LaneResult(Record):
    """The commit of main on which a lane is based, or why there is no lane."""

    base: str = ""
    problem: str = ""


def lanes_unavailable_reason(root: str) -> str:
    """Why tasks cannot run in lanes here, and what to do about it; "" where they can."""
    try:
        version = re.search(r"(\d+)\.(\d+)", git_output(root, "version"))
    except GitError as error:
        return f"{error}. Install git, or let the tasks run one after the other"
    if version and tuple(map(int, version.groups())) < NEEDED_GIT_VERSION:
        needed = ".".join(map(str, NEEDED_GIT_VERSION))
        return f"git {version[0]} is too old, lanes need {needed}. Update it"
    if not os.path.exists(os.path.join(root, ".git")):
        return f"{root} is no git repository. `git init` and a first commit make it one"
    inside = run_user_git(root, "rev-parse", "--is-inside-work-tree")
    if inside.returncode or inside.stdout.strip() != b"true":
        return f"git cannot work in {root}: {git_error_text(inside)}"
    return _unready_main_reason(root)


def _unready_main_reason(root: str) -> str:
    main = read_checkout(root)
    if not main.head:
        return f"{root} has no commit to begin from. Make the first: `git add -A && git commit`"
    if main.unfinished_operation:
        return (
            f"{main.unfinished_operation} is not finished in {root}. "
            "Finish it or give it up; `git status` says how"
        )
    if not main.branch:
        return (
            f"{root} is on no branch, and what lands there would be on none. "
            "`git switch -c BRANCH` first"
        )
    if unmerged := git_output_list(root, "diff", "--name-only", LOOK_AT_COMMIT, "--diff-filter=U"):
        names = join_names(unmerged)
        return f"{names} in {root} has conflicts. Resolve them and `git add` the files"
    return ""


def create_lane(root: str, path: str, branch: str) -> LaneResult:
    """Create a lane at main's last commit, which is its base; a branch that holds work is kept."""
    if os.path.lexists(path):
        return LaneResult(problem=f"{path} is there already. Look there, and move it away")
    main = read_checkout(root)
    if problem := _old_branch_problem(root, main.head, branch):
        return LaneResult(problem=problem)
    # The commit is named because main may move while git writes the files.
    keep_branch(path, branch)
    words = ("--quiet", "--no-track", "-b", branch, path, main.head)
    done = change_worktrees(root, "add", *words)
    if done.returncode:
        return LaneResult(problem=f"git would not make the worktree {path}: {git_error_text(done)}")
    lane = read_checkout(path)
    if problem := lane_checkout_problem(main, lane, path, branch):
        return LaneResult(problem=problem)
    if lane.head != main.head:
        return LaneResult(problem=f"{path} stands on {lane.head[:12]} and not on {main.head[:12]}")
    if changed := _differing_files(path, lane):
        problem = (
            f"a fresh checkout differs from its own commit: {join_names(changed)}. "
            f"If line ends are the reason, settle it in {root}: "
            "`git add --renormalize .` and a commit"
        )
        return LaneResult(lane.head, problem)
    return LaneResult(lane.head)


def _differing_files(path: str, lane: Checkout) -> tuple[str, ...]:
    """Files of a fresh checkout that git would commit in another form than they were committed.

    Git reads a file only if it is as new as the index, so the index is made old for a moment.
    """
    index = os.path.join(lane.git_dir, "index")
    written = os.stat(index)
    os.utime(index, (1, 1))  # 0 would stand for an index without a time
    try:
        return uncommitted_paths(path)
    finally:
        os.utime(index, ns=(written.st_atime_ns, written.st_mtime_ns))


def _old_branch_problem(root: str, head: str, branch: str) -> str:
    """Delete a branch of an earlier run whose work is in main; "" on success."""
    tip = commit_at(root, f"refs/heads/{branch}")
    if not tip:
        return ""
    if not contains_commit(root, head, tip):
        return f"the branch {branch} holds work of an earlier run: `git log {head[:12]}..{branch}`"
    _keep_lost_commits(root, branch, _reflog_commits(root, branch))
    done = run_user_git(root, "branch", "--delete", branch)
    if done.returncode:
        return f"the branch {branch} is there already: {git_error_text(done)}"
    return ""


def reopen_lane(root: str, path: str, branch: str) -> LaneResult:
    """The lane of an earlier run; created again from its branch where the folder is gone."""
    if not os.path.lexists(path):
        if problem := _recreate_worktree(root, path, branch):
            return LaneResult(problem=problem)
    elif not os.path.lexists(os.path.join(path, ".git")):
        _repair_git_file(read_checkout(root).common_dir, path)
    return_to_branch(path, branch)
    if problem := lane_problem(root, path, branch):
        return LaneResult(problem=problem)
    return LaneResult(lane_base(root, path))


def return_to_branch(path: str, branch: str) -> str:
    """Put the lane back on its own branch, with its own work; the former branch, if it had one.

    A commit that we checked out there is left. What was committed on top of the lane's work, on
    another branch or on none, is taken over: the lane's branch moves to it.
    """
    keep_branch(path, branch)
    lane = read_checkout(path)
    tip = commit_at(path, f"refs/heads/{branch}")
    if not tip or not lane.head or lane.branch == branch or lane.unfinished_operation:
        return ""
    is_own_work = contains_commit(path, lane.head, tip)
    words = ("-B", branch) if is_own_work else (branch,)
    done = run_user_git(path, "checkout", "--quiet", "--no-overwrite-ignore", *words)
    return "" if done.returncode or not is_own_work else lane.branch


def _recreate_worktree(root: str, path: str, branch: str) -> str:
    if problem := _forget_worktree(root, path, branch):
        return problem
    if not commit_at(root, f"refs/heads/{branch}"):
        return f"neither {path} nor the branch {branch} is there any more"
    done = change_worktrees(root, "add", "--quiet", path, branch)
    if done.returncode:
        return f"git would not make the worktree {path} again: {git_error_text(done)}"
    return ""


def lane_base(root: str, path: str, main: str = "HEAD") -> str:
    """The last commit of main that the lane has; "" where they share none.

    It is where the lane began, or what was merged into it since. A merge that is not concluded
    counts, because main's files are in the lane already.
    """
    merging = commit_at(path, "MERGE_HEAD")
    if merging and contains_commit(root, main, merging):
        return merging
    return merge_base(root, main, git_output(path, "rev-parse", "HEAD"))


def remove_lane(root: str, path: str, branch: str) -> str:
    """Remove the lane and its branch if main has all of their work; otherwise say why not."""
    keep_branch(path, branch)
    exists = os.path.lexists(path)
    tip = commit_at(root, f"refs/heads/{branch}")
    if problem := _unmerged_work(root, path, branch, tip):
        return f"kept at {path}: {problem}" if exists else f"kept: {problem}"
    if exists:
        commits = (*_reflog_commits(path, "HEAD"), *_reflog_commits(root, branch))
        _keep_lost_commits(root, branch, commits)
        _remove_caches(path)
        empty_submodules(path)
        done = change_worktrees(root, "remove", path)
        if done.returncode:
            return f"kept at {path}: {git_error_text(done)}"
    elif problem := _forget_worktree(root, path, branch):
        return problem
    if tip:
        done = run_user_git(root, "branch", "--delete", branch)
        if done.returncode:
            return f"kept: the branch {branch}: {git_error_text(done)}"
    return ""


def _unmerged_work(root: str, path: str, branch: str, tip: str) -> str:
    """Why the lane must stay; "" where main has everything."""
    main = read_checkout(root)
    if os.path.lexists(path):
        lane = read_checkout(path)
        problem = lane_checkout_problem(main, lane, path, branch) or unsaved_work(path, lane)
        if problem:
            return problem
    if tip and not contains_commit(root, main.head, tip):
        return f"the branch {branch} has commits that are not in main: `git log HEAD..{branch}`"
    if tip and not main.branch:
        return (
            f"{root} is on no branch, so {branch} alone keeps this work for good. "
            "There: `git switch BRANCH`"
        )
    return ""


def _repair_git_file(common_dir: str, path: str) -> None:
    """Write the lane's .git file again.

    Not with `git worktree repair`: in a copy of a project, it would take over the lanes of the
    original.
    """
    git_file = os.path.join(path, ".git")
    for pointer in glob(os.path.join(escape(common_dir), "worktrees", "*", "gitdir")):
        entry = os.path.dirname(pointer)
        target = os.path.join(entry, os.fsdecode(read_bytes(pointer).strip()))
        if same_path(target, git_file):
            with open(git_file, "wb") as file:
                file.write(b"gitdir: " + os.fsencode(entry) + b"\n")


def _forget_worktree(root: str, path: str, branch: str) -> str:
    """Take one missing folder off git's list; `git worktree prune` would take off all of them."""
    for worktree in list_worktrees(root)[1:]:
        if not same_path(worktree.path, path):
            continue
        _keep_lost_commits(root, branch, (worktree.head,))
        done = change_worktrees(root, "remove", worktree.path)
        if done.returncode:
            return f"git would not forget {path}, whose folder is gone: {git_error_text(done)}"
        return ""
    return ""


def _reflog_commits(root: str, name: str) -> tuple[str, ...]:
    """Every commit that the name has referred to, the latest first."""
    words = ("rev-list", "--walk-reflogs", "--max-count=500", name, "--")
    return tuple(run_user_git(root, *words).stdout.decode("ascii").split())


def _keep_lost_commits(root: str, branch: str, commits: tuple[str, ...]) -> None:
    """Keep under refs/loop/ what was committed in a lane and discarded, or landed in another form.

    The lane's reflog, in which git would find it, goes with the lane. Nothing is kept where main
    has all of the content.
    """
    unique = tuple(dict.fromkeys(commits))
    if not _has_unique_content(root, unique):
        return
    name = bare_branch_name(branch)
    for commit in unique:
        if _has_unique_content(root, (commit,)):
            git_output(root, "update-ref", f"refs/loop/{name}/{commit[:12]}", commit)


def _has_unique_content(root: str, commits: tuple[str, ...]) -> bool:
    """Whether the commits have file content that no ref which outlives the lane has."""
    if not commits:
        return False
    words = ("rev-list", *UNIQUE_BLOB_FLAGS, *commits, "--not", "--all", "--")
    lines = git_output(root, *words).split("\n")
    # A line with a dash marks where the walk ended.
    return any(line and not line.startswith("-") for line in lines)


def _remove_caches(path: str) -> None:
    """Delete tool caches that are not ignored: git refuses to remove a worktree that has them."""
    for name in git_output_list(path, "ls-files", "--others", "--ignored", *EXCLUDE_CACHE_FLAGS):
        with suppress(OSError):  # git then reports why it does not remove the worktree
            os.remove(os.path.join(path, name))
