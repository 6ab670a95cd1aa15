"""Merges a lane into main as one commit: made and checked outside main, landed by fast-forward."""

from __future__ import annotations

import os

from ...core.record import Record
from ..git import (
    MERGE,
    Checkout,
    GitError,
    commit_at,
    contains_commit,
    git_error_text,
    git_output,
    git_output_list,
    identity_settings,
    join_names,
    merge_base,
    read_checkout,
    run_user_git,
    split_nul,
)
from ..git_box import keep_branch
from ..walk import HUGE
from .changes import PLAIN_DIFF_FLAGS, lane_checkout_problem, unsaved_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

SUBMODULE_MODE = "160000"  # git's mode for a repository in the repository
CHECKOUT_FLAGS = ("--quiet", "--no-overwrite-ignore")
MERGE_FLAGS = ("--quiet", "--strategy=ort", "--no-commit", "--no-ff", "--no-autostash")
MOVED_ON = "main has moved on; the merge must be prepared again"
FAST_FORWARD_FLAGS = (
    "--quiet",
    "--ff-only",
    "--no-autostash",
    "--no-overwrite-ignore",
    "--no-stat",
)


class Candidate(Record):
    """The commit that main would become. It is checked out in the lane, where the checks run."""

    commit: str = ""
    problem: str = ""
    conflicts: tuple[str, ...] = ()
    base: str = ""  # its parent, a commit of main
    unchanged: bool = False  # main has all of the lane's work already: it is main's last commit


class FileChange(Record):
    """One file that differs between two trees."""

    path: str
    status: str
    mode: str
    blob: str


# --- the candidate ---


def make_candidate(
    root: str,
    path: str,
    branch: str,
    base: str,
    message: str,
    deletes_allowed: Collection[str] = (),
    onto: str = "",
) -> Candidate:
    """Merge main's last commit and the lane into one new commit, without touching main.

    `base` is where the lane began. Called again after a kill, it returns the same candidate,
    because the lane's branch holds it. `onto` is a commit that main does not have yet and will be
    at when this one lands: then the branch stays at the lane's own work until `settle_lane`.
    """
    main, lane = read_checkout(root), read_checkout(path)
    problem = lane_checkout_problem(main, lane, path, branch) or unsaved_work(path, lane)
    if problem:
        return Candidate(problem=problem)
    branch_flags = ("--detach",) if onto else ("--no-track", "-B", lane.branch)
    main = main.but(head=onto or main.head)
    shared = merge_base(root, main.head, lane.head)
    if problem := _moved_base_problem(main, lane, path, base, shared):
        return Candidate(problem=problem)
    tree_and_parents, last_message = _read_commit(root, lane.head)
    same_message = last_message == message.strip()
    if lane.head == shared != base and same_message:
        return Candidate(shared, base=shared)  # it landed, and we were killed before we noted it
    tree, conflicts, problem = _merge_trees(root, main.head, lane.head)
    if not problem and not _changes_between(root, main.head, tree):
        problem = _check_out_candidate(path, lane, branch_flags, main.head)
        return Candidate(problem=problem) if problem else Candidate(main.head, unchanged=True)
    if not problem:
        problem = _refusal_reason(root, main.head, lane.head, base, shared, tree, deletes_allowed)
    if problem:
        return Candidate(problem=problem, conflicts=conflicts)
    if same_message and tree_and_parents == (f"tree {tree}", f"parent {main.head}"):
        return Candidate(lane.head, base=main.head)
    words = ("commit-tree", tree, "-p", main.head, "-F", "-")
    feed = message.encode("utf-8", "replace")
    commit = git_output(root, *identity_settings(root), *words, feed=feed)
    if problem := _check_out_candidate(path, lane, branch_flags, commit):
        return Candidate(problem=problem)
    return Candidate(commit, base=main.head)


