"""Lanes: worktrees beside the project in which tasks run at the same time, each on a branch of its own. No work in one is lost.

lay, or again → an agent works → work.changed, work.save → merge.candidate → the checks, in the lane → merge.land → clear.
Nothing is forced here. What git takes along when it removes a worktree are ignored files; all else must be in main first.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from glob import escape, glob

from ..core.record import Record
from .git import GitTrouble, ask, commit_at, git, holds, look, names, said, same, several, shared_by, worktrees
from .work import SPARED, astray, leftovers, unsaved, wrong

NEEDED = (2, 38)  # merge-tree --write-tree


class Laid(Record):
    """The commit of main that a lane stands on; or why there is no lane."""

    base: str = ""
    problem: str = ""


def able(root: str) -> str:
    """Why tasks cannot run in lanes here, and the way out; "" where they can."""
    try:
        version = re.search(r"(\d+)\.(\d+)", ask(root, "version"))
    except GitTrouble as trouble:
        return f"{trouble}. Install git, or let the tasks run one after the other"
    if version and tuple(map(int, version.groups())) < NEEDED:
        return f"git {version[0]} is too old, lanes need {NEEDED[0]}.{NEEDED[1]}. Update it"
    if not os.path.exists(os.path.join(root, ".git")):
        return f"{root} is no git repository. `git init` and a first commit make it one"
    inside = git(root, "rev-parse", "--is-inside-work-tree")
    if inside.returncode or inside.stdout.strip() != b"true":
        return f"git cannot work in {root}: {said(inside)}"
    here = look(root)
    if not here.head:
        return f"{root} has no commit to begin from. Make the first: `git add -A && git commit`"
    if here.doing:
        return f"{here.doing} is not finished in {root}. Finish it or give it up; `git status` says how"
    if not here.branch:
        return f"{root} is on no branch, and what lands there would be on none. `git switch -c BRANCH` first"
    if unmerged := names(root, "diff", "--name-only", "--diff-filter=U"):
        return f"{several(unmerged)} in {root} has conflicts. Resolve them and `git add` the files"
    return ""


def lay(root: str, place: str, branch: str) -> Laid:
    """A new lane at main's last commit, which is the base to be remembered. A branch that holds work is never begun anew."""
    if os.path.lexists(place):
        return Laid(problem=f"{place} is there already. Look there, and move it away")
    here = look(root)
    if tip := commit_at(root, f"refs/heads/{branch}"):
        if not holds(root, here.head, tip):
            return Laid(problem=f"the branch {branch} holds work of an earlier run: `git log {here.head[:12]}..{branch}`")
        _keep(root, branch, _moves(root, branch))
        if (done := git(root, "branch", "--delete", branch)).returncode:
            return Laid(problem=f"the branch {branch} is there already: {said(done)}")
    # The commit is named: main may move while git writes the files.
    done = git(root, "worktree", "add", "--quiet", "--no-track", "-b", branch, place, here.head)
    if done.returncode:
        return Laid(problem=f"git would not make the worktree {place}: {said(done)}")
    there = look(place)
    if why := astray(here, there, place, branch):
        return Laid(problem=why)
    if there.head != here.head:
        return Laid(problem=f"{place} stands on {there.head[:12]} and not on {here.head[:12]}")
    if fresh := leftovers(place):
        words = f"a fresh checkout differs from its own commit: {several(fresh)}. If line ends are the reason"
        return Laid(there.head, f"{words}, settle it in {root}: `git add --renormalize .` and a commit")
    return Laid(there.head)


def again(root: str, place: str, branch: str) -> Laid:
    """The lane of an earlier run, with all that it holds; made anew from its branch where the folder is gone."""
    if not os.path.lexists(place):
        if why := _forget(root, place, branch):
            return Laid(problem=why)
        if not commit_at(root, f"refs/heads/{branch}"):
            return Laid(problem=f"neither {place} nor the branch {branch} is there any more")
        done = git(root, "worktree", "add", "--quiet", place, branch)
        if done.returncode:
            return Laid(problem=f"git would not make the worktree {place} again: {said(done)}")
    elif not os.path.lexists(os.path.join(place, ".git")):
        _mend(look(root).common, place)
    why = wrong(root, place, branch)
    return Laid(problem=why) if why else Laid(base_of(root, place))


