"""A clean checkout of a kept tree, elsewhere: its bytes as they were kept, a worktree for the checks that ask git, then gone."""

from __future__ import annotations

import os
import shutil

from .git import GitTrouble, git, said
from .plumbing import run_git
from .tree import lay_git, tree_of


class CannotLay(Exception):
    """Why there is no such checkout."""


def lay(root: str, place: str, commit: str, volatile: tuple[str, ...]) -> str:
    """The tree of what lies there then."""
    try:
        done = git(root, "worktree", "add", "--quiet", "--no-checkout", "--detach", place, commit)
    except GitTrouble as trouble:
        raise CannotLay(str(trouble)) from trouble
    if done.returncode:
        raise CannotLay(f"git would not lay out {commit[:12]}: {said(done)}")
    own = f"{place}.git"
    lay_git(root, own)
    steps = (("read-tree", commit), ("checkout-index", "--all", "--force", "--quiet"))
    if any(run_git(place, own, *words)[0] for words in steps):
        clear(root, place)
        raise CannotLay(f"{commit[:12]} is not whole any more: some of its files are gone from the repository")
    git(place, "read-tree", "HEAD")  # for a check that asks git what is tracked
    state = f"{place}.loop"
    os.makedirs(state, mode=0o700)
    return tree_of(place, state, volatile)


def clear(root: str, place: str) -> None:
    """Nothing of it is anybody's work."""
    git(root, "worktree", "remove", "--force", place)
    shutil.rmtree(place, ignore_errors=True)
    git(root, "worktree", "prune")
