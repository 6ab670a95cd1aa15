"""A lane's work becomes one commit on top of main's: made and guarded beside main's checkout, landed by moving forward only."""

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
from ..tree import HUGE
from .changes import PLAIN_DIFF_FLAGS, lane_checkout_problem, unsaved_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

SUBMODULE_MODE = "160000"  # how git calls a repository in the repository


class Candidate(Record):
    """What main would become. It is checked out in the lane, on the lane's branch: the checks run there."""

    commit: str = ""
    problem: str = ""
    conflicts: tuple[str, ...] = ()
    base: str = ""  # the commit of main that it stands on


class FileChange(Record):
    """One file that differs between two trees."""

    path: str
    status: str
    mode: str
    blob: str


# --- the candidate ---


def make_candidate(
    root: str,
    place: str,
    branch: str,
    base: str,
    message: str,
    deletes_allowed: Collection[str] = (),
) -> Candidate:
    """Main's last commit and the lane, merged into one new commit. Main and its checkout are not touched.

    `base` is where the lane began. Made again after a kill it is the same candidate: the lane's branch holds it.
    """
    here, there = read_checkout(root), read_checkout(place)
    if why := lane_checkout_problem(here, there, place, branch) or unsaved_work(place, there):
        return Candidate(problem=why)
    shared = merge_base(root, here.head, there.head)
    if why := _moved_base_problem(here, there, place, base, shared):
        return Candidate(problem=why)
    tree_and_parents, said_before = _read_commit(root, there.head)
    same_words = said_before == message.strip()
    if there.head == shared != base and same_words:
        return Candidate(shared, base=shared)  # landed, and nobody was left to note it
    tree, conflicts, why = _merge_trees(root, here.head, there.head)
    if why or (
        why := _refusal_reason(root, here.head, there.head, base, shared, tree, deletes_allowed)
    ):
        return Candidate(problem=why, conflicts=conflicts)
    if same_words and tree_and_parents == (f"tree {tree}", f"parent {here.head}"):
        return Candidate(there.head, base=here.head)
    text = message.encode("utf-8", "replace")
    made = git_output(
        root, *identity_settings(root), "commit-tree", tree, "-p", here.head, "-F", "-", feed=text
    )
    return (
        Candidate(made, base=here.head)
        if not (why := _check_out_candidate(place, there, made))
        else Candidate(problem=why)
    )


def _check_out_candidate(place: str, there: Checkout, commit: str) -> str:
    """The lane moves to the candidate. What it was before is in its reflog, until `lanes.clear` keeps it."""
    done = run_user_git(
        place,
        "checkout",
        "--quiet",
        "--no-overwrite-ignore",
        "--no-track",
        "-B",
        there.branch,
        commit,
    )
    if done.returncode:
        return f"{place} cannot take up what main has: {git_error_text(done)}"
    why = unsaved_work(place, there)  # line ends, or names that this disk takes for one
    return f"the merged files are not what git wrote: {why}" if why else ""


def _moved_base_problem(here: Checkout, there: Checkout, place: str, base: str, shared: str) -> str:
    """A merge from another base brings back what was changed since, so there is none."""
    if shared == base:
        return ""
    if not contains_commit(here.top, there.head, base):
        words = (
            f"{place} no longer stands on {base[:12]}, where it began: it was reset or rewritten"
        )
        return f"{words}. There: `git merge {base[:12]}`"
    if not contains_commit(here.top, here.head, base):
        words = f"{here.top} no longer holds {base[:12]}, where {place} began: another branch is there, or commits were rewritten"
        return f"{words}. Switch back, or take the work over by hand: `git cherry-pick {base[:12]}..{there.head[:12]}`"
    return ""


def _read_commit(root: str, commit: str) -> tuple[tuple[str, ...], str]:
    """Tree and parents of a commit, and its message."""
    head, _, message = git_output(root, "cat-file", "commit", commit).partition("\n\n")
    return tuple(
        line for line in head.split("\n") if line.startswith(("tree ", "parent "))
    ), message.strip()


