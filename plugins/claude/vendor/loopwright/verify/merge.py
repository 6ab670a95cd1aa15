"""A lane's work becomes one commit on top of main's: made and guarded beside main's checkout, landed by moving forward only."""

from __future__ import annotations

import os

from ..core.record import Record
from .git import MERGE, Checkout, GitTrouble, ask, commit_at, fields, git, holds, look, names, said, several, shared_by, who
from .tree import HUGE
from .work import PLAIN, astray, unsaved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

MODULE = "160000"  # how git calls a repository in the repository


class Candidate(Record):
    """What main would become. It is checked out in the lane, on the lane's branch: the checks run there."""

    commit: str = ""
    problem: str = ""
    conflicts: tuple[str, ...] = ()
    base: str = ""  # the commit of main that it stands on


class Change(Record):
    """One file that differs between two trees."""

    path: str
    status: str
    mode: str
    blob: str


# --- the candidate ---


def candidate(root: str, place: str, branch: str, base: str, message: str, deletes_allowed: Collection[str] = ()) -> Candidate:
    """Main's last commit and the lane, merged into one new commit. Main and its checkout are not touched.

    `base` is where the lane began. Made again after a kill it is the same candidate: the lane's branch holds it.
    """
    here, there = look(root), look(place)
    if why := astray(here, there, place, branch) or unsaved(place, there):
        return Candidate(problem=why)
    shared = shared_by(root, here.head, there.head)
    if why := _elsewhere(here, there, place, base, shared):
        return Candidate(problem=why)
    tree_and_parents, said_before = _read(root, there.head)
    same_words = said_before == message.strip()
    if there.head == shared != base and same_words:
        return Candidate(shared, base=shared)  # landed, and nobody was left to note it
    tree, conflicts, why = _merged(root, here.head, there.head)
    if why or (why := _refused(root, here.head, there.head, base, shared, tree, deletes_allowed)):
        return Candidate(problem=why, conflicts=conflicts)
    if same_words and tree_and_parents == (f"tree {tree}", f"parent {here.head}"):
        return Candidate(there.head, base=here.head)
    text = message.encode("utf-8", "replace")
    made = ask(root, *who(root), "commit-tree", tree, "-p", here.head, "-F", "-", feed=text)
    return Candidate(made, base=here.head) if not (why := _check_out(place, there, made)) else Candidate(problem=why)


def _check_out(place: str, there: Checkout, commit: str) -> str:
    """The lane moves to the candidate. What it was before is in its reflog, until `lanes.clear` keeps it."""
    done = git(place, "checkout", "--quiet", "--no-overwrite-ignore", "--no-track", "-B", there.branch, commit)
    if done.returncode:
        return f"{place} cannot take up what main has: {said(done)}"
    why = unsaved(place, there)  # line ends, or names that this disk takes for one
    return f"the merged files are not what git wrote: {why}" if why else ""


def _elsewhere(here: Checkout, there: Checkout, place: str, base: str, shared: str) -> str:
    """A merge from another base brings back what was changed since, so there is none."""
    if shared == base:
        return ""
    if not holds(here.top, there.head, base):
        words = f"{place} no longer stands on {base[:12]}, where it began: it was reset or rewritten"
        return f"{words}. There: `git merge {base[:12]}`"
    if not holds(here.top, here.head, base):
        words = f"{here.top} no longer holds {base[:12]}, where {place} began: another branch is there, or commits were rewritten"
        return f"{words}. Switch back, or take the work over by hand: `git cherry-pick {base[:12]}..{there.head[:12]}`"
    return ""


def _read(root: str, commit: str) -> tuple[tuple[str, ...], str]:
    """Tree and parents of a commit, and its message."""
    head, _, message = ask(root, "cat-file", "commit", commit).partition("\n\n")
    return tuple(line for line in head.split("\n") if line.startswith(("tree ", "parent "))), message.strip()