def _check_out_candidate(path: str, lane: Checkout, flags: tuple[str, ...], commit: str) -> str:
    """Check the candidate out in the lane; its commits stay in the reflog until `remove_lane`."""
    done = run_user_git(path, "checkout", *CHECKOUT_FLAGS, *flags, commit)
    if done.returncode:
        return f"{path} cannot take up what main has: {git_error_text(done)}"
    # Line ends may differ, or this disk takes two names for one.
    problem = unsaved_work(path, lane)
    return f"the merged files are not what git wrote: {problem}" if problem else ""


def settle_lane(path: str, branch: str, candidate: str) -> str:
    """Move the lane's branch to the candidate, once main is where it begins; the problem, or "".

    The lane's own commits stay in the reflog until `remove_lane`.
    """
    keep_branch(path, branch)
    done = run_user_git(path, "checkout", *CHECKOUT_FLAGS, "--no-track", "-B", branch, candidate)
    return git_error_text(done) if done.returncode else ""


def landed_commit(root: str, base: str, message: str) -> str:
    """The commit with this message that main got since `base`; "" for none."""
    words = ("log", "--format=%H%n%B", "-n", "1000", f"{base}..HEAD")
    for entry in git_output_list(root, *words):
        commit, _, text = entry.strip().partition("\n")
        if text.strip() == message.strip():
            return commit
    return ""


def landing_files(root: str, commit: str) -> tuple[tuple[str, str], ...]:
    """Status and path of every file that this commit changes."""
    rows = _changes_between(root, f"{commit}^", commit)
    return tuple((change.status, change.path) for change in rows)


def _moved_base_problem(main: Checkout, lane: Checkout, path: str, base: str, shared: str) -> str:
    """Refuse a merge from another base: it would bring back what was changed since."""
    if shared == base:
        return ""
    if not contains_commit(main.top, lane.head, base):
        return (
            f"{path} no longer stands on {base[:12]}, where it began: it was reset or rewritten. "
            f"There: `git merge {base[:12]}`"
        )
    if not contains_commit(main.top, main.head, base):
        return (
            f"{main.top} no longer holds {base[:12]}, where {path} began: "
            "something else is checked out, or commits were rewritten. "
            "Switch back, or take the work over by hand: "
            f"`git cherry-pick {base[:12]}..{lane.head[:12]}`"
        )
    return ""


def _read_commit(root: str, commit: str) -> tuple[tuple[str, ...], str]:
    """The lines of a commit that name its tree and parents, and its message."""
    header, _, message = git_output(root, "cat-file", "commit", commit).partition("\n\n")
    lines = [line for line in header.split("\n") if line.startswith(("tree ", "parent "))]
    return tuple(lines), message.strip()


def _merge_trees(root: str, head: str, tip: str) -> tuple[str, tuple[str, ...], str]:
    """The merged tree; or "", the files with conflicts, and the problem in words."""
    flags = ("--write-tree", "-z", "--name-only", "--no-messages")
    done = run_user_git(root, "merge-tree", *flags, head, tip)
    if done.returncode > 1 or not done.stdout:
        problem = f"git cannot merge {tip[:12]} into {head[:12]} in {root}: {git_error_text(done)}"
        return "", (), problem
    tree, *conflicts = split_nul(os.fsdecode(done.stdout))
    if done.returncode == 0:
        return tree, (), ""
    files = tuple(sorted(set(conflicts)))
    return "", files, f"conflicts with what main has by now: {join_names(files)}"


# --- the guard ---


