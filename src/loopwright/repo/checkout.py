"""A clean checkout of a kept tree in another folder: its exact bytes, and a worktree for git."""

from __future__ import annotations

import os
import shutil

from .git import GitError, git_error_text, run_user_git
from .plumbing import run_git
from .tree import create_own_git, tree_hash


class CheckoutFailed(Exception):
    """Why the checkout could not be created."""


def create_checkout(root: str, path: str, commit: str, volatile: tuple[str, ...]) -> str:
    """Check the commit out at `path` and return the tree hash of what is there then."""
    flags = ("--quiet", "--no-checkout", "--detach")
    try:
        done = run_user_git(root, "worktree", "add", *flags, path, commit)
    except GitError as error:
        raise CheckoutFailed(str(error)) from error
    if done.returncode:
        raise CheckoutFailed(f"git would not lay out {commit[:12]}: {git_error_text(done)}")
    own = f"{path}.git"
    create_own_git(root, own)
    # Our own git writes the files, without the filters and line ends of the project.
    steps = (("read-tree", commit), ("checkout-index", "--all", "--force", "--quiet"))
    if any(run_git(path, own, *words)[0] for words in steps):
        remove_checkout(root, path)
        raise CheckoutFailed(
            f"{commit[:12]} is not whole any more: some of its files are gone from the repository"
        )
    run_user_git(path, "read-tree", "HEAD")  # for a check that asks git what is tracked
    state = f"{path}.loop"
    os.makedirs(state, mode=0o700)
    return tree_hash(path, state, volatile)


def remove_checkout(root: str, path: str) -> None:
    """Remove the checkout with all changes in it."""
    run_user_git(root, "worktree", "remove", "--force", path)
    shutil.rmtree(path, ignore_errors=True)
    run_user_git(root, "worktree", "prune")