def _merged(root: str, head: str, tip: str) -> tuple[str, tuple[str, ...], str]:
    """The merged tree; or the files that both changed, and that they did."""
    done = git(root, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", head, tip)
    if done.returncode > 1 or not done.stdout:
        return "", (), f"git cannot merge {tip[:12]} into {head[:12]} in {root}: {said(done)}"
    tree, *conflicts = fields(os.fsdecode(done.stdout))
    files = tuple(sorted(set(conflicts)))
    return (tree, (), "") if done.returncode == 0 else ("", files, f"conflicts with what main has by now: {several(files)}")


# --- the guard ---


def _refused(root: str, head: str, tip: str, base: str, shared: str, tree: str, deletes_allowed: Collection[str]) -> str:
    """What main would get that nobody asked for: files back, files gone, repositories, hundreds of megabytes."""
    landing = _between(root, head, tree)
    if not landing:
        return "it changed nothing that main does not have"
    added = {one.path for one in landing if one.status == "A"}
    back = added & _deleted(_between(root, base, head)) if added and base != head else set()
    gone = _deleted(landing) - set(deletes_allowed)
    by_lane = _deleted(_between(root, shared, tip)) if gone else set()
    modules = {one.path for one in landing if one.mode == MODULE}
    reasons = {
        "would resurrect {}, which main deleted meanwhile. Delete it in the lane too": back,
        f"deletes {{}}, which the task does not say. Bring it back: `git checkout {shared[:12]} -- FILE`": gone & by_lane,
        "would delete {} of main, which the lane did not delete": gone - by_lane,
        "has {} as a repository of its own, whose files would stay behind. Take it out: `git rm --cached FOLDER`": modules,
        f"has {{}} of more than {HUGE >> 20} MB. Take it out of the lane's commits": _huge(root, landing),
    }
    return "; ".join(words.replace("{}", several(files)) for words, files in reasons.items() if files)


def _between(root: str, one: str, other: str) -> tuple[Change, ...]:
    parts = names(root, "diff-tree", "-r", "--raw", "--no-renames", one, other)
    entries = zip((part.split(" ") for part in parts[::2]), parts[1::2], strict=True)
    return tuple(Change(path, status, mode, blob) for (_, mode, _, blob, status), path in entries)


def _deleted(changes: tuple[Change, ...]) -> set[str]:
    return {one.path for one in changes if one.status == "D"}


def _huge(root: str, changes: tuple[Change, ...]) -> set[str]:
    blobs = [one for one in changes if one.status != "D" and one.mode != MODULE]
    feed = "".join(f"{one.blob}\n" for one in blobs).encode()
    sizes = ask(root, "cat-file", "--batch-check=%(objectsize)", feed=feed).split("\n") if blobs else []
    return {one.path for one, size in zip(blobs, sizes, strict=True) if int(size) > HUGE}


# --- into the lane, and into main ---


def bring(place: str, root: str) -> tuple[str, ...]:
    """Merge main's last commit into the lane and leave the conflicts there, marked, to be resolved; the files that have them.

    Where there are none, nothing is done: a candidate can be made. GitTrouble where the lane is not clean.
    """
    there = look(place)
    if there.doing != MERGE:
        head = ask(root, "rev-parse", "HEAD")
        if not _merged(root, head, there.head)[1]:
            return ()
        words = ("merge", "--quiet", "--strategy=ort", "--no-commit", "--no-ff", "--no-autostash", head)
        done = git(place, *who(place), *words)
        if there.doing != MERGE:
            raise GitTrouble(f"main cannot be merged into {place}: {said(done)}")
    return tuple(sorted(set(names(place, "diff", "--name-only", *PLAIN, "--diff-filter=U", "--"))))


def land(root: str, candidate: str) -> str:
    """Move main forward to the candidate; "" where it is there, else why not. Nothing that is not committed is overwritten."""
    here = look(root)
    if commit_at(root, f"{candidate}^") != here.head:
        return "" if holds(root, here.head, candidate) else "main has moved on; the candidate must be made anew"
    if here.doing:
        return f"{here.doing} is not finished in {root}. Finish it or give it up; `git status` says how"
    if not here.branch:
        return f"{root} is on no branch, a commit there is easily lost. `git switch BRANCH` first"
    words = ("merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore", "--no-stat", candidate)
    done = git(root, *words)
    if done.returncode == 0:
        return ""
    if files := [line[1:] for line in os.fsdecode(done.stderr).split("\n") if line.startswith("\t")]:
        return f"changes that are not committed in {root} would be overwritten: {several(files)}. Commit them or move them away"
    return f"git would not move {root} forward: {said(done)}"
