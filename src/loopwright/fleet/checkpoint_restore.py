"""Puts a loop together again from the parts of its checkpoint, in a fresh checkout."""

from __future__ import annotations

import os
import tempfile

from ..cleanroom.checkout import drop_room
from ..disk.files import make_folder, remove_file, write_private
from ..disk.temporary import own_prefix
from ..disk.user_folders import state_home
from ..repo import kept_trees, user_repo
from ..repo.git import GitError, commit_at, git_output, run_user_git
from ..repo.tree import tree_hash
from ..store import holdouts
from ..store.folder import LoopFolder
from .archive import unpack_files
from .checkpoint_facts import FACTS_NAME, CheckpointFacts
from .result_refs import INDEX_REF

# Of .claude/: the page of a discovery loop.
PAGE_NAMES = ("loop-state", "loop-history")


def restore_refs(root: str, bundle: bytes, facts: CheckpointFacts) -> None:
    """Bring commits, branch and kept trees here, and check the branch out."""
    if not commit_at(root, facts.base):
        raise GitError(f"it does not have the commit {facts.base} that the job began with")
    if bundle:
        with tempfile.TemporaryDirectory(prefix=own_prefix("checkpoint")) as scratch:
            path = os.path.join(scratch, "bundle")
            write_private(path, bundle)
            git_output(root, "bundle", "unbundle", path)
    git_output(root, "checkout", "--quiet", "--detach")  # no branch is checked out while it moves
    rows = "".join(f"update {ref} {commit}\n" for commit, ref in facts.refs)
    git_output(root, "update-ref", "--stdin", feed=rows.encode())
    if facts.branch:
        git_output(root, "symbolic-ref", "HEAD", f"refs/heads/{facts.branch}")
    else:
        git_output(root, "update-ref", "--no-deref", "HEAD", facts.head)
    git_output(root, "reset", "--hard", "--quiet")


def restore_files(folder: LoopFolder, archive: bytes, facts: CheckpointFacts) -> None:
    """Put the files of the working tree, the index and .loop/ back."""
    root = folder.root
    now = tree_hash(root, folder.path, facts.volatile)
    if not now:
        raise GitError("git cannot read its files")
    kept_trees.restore_tree(root, folder.path, now, facts.kept)
    # Tracked files that git also ignores: here they counted, and there they did not.
    gone = [name for name in facts.unchanged if not os.path.lexists(os.path.join(root, name))]
    names = b"".join(os.fsencode(name) + b"\0" for name in gone)
    git_output(root, "checkout-index", "-f", "-z", "--stdin", feed=names)
    own = (".loop/", *(f".claude/{name}" for name in PAGE_NAMES))
    unpack_files(archive, root, lambda name: name.startswith(own) or name in facts.files)
    os.remove(os.path.join(root, FACTS_NAME))
    for name in facts.removed:
        remove_file(os.path.join(root, name))
    if facts.has_page:
        user_repo.ignore_own_files(root)
    index = kept_trees.kept_tree_ref(facts.loop, INDEX_REF)
    if commit_at(root, index):
        git_output(root, "read-tree", f"{index}^{{tree}}")
    run_user_git(root, "update-index", "-q", "--refresh")
    _require_kept_files(folder, facts)


def _require_kept_files(folder: LoopFolder, facts: CheckpointFacts) -> None:
    """Every file must be as it was kept. More may be there: tracked ones that git also ignores."""
    now = tree_hash(folder.root, folder.path, facts.volatile)
    tree = kept_trees.tree_of_commit(folder.root, facts.kept)
    if now.partition("+")[0] == tree:
        return
    rows = kept_trees.tree_changes(folder.root, folder.path, tree, now)
    if wrong := [path for path, kind, _ in rows if kind != "A"]:
        raise GitError(f"files differ from those that were kept: {', '.join(wrong[:5])}")


def restore_outside(archive: bytes, loop_id: str) -> None:
    """Put the held-out commands and what clean checkouts need into the user's state folder."""
    holdouts.delete_holdouts(loop_id)
    drop_room(loop_id)
    if archive:
        expected = (f"holdouts/{loop_id}/", f"rooms/{loop_id}/")
        make_folder(state_home())
        unpack_files(archive, state_home(), lambda name: name.startswith(expected))