def _merge_trees(root: str, head: str, tip: str) -> tuple[str, tuple[str, ...], str]:
    """The merged tree; or the files that both changed, and that they did."""
    done = run_user_git(
        root, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", head, tip
    )
    if done.returncode > 1 or not done.stdout:
        return (
            "",
            (),
            f"git cannot merge {tip[:12]} into {head[:12]} in {root}: {git_error_text(done)}",
        )
    tree, *conflicts = split_nul(os.fsdecode(done.stdout))
    files = tuple(sorted(set(conflicts)))
    return (
        (tree, (), "")
        if done.returncode == 0
        else ("", files, f"conflicts with what main has by now: {join_names(files)}")
    )


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
    """What main would get that nobody asked for: files back, files gone, repositories, hundreds of megabytes."""
    landing = _changes_between(root, head, tree)
    if not landing:
        return "it changed nothing that main does not have"
    added = {one.path for one in landing if one.status == "A"}
    back = (
        added & _deleted_paths(_changes_between(root, base, head))
        if added and base != head
        else set()
    )
    gone = _deleted_paths(landing) - set(deletes_allowed)
    by_lane = _deleted_paths(_changes_between(root, shared, tip)) if gone else set()
    modules = {one.path for one in landing if one.mode == SUBMODULE_MODE}
    reasons = {
        "would resurrect {}, which main deleted meanwhile. Delete it in the lane too": back,
        f"deletes {{}}, which the task does not say. Bring it back: `git checkout {shared[:12]} -- FILE`": gone
        & by_lane,
        "would delete {} of main, which the lane did not delete": gone - by_lane,
        "has {} as a repository of its own, whose files would stay behind. Take it out: `git rm --cached FOLDER`": modules,
        f"has {{}} of more than {HUGE >> 20} MB. Take it out of the lane's commits": _huge_files(
            root, landing
        ),
    }
    return "; ".join(
        words.replace("{}", join_names(files)) for words, files in reasons.items() if files
    )


def _changes_between(root: str, one: str, other: str) -> tuple[FileChange, ...]:
    parts = git_output_list(root, "diff-tree", "-r", "--raw", "--no-renames", one, other)
    entries = zip((part.split(" ") for part in parts[::2]), parts[1::2], strict=True)
    return tuple(
        FileChange(path, status, mode, blob) for (_, mode, _, blob, status), path in entries
    )


def _deleted_paths(changes: tuple[FileChange, ...]) -> set[str]:
    return {one.path for one in changes if one.status == "D"}


def _huge_files(root: str, changes: tuple[FileChange, ...]) -> set[str]:
    blobs = [one for one in changes if one.status != "D" and one.mode != SUBMODULE_MODE]
    feed = "".join(f"{one.blob}\n" for one in blobs).encode()
    sizes = (
        git_output(root, "cat-file", "--batch-check=%(objectsize)", feed=feed).split("\n")
        if blobs
        else []
    )
    return {one.path for one, size in zip(blobs, sizes, strict=True) if int(size) > HUGE}


# --- into the lane, and into main ---


def merge_main_into_lane(place: str, root: str) -> tuple[str, ...]:
    """Merge main's last commit into the lane and leave the conflicts there, marked, to be resolved; the files that have them.

    Where there are none, nothing is done: a candidate can be made. GitTrouble where the lane is not clean.
    """
    there = read_checkout(place)
    if there.unfinished_operation != MERGE:
        head = git_output(root, "rev-parse", "HEAD")
        if not _merge_trees(root, head, there.head)[1]:
            return ()
        words = (
            "merge",
            "--quiet",
            "--strategy=ort",
            "--no-commit",
            "--no-ff",
            "--no-autostash",
            head,
        )
        done = run_user_git(place, *identity_settings(place), *words)
        if there.unfinished_operation != MERGE:
            raise GitError(f"main cannot be merged into {place}: {git_error_text(done)}")
    return tuple(
        sorted(
            set(
                git_output_list(
                    place, "diff", "--name-only", *PLAIN_DIFF_FLAGS, "--diff-filter=U", "--"
                )
            )
        )
    )


def fast_forward_main(root: str, candidate: str) -> str:
    """Move main forward to the candidate; "" where it is there, else why not. Nothing that is not committed is overwritten."""
    here = read_checkout(root)
    if commit_at(root, f"{candidate}^") != here.head:
        return (
            ""
            if contains_commit(root, here.head, candidate)
            else "main has moved on; the candidate must be made anew"
        )
    if here.unfinished_operation:
        return f"{here.unfinished_operation} is not finished in {root}. Finish it or give it up; `git status` says how"
    if not here.branch:
        return f"{root} is on no branch, a commit there is easily lost. `git switch BRANCH` first"
    words = (
        "merge",
        "--quiet",
        "--ff-only",
        "--no-autostash",
        "--no-overwrite-ignore",
        "--no-stat",
        candidate,
    )
    done = run_user_git(root, *words)
    if done.returncode == 0:
        return ""
    if files := [
        line[1:] for line in os.fsdecode(done.stderr).split("\n") if line.startswith("\t")
    ]:
        return f"changes that are not committed in {root} would be overwritten: {join_names(files)}. Commit them or move them away"
    return f"git would not move {root} forward: {git_error_text(done)}"