def _refusal_reason(
    root: str,
    head: str,
    tip: str,
    base: str,
    shared: str,
    tree: str,
    deletes_allowed: Collection[str],
) -> str:
    """What main would get against the plan: files back, files gone, repositories, huge files."""
    landing = _changes_between(root, head, tree)
    added = {change.path for change in landing if change.status == "A"}
    resurrected: set[str] = set()
    if added and base != head:
        resurrected = added & _deleted_paths(_changes_between(root, base, head))
    deleted = _deleted_paths(landing) - set(deletes_allowed)
    deleted_in_lane: set[str] = set()
    if deleted:
        deleted_in_lane = _deleted_paths(_changes_between(root, shared, tip))
    modules = {change.path for change in landing if change.mode == SUBMODULE_MODE}
    reasons = (
        (
            "would resurrect {}, which main deleted meanwhile. Delete it in the lane too",
            resurrected,
        ),
        (
            "deletes {}, which the task does not say. "
            f"Bring it back: `git checkout {shared[:12]} -- FILE`",
            deleted & deleted_in_lane,
        ),
        ("would delete {} of main, which the lane did not delete", deleted - deleted_in_lane),
        (
            "has {} as a repository of its own, whose files would stay behind. "
            "Take it out: `git rm --cached FOLDER`",
            modules,
        ),
        (
            f"has {{}} of more than {HUGE >> 20} MB. Take it out of the lane's commits",
            _huge_files(root, landing),
        ),
    )
    return "; ".join(text.replace("{}", join_names(files)) for text, files in reasons if files)


def _changes_between(root: str, before: str, after: str) -> tuple[FileChange, ...]:
    parts = git_output_list(root, "diff-tree", "-r", "--raw", "--no-renames", before, after)
    changes = []
    for row, path in zip(parts[::2], parts[1::2], strict=True):
        _, mode, _, blob, status = row.split(" ")
        changes.append(FileChange(path, status, mode, blob))
    return tuple(changes)


def _deleted_paths(changes: tuple[FileChange, ...]) -> set[str]:
    return {change.path for change in changes if change.status == "D"}


def _huge_files(root: str, changes: tuple[FileChange, ...]) -> set[str]:
    files = [c for c in changes if c.status != "D" and c.mode != SUBMODULE_MODE]
    if not files:
        return set()
    feed = "".join(f"{change.blob}\n" for change in files).encode()
    sizes = git_output(root, "cat-file", "--batch-check=%(objectsize)", feed=feed).split("\n")
    pairs = zip(files, sizes, strict=True)
    return {change.path for change, size in pairs if int(size) > HUGE}


# --- into the lane, and into main ---


def merge_main_into_lane(path: str, root: str) -> tuple[str, ...]:
    """Merge main's last commit into the lane, with markers in the files that have conflicts.

    Returns these files. Without conflicts it does nothing, because a candidate can be made.
    Raises GitError where the lane is not clean.
    """
    lane = read_checkout(path)
    if lane.unfinished_operation != MERGE:
        head = git_output(root, "rev-parse", "HEAD")
        _, conflicts, _ = _merge_trees(root, head, lane.head)
        if not conflicts:
            return ()
        done = run_user_git(path, *identity_settings(path), "merge", *MERGE_FLAGS, head)
        if lane.unfinished_operation != MERGE:
            raise GitError(f"main cannot be merged into {path}: {git_error_text(done)}")
    flags = ("--name-only", *PLAIN_DIFF_FLAGS, "--diff-filter=U", "--")
    return tuple(sorted(set(git_output_list(path, "diff", *flags))))


def fast_forward_main(root: str, candidate: str) -> str:
    """Move main forward to the candidate; returns why it could not be done, or "".

    Changes that are not committed are never overwritten.
    """
    main = read_checkout(root)
    if commit_at(root, f"{candidate}^") != main.head:
        if contains_commit(root, main.head, candidate):
            return ""
        return MOVED_ON
    if main.unfinished_operation:
        return (
            f"{main.unfinished_operation} is not finished in {root}. "
            "Finish it or give it up; `git status` says how"
        )
    if not main.branch:
        return f"{root} is on no branch, a commit there is easily lost. `git switch BRANCH` first"
    done = run_user_git(root, "merge", *FAST_FORWARD_FLAGS, candidate)
    if done.returncode == 0:
        return ""
    lines = os.fsdecode(done.stderr).split("\n")
    files = [line[1:] for line in lines if line.startswith("\t")]
    if files:
        return (
            f"changes that are not committed in {root} would be overwritten: "
            f"{join_names(files)}. Commit or stash them"
        )
    return f"git would not move {root} forward: {git_error_text(done)}"
