"""A clean checkout of a kept tree in another folder: its exact bytes, in a repository of its own.

The repository borrows the objects of the user's repository and changes nothing there: no worktree
is registered, no ref is written and nothing is pruned.
"""

from __future__ import annotations

import os
import shutil

from ..disk.files import write_private
from .git_tree import OWN_GIT_FILES, quoted_path
from .plumbing import ask_user_git, run_git
from .submodules import has_changes, submodules_in, submodules_of
from .tree import tree_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SUBMODULE_DEPTH = 5
MAX_OWN_BLOB = "1m"  # larger files are in the checkout, but not in its own objects
# Filters and line ends of the project are off: the checkout has the bytes that were kept.
GIT_FILES = {
    "config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    "\tlongpaths = true\n",
    "info/attributes": OWN_GIT_FILES["info/attributes"],
}


class CheckoutFailed(Exception):
    """Why the checkout could not be created."""


def create_checkout(
    root: str, path: str, commit: str, volatile: tuple[str, ...], alone: bool = False
) -> str:
    """Check the commit out at `path` and return the tree hash of what is there then.

    The hash is computed from the content of the files, so a damaged or replaced object is noticed.
    `alone`: what runs there cannot reach the objects of the user's repository.
    """
    _check_out(root, path, commit, MAX_SUBMODULE_DEPTH)
    if alone:
        _copy_objects(path, commit)
    state = f"{path}.loop"
    os.makedirs(state, mode=0o700, exist_ok=True)
    return tree_hash(path, state, volatile)


def _check_out(root: str, path: str, commit: str, depth: int) -> None:
    objects = _object_folder(root)
    if not objects:
        raise CheckoutFailed(f"{root} is not a git repository, or git is not installed")
    git = os.path.join(path, ".git")
    _create_repository(root, git, objects, commit)
    # `read-tree` fails without the commit, `checkout-index` without a file of it.
    steps = (("read-tree", commit), ("checkout-index", "--all", "--force", "--quiet"))
    if any(run_git(path, git, *words)[0] for words in steps):
        raise CheckoutFailed(
            f"{commit[:12]} is not whole any more: some of its files are gone from the repository"
        )
    for submodule, name in _submodules(path, git):
        if depth == 0 or not os.path.exists(os.path.join(root, submodule, ".git")):
            raise CheckoutFailed(f"the submodule {submodule} is not checked out in the project")
        _check_out(os.path.join(root, submodule), os.path.join(path, submodule), name, depth - 1)


def _create_repository(root: str, git: str, objects: str, commit: str) -> None:
    for folder in ("objects/info", "refs/heads", "info"):
        os.makedirs(os.path.join(git, folder), mode=0o700, exist_ok=True)
    for name, text in GIT_FILES.items():
        write_private(os.path.join(git, name), text.encode())
    write_private(
        os.path.join(git, "objects/info/alternates"), os.fsencode(f"{quoted_path(objects)}\n")
    )
    write_private(os.path.join(git, "HEAD"), f"{commit}\n".encode("ascii"))
    # Tools that name a version after the last tag need the tags.
    code, tags = ask_user_git(
        root, "for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"
    )
    if not code:
        write_private(os.path.join(git, "packed-refs"), tags)


def _copy_objects(path: str, commit: str) -> None:
    """Give the checkout the objects of this commit, without its history.

    Tools that ask git for the state of the files, such as `go build`, fail without them.
    """
    git = os.path.join(path, ".git")
    words = ("--objects", "--no-walk", f"--filter=blob:limit={MAX_OWN_BLOB}", commit)
    _, names = run_git(path, git, "rev-list", *words)
    os.makedirs(os.path.join(git, "objects/pack"), mode=0o700, exist_ok=True)
    write_private(os.path.join(git, "names"), names)
    pack = os.path.join(git, "objects/pack/pack")
    run_git(path, git, "pack-objects", "--quiet", pack, stdin="names")
    write_private(os.path.join(git, "shallow"), f"{commit}\n".encode("ascii"))


def _object_folder(root: str) -> str:
    words = ("rev-parse", "--path-format=absolute", "--git-path", "objects")
    code, out = ask_user_git(root, *words)
    return "" if code else os.fsdecode(out.strip())


def _submodules(path: str, git: str) -> list[tuple[str, str]]:
    """Path and commit of each submodule of the checkout."""
    return submodules_in(run_git(path, git, "ls-files", "--stage", "-z")[1])


def fill_submodules(root: str, path: str) -> None:
    """Check out, in a worktree of the repository, the submodules that the project has."""
    for submodule, commit in submodules_of(path):
        source, target = os.path.join(root, submodule), os.path.join(path, submodule)
        is_empty = not os.path.isdir(target) or not os.listdir(target)
        if is_empty and os.path.exists(os.path.join(source, ".git")):
            _check_out(source, target, commit, MAX_SUBMODULE_DEPTH - 1)


def empty_submodules(path: str) -> None:
    """Remove the files of submodules that are as they were checked out, so that git removes
    the worktree.
    """
    for submodule, commit in submodules_of(path):
        target = os.path.join(path, submodule)
        if not os.path.isdir(os.path.join(target, ".git")):
            continue
        _, head = ask_user_git(target, "rev-parse", "HEAD")
        if head.decode().strip() == commit and not has_changes(target):
            shutil.rmtree(target, ignore_errors=True)
            os.mkdir(target)


def restore_paths(path: str, commit: str, paths: Iterable[str]) -> None:
    """Give the files at these paths the content that they have in the commit, or delete them."""
    git = os.path.join(path, ".git")
    for name in paths:
        full = os.path.join(path, name)
        if os.path.islink(full) or os.path.isfile(full):
            os.remove(full)
        code, _ = run_git(path, git, "checkout", "--quiet", commit, "--", name)
        if code:
            run_git(path, git, "update-index", "--force-remove", "--", name)


def remove_checkout(path: str) -> None:
    """Remove the checkout with all changes in it."""
    for folder in (path, f"{path}.loop"):
        shutil.rmtree(folder, ignore_errors=True)
