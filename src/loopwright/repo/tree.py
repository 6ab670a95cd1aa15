"""The tree hash: one hash for the content of all files that are tracked, changed or untracked.

Ignored files do not count. Git does the work in a folder of ours under .loop/, with its own index
and object store: it never touches the user's index, hooks, filters and fsmonitor. Content is
hashed and not stored, so a large file costs its reading and no space. Only where the tree is to be
kept (kept_trees.py), new content goes into the user's object store while it is hashed.
"""

from __future__ import annotations

import errno

from ..core.record import Record, digest
from ..disk.files import open_at_once, read_bytes
from ..disk.light_os import os
from ..disk.programs import own_program
from .walk import EXCLUDED, HUGE, folder_hash

# One block in each of these files is ours; the rest of the file is part of the tree.
GSD_STATE_FILES = (".gsd/STATE.md", ".opti-gsd/STATE.md")
# Errors that a person can do something about.
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


class TreeReading(Record):
    """The hash of a tree; or "", and the problem that a person must solve first.

    Without a hash and without a problem, the files are too many to be hashed: evidence is then
    valid only in the round that produced it.
    """

    tree: str = ""
    problem: str = ""


def tree_hash(root: str, loop_path: str, volatile: tuple[str, ...] = ()) -> str:
    """The hash of the tree at root; "" where it cannot be computed."""
    return read_tree(root, loop_path, volatile).tree


def read_tree(
    root: str, loop_path: str, volatile: tuple[str, ...] = (), store: bool = False
) -> TreeReading:
    """The hash of the tree at root, or why there is none.

    `store`: the tree will be kept, so its new content is stored in the same pass where possible.
    """
    if not os.path.isdir(loop_path):  # deleted meanwhile; we do not create it again
        return TreeReading()
    had_own_git = _has_own_git(loop_path)
    if had_own_git and _is_git_gone(root):
        from .tree_problem import GIT_GONE

        return TreeReading(problem=GIT_GONE)
    try:
        return TreeReading(_tree_hash(root, loop_path, volatile, store))
    except OSError as error:
        if not had_own_git:
            return _first_reading_without_git(root, volatile, error)
    # A power cut can empty any file of our own index, so we start with a new one.
    return reread_tree(root, loop_path, volatile)


def _has_own_git(loop_path: str) -> bool:
    """Has git hashed the tree of this loop before?"""
    return os.path.exists(os.path.join(loop_path, "tree", "HEAD"))


def _first_reading_without_git(root: str, volatile: tuple[str, ...], error: OSError) -> TreeReading:
    """Where git was never there, a repository is hashed like any other folder."""
    if own_program("git", root):
        return _failed_reading(root, error)
    try:
        return TreeReading(_folder_hash(root, ("/.git", *volatile)))
    except OSError as folder_error:
        return _failed_reading(root, folder_error)


def _failed_reading(root: str, error: OSError) -> TreeReading:
    """The problem in words; raises the error of a full or broken disk, which is not of the tree."""
    if error.errno in DISK_ERRORS:
        raise error
    from .tree_problem import describe_problem

    return TreeReading(problem=describe_problem(root, error))


def _is_git_gone(root: str) -> bool:
    """Has the repository been deleted? The `.git` of a worktree is a file that names its folder."""
    path = os.path.join(root, ".git")
    if os.path.isfile(path):
        named = read_bytes(path).decode("utf-8", "surrogateescape").partition("gitdir:")[2]
        path = os.path.join(root, named.strip())
    return not os.path.exists(os.path.join(path, "HEAD"))


def _tree_hash(root: str, loop_path: str, volatile: tuple[str, ...], store: bool = False) -> str:
    if os.path.exists(os.path.join(root, ".git")):
        from .git_tree import git_tree_hash

        git = os.path.join(loop_path, "tree")
        return git_tree_hash(root, git, volatile, store) + _gsd_state_digests(root)
    return _folder_hash(root, volatile)


def _folder_hash(root: str, volatile: tuple[str, ...]) -> str:
    return folder_hash(root, (*EXCLUDED, *volatile), HUGE // 50) + _gsd_state_digests(root)


def _gsd_state_digests(root: str) -> str:
    return "".join(_gsd_state_digest(os.path.join(root, name)) for name in GSD_STATE_FILES)


def _gsd_state_digest(path: str) -> str:
    """A digest of a GSD state file without its `loop:` block, which we write at every step."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            lines = file.read(HUGE).split(b"\n")
    except FileNotFoundError:
        return ""
    rest, inside = [], False
    for line in lines:
        is_continuation = inside and line[:1] in (b" ", b"\t", b"", b"\r")
        inside = line.startswith(b"loop:") or is_continuation
        if not inside:
            rest.append(line)
    return f"+{digest(b''.join(rest))}"


def read_contents(root: str, loop_path: str, volatile: tuple[str, ...]) -> TreeReading:
    """The tree hashed from the content of every file. Our index is neither used nor replaced.

    Others can write it: git takes a file for unchanged whose entry there says so.
    """
    import tempfile  # slow to import, and an ordinary Stop never comes here

    try:
        with tempfile.TemporaryDirectory(prefix="anew-", dir=loop_path) as fresh:
            return TreeReading(_tree_hash(root, fresh, volatile))
    except OSError as error:
        return _failed_reading(root, error)


def reread_tree(root: str, loop_path: str, volatile: tuple[str, ...]) -> TreeReading:
    """The tree hashed from the content of every file, with a new index in place of ours."""
    if not _has_own_git(loop_path):
        return read_tree(root, loop_path, volatile)
    import shutil  # slow to import, and an ordinary Stop never comes here

    fresh = os.path.join(loop_path, "anew")
    shutil.rmtree(fresh, ignore_errors=True)
    if not os.path.isdir(loop_path):
        return TreeReading()
    os.makedirs(fresh, mode=0o700)
    try:
        tree = _tree_hash(root, fresh, volatile)
        if tree and os.path.isdir(os.path.join(fresh, "tree")):
            shutil.rmtree(os.path.join(loop_path, "tree"), ignore_errors=True)
            os.rename(os.path.join(fresh, "tree"), os.path.join(loop_path, "tree"))
        return TreeReading(tree)
    except OSError as error:
        return _failed_reading(root, error)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
