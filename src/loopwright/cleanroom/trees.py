"""Where the trees of a loop are kept for its rooms: in the user's repository, or in a git folder
of ours for a project without git.
"""

from __future__ import annotations

import os

from ..core.loop import Loop
from ..core.record import Record
from ..disk.files import make_folder, write_private
from ..repo import kept_trees
from ..repo.baseline import COPY_PREFIX
from ..repo.git_tree import OWN_GIT_FILES
from ..repo.plumbing import ask_user_git, require_git
from ..repo.tree import tree_hash
from ..repo.walk import EXCLUDED, MAX_FILES, file_size, walk_files
from ..store.folder import LoopFolder
from ..store.state_folder import room_store
from .checkout_files import RoomError, environment_folders, is_inside

END_REF = "end"  # the ref of the tree that is compared with the baseline


class RoomTrees(Record):
    """Where git finds both trees of a loop."""

    root: str
    loop_path: str  # its folder `tree` is a git folder that knows the objects
    baseline: str  # the commit of the start


def room_trees(folder: LoopFolder, loop: Loop) -> RoomTrees:
    if loop.room.baseline_commit:
        own = room_store(loop, "trees")
        return RoomTrees(os.path.join(own, "tree"), own, loop.room.baseline_commit)
    if not loop.baseline.tree_id or loop.baseline.tree_id.startswith(COPY_PREFIX):
        raise RoomError("the project is not in a git repository")
    return RoomTrees(folder.root, folder.path, loop.baseline.tree_id)


def keep_baseline_for_room(folder: LoopFolder, loop: Loop) -> str:
    """Keep the tree of a project without git in a git folder of ours; "" where git has it."""
    if not loop.baseline.tree_id.startswith(COPY_PREFIX) and loop.baseline.tree_id:
        return ""
    if os.path.exists(os.path.join(folder.root, ".git")):
        raise RoomError(
            "git could not keep the tree: it has too much new content. Let git ignore large files"
        )
    try:
        return keep_in_own_git(folder, loop)
    except FileNotFoundError:
        raise RoomError("the program git is not installed") from None


def end_commit(folder: LoopFolder, loop: Loop, tree: str) -> str:
    """The commit of the final tree, which a turn, a landing or the comparison has kept; "": none.

    Keeping it again starts with a new index after a failure, so a second try can succeed.
    """
    if loop.room.baseline_commit:
        commit = keep_in_own_git(folder, loop)
        is_same = tree_hash(folder.root, folder.path, loop.settings.volatile_globs) == tree
        return commit if is_same else ""
    if commit := _kept_commit(folder.root, loop.id, tree.partition("+")[0]):
        return commit
    ref = kept_trees.kept_tree_ref(loop.id, END_REF)
    for _ in range(2):
        if commit := kept_trees.keep_tree(folder.root, folder.path, tree, ref):
            return commit
    return kept_trees.commit_tree(folder.root, folder.path, tree)


def _kept_commit(root: str, loop_id: str, tree: str) -> str:
    """A commit that this loop has kept of the tree, whatever checks have written since; or ""."""
    words = ("for-each-ref", "--format=%(tree) %(objectname)", f"refs/loop/{loop_id}/")
    _, out = ask_user_git(root, *words)
    rows = [row.split() for row in out.decode("ascii", "replace").splitlines()]
    commits = [row[1] for row in rows if row[:1] == [tree]]
    return next((c for c in commits if kept_trees.tree_of_commit(root, c) == tree), "")


def keep_in_own_git(folder: LoopFolder, loop: Loop) -> str:
    """The commit of the files as they are, in a git folder of ours."""
    root, git = folder.root, room_store(loop, "trees", "tree")
    paths = _tree_files(root, loop.settings.volatile_globs)
    if not os.path.exists(os.path.join(git, "HEAD")):
        for name in ("objects", "refs", "info"):
            make_folder(os.path.join(git, name))
        for name, text in OWN_GIT_FILES.items():
            write_private(os.path.join(git, name), text.encode())
    for name in os.listdir(git):
        if name == "index" or name.startswith("sharedindex."):
            os.remove(os.path.join(git, name))
    write_private(os.path.join(git, "changed"), b"".join(path + b"\0" for path in paths))
    require_git(root, git, "update-index", "--add", "-z", "--stdin", stdin="changed")
    tree = require_git(root, git, "write-tree").decode().strip()
    words = (*kept_trees.IDENTITY_FLAGS, "commit-tree", tree, "-m", loop.id)
    return require_git(root, git, *words).decode().strip()


def _tree_files(root: str, volatile: tuple[str, ...]) -> list[bytes]:
    """The files of a tree without git. Installed packages are copied as they are instead."""
    packages = environment_folders(root)
    names = [path for path, _ in walk_files(root, "", (*EXCLUDED, *volatile))]
    names = [path for path in names if not any(is_inside(path, folder) for folder in packages)]
    paths = [os.fsencode(path) for path in names]
    size = sum(file_size(root, path) for path in paths)
    if len(paths) > MAX_FILES or size > kept_trees.MAX_NEW_BYTES:
        raise RoomError("the project is not in a git repository, and it is too large to keep")
    return paths