def base_of(root: str, place: str) -> str:
    """The last commit of main that the lane has: where it began, or what was merged into it since; "" where none is shared.

    A merge that is begun and not concluded counts: main's files are in the lane already.
    """
    begun = commit_at(place, "MERGE_HEAD")
    if begun and holds(root, "HEAD", begun):
        return begun
    return shared_by(root, "HEAD", ask(place, "rev-parse", "HEAD"))


def clear(root: str, place: str, branch: str) -> str:
    """Remove the lane and its branch, if main has all that they hold; else leave them and say why and where."""
    exists, here, there = os.path.lexists(place), look(root), look(place)
    tip = commit_at(root, f"refs/heads/{branch}")
    why = (astray(here, there, place, branch) or unsaved(place, there)) if exists else ""
    if not why and tip and not (here.branch and holds(root, here.head, tip)):
        why = f"the branch {branch} has commits that are not in main: `git log HEAD..{branch}`"
    if why:
        return f"kept at {place}: {why}" if exists else f"kept: {why}"
    if exists:
        _keep(root, branch, (*_moves(place, "HEAD"), *_moves(root, branch)))
        _sweep(place)
        if (done := git(root, "worktree", "remove", place)).returncode:
            return f"kept at {place}: {said(done)}"
    elif why := _forget(root, place, branch):
        return why
    if tip and (done := git(root, "branch", "--delete", branch)).returncode:
        return f"kept: the branch {branch}: {said(done)}"
    return ""


def _mend(common: str, place: str) -> None:
    """Write the lane's .git file anew. (`git worktree repair` would also take lanes from the project that this is a copy of.)"""
    own = os.path.join(place, ".git")
    for pointer in glob(os.path.join(escape(common), "worktrees", "*", "gitdir")):
        entry = os.path.dirname(pointer)
        with open(pointer, "rb") as file:
            leads_to = os.path.join(entry, os.fsdecode(file.read().strip()))
        if same(leads_to, own):
            with open(own, "wb") as file:
                file.write(b"gitdir: " + os.fsencode(entry) + b"\n")


def _forget(root: str, place: str, branch: str) -> str:
    """Take this folder, which is gone, off git's list. (`git worktree prune` would take off all that are gone.)"""
    entry = next((one for one in worktrees(root)[1:] if same(one.path, place)), None)
    if entry is None:
        return ""
    _keep(root, branch, (entry.head,))
    done = git(root, "worktree", "remove", entry.path)
    return f"git would not forget {place}, whose folder is gone: {said(done)}" if done.returncode else ""


def _moves(root: str, name: str) -> tuple[str, ...]:
    """Every commit that a name has stood for, the latest first."""
    return tuple(git(root, "rev-list", "--walk-reflogs", "--max-count=500", name, "--").stdout.decode("ascii").split())


def _keep(root: str, branch: str, commits: tuple[str, ...]) -> None:
    """What was committed in a lane and landed in another form, or was thrown away there, stays under refs/loop/.

    The names in which git would find it go with the lane. Where all the content is in main nothing is kept.
    """
    known = tuple(dict.fromkeys(commits))
    for one in known if _only_there(root, known) else ():
        if _only_there(root, (one,)):
            ask(root, "update-ref", f"refs/loop/{branch.removeprefix('loop/')}/{one[:12]}", one)


def _only_there(root: str, commits: tuple[str, ...]) -> bool:
    """Whether these hold the content of a file that no branch has, nor anything else that outlives the lane."""
    only = (
        "--objects-edge-aggressive",
        "--filter=object:type=blob",
        "--filter-provided-objects",
        "--single-worktree",
        "--ignore-missing",
    )
    found = ask(root, "rev-list", *only, *commits, "--not", "--all", "--").split("\n") if commits else []
    return any(line and not line.startswith("-") for line in found)  # with a dash: where the walk ended


def _sweep(place: str) -> None:
    """Caches of tools that the project does not ignore: git would not remove a worktree that has them."""
    for path in names(place, "ls-files", "--others", "--ignored", *SPARED):
        with suppress(OSError):  # then git says that it would not remove it
            os.remove(os.path.join(place, path))
