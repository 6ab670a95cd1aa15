"""A clean checkout of a kept tree, elsewhere: its bytes as they were kept, a worktree for the checks that ask git, then gone."""

from __future__ import annotations

import os
import shutil

from .git import GitError, git_error_text, run_user_git
from .plumbing import run_git
from .tree import create_own_git, tree_hash


class CheckoutFailed(Exception):
    """Why there is no such checkout."""


def create_checkout(root: str, place: str, commit: str, volatile: tuple[str, ...]) -> str:
    """The tree of what lies there then."""
    try:
        done = run_user_git(
            root, "worktree", "add", "--quiet", "--no-checkout", "--detach", place, commit
        )
    except GitError as trouble:
        raise CheckoutFailed(str(trouble)) from trouble
    if done.returncode:
        raise CheckoutFailed(f"git would not lay out {commit[:12]}: {git_error_text(done)}")
    own = f"{place}.git"
    create_own_git(root, own)
    steps = (("read-tree", commit), ("checkout-index", "--all", "--force", "--quiet"))
    if any(run_git(place, own, *words)[0] for words in steps):
        remove_checkout(root, place)
        raise CheckoutFailed(
            f"{commit[:12]} is not whole any more: some of its files are gone from the repository"
        )
    run_user_git(place, "read-tree", "HEAD")  # for a check that asks git what is tracked
    state = f"{place}.loop"
    os.makedirs(state, mode=0o700)
    return tree_hash(place, state, volatile)


def remove_checkout(root: str, place: str) -> None:
    """Nothing of it is anybody's work."""
    run_user_git(root, "worktree", "remove", "--force", place)
    shutil.rmtree(place, ignore_errors=True)
    run_user_git(root, "worktree", "prune")
