"""A checkpoint: all that another worker needs to continue a loop after a turn.

It holds the journal and the files beside it, the kept trees, the branch, the files of the working
tree, committed or not, and what the loop keeps outside the project. It does not hold ignored
files, other branches, stashes, submodules' content and the settings in .git.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.loop import Loop
from ..core.record import Record
from ..core.status import ENDED
from ..disk import files
from ..disk.user_folders import state_home
from ..drive.errors import UserError
from ..drive.room_checkout import drop_room
from ..repo import kept_trees, user_repo
from ..repo.commit_object import write_commit
from ..repo.git import GitError, commit_at, git_output, read_checkout, run_user_git
from ..repo.plumbing import object_store
from ..repo.tree import GSD_STATE_FILES, HUGE, file_size, tree_hash
from ..store import chain, holdouts
from ..store.create import prepare_folder
from ..store.folder import LoopFolder, NoLoop, UntrustedFolder
from ..store.history import last_ended_loop
from ..store.journal import JournalError
from . import archive, local_record
from .archive import pack_files, paths_below, unpack_files
from .result_refs import INDEX_REF, TREE_REF, keep_result

MAX_BYTES = 200_000_000
LOCK_SECONDS = 120.0
FACTS = ".loop/checkpoint.json"  # in the archive only
FORMAT = 1
# Of .loop/: created again, or of this machine only.
LEFT_OUT = ("lock", "driver.lock", "reserve", "running", "tree", "anew", "lanes", ".gitignore")
# Of .claude/: the page of a discovery loop.
PAGE_NAMES = ("loop-state", "loop-history")
VERIFICATION = "VERIFICATION.md"  # our own report, which is not part of the tree


class CheckpointError(UserError):
    """The loop cannot be packed or unpacked; the message says why."""


class Checkpoint(Record):
    """Everything as bytes, for a database. `bundle` is empty where the base commit has it all."""

    bundle: bytes
    folder: bytes  # .loop/, and files of the project that are not part of the tree
    holdouts: bytes  # outside the project: held-out commands, and what clean checkouts need

    @property
    def size(self) -> int:
        return len(self.bundle) + len(self.folder) + len(self.holdouts)

    def __repr__(self) -> str:
        sizes = (len(self.bundle), len(self.folder), len(self.holdouts))
        return f"Checkpoint({sizes} bytes)"


def pack_checkpoint(project: Path, base_commit: str, max_bytes: int = MAX_BYTES) -> Checkpoint:
    """The checkpoint of the loop in this checkout, between two turns.

    Whoever unpacks it has `base_commit` and all that came before it.
    """
    folder = LoopFolder(str(project), LOCK_SECONDS)
    try:
        with folder.locked() as book:  # refuses a journal that an agent has edited
            checkpoint = _pack_loop(folder, book.loop, base_commit, max_bytes)
    except NoLoop:
        loop = last_ended_loop(folder)
        if loop is None:
            raise CheckpointError(f"there is no loop in {project}, so nothing is packed") from None
        checkpoint = _pack_loop(folder, loop, base_commit, max_bytes)
    except (JournalError, UntrustedFolder) as error:
        raise CheckpointError(str(error)) from error
    if checkpoint.size > max_bytes:
        raise _too_large(checkpoint.size, max_bytes)
    return checkpoint


def _pack_loop(folder: LoopFolder, loop: Loop, base: str, max_bytes: int) -> Checkpoint:
    try:
        facts = _keep_state(folder, loop, base)
        return Checkpoint(
            bundle=_pack_bundle(folder.root, facts, max_bytes),
            folder=_pack_folder(folder, loop, facts),
            holdouts=_pack_outside(loop),
        )
    except (GitError, kept_trees.KeptTreeError) as error:
        raise CheckpointError(f"the work in {folder.root} cannot be kept: {error}") from error


def unpack_checkpoint(project: Path, checkpoint: Checkpoint) -> str:
    """Continue the loop in this fresh checkout of its base commit.

    Returns what a person should know: that this machine has lines of the journal which are not in
    the checkpoint; "" where it has none.
    """
    folder = LoopFolder(str(project))
    if os.path.lexists(folder.journal_path):
        raise CheckpointError(f"{project} has a loop already. Unpack into a fresh checkout")
    facts = _read_facts(checkpoint)
    try:
        _restore_refs(folder.root, checkpoint.bundle, facts)
        prepare_folder(folder)
        _restore_files(folder, checkpoint, facts)
    except (GitError, kept_trees.KeptTreeError) as error:
        raise CheckpointError(f"the checkpoint does not fit {project}: {error}") from error
    journal_path = os.path.join(folder.root, facts["journal"])
    if problems := chain.chain_errors(journal_path):
        raise CheckpointError(f"the journal in the checkpoint is damaged: {problems[0]}")
    local_record.refuse_older_journal(journal_path, facts["loop"])
    _unpack_outside(checkpoint, facts["loop"])
    return local_record.take_over(folder, journal_path, facts["ended"])


# --- pack ---


def _keep_state(folder: LoopFolder, loop: Loop, base: str) -> dict[str, Any]:
    """Keep the files and the index as commits, and name all that the bundle must have."""
    root = folder.root
    base_commit = commit_at(root, base)
    if not base_commit:
        raise CheckpointError(f"{root} does not have the commit {base} that the job began with")
    checkout = read_checkout(root)
    _, kept = kept_trees.keep_current_tree(
        root, folder.path, loop.settings.volatile_globs, kept_trees.kept_tree_ref(loop.id, TREE_REF)
    )
    _keep_index(root, loop.id, checkout.head)
    keep_result(folder, loop, checkout.head, kept)
    patterns = [f"refs/loop/{loop.id}/", f"refs/heads/loop/{loop.id}-*"]
    patterns += [f"refs/heads/{checkout.branch}"] if checkout.branch else []
    rows = git_output(root, "for-each-ref", "--format=%(objectname) %(refname)", *patterns)
    has_journal = os.path.exists(folder.journal_path)
    history = f".loop/history/{loop.id}/journal.jsonl"
    own, removed = _files_outside_tree(root, kept)
    return {
        "format": FORMAT,
        "loop": loop.id,
        "base": base_commit,
        "branch": checkout.branch,
        "head": checkout.head,
        "kept": kept,
        "volatile": list(loop.settings.volatile_globs),
        "refs": [row.split(" ") for row in rows.splitlines()],
        "journal": ".loop/journal.jsonl" if has_journal else history,
        "ended": not has_journal and loop.status in ENDED,
        "has_page": loop.backlog is not None,
        "files": own,
        "removed": removed,
    }


def _keep_index(root: str, loop_id: str, head: str) -> None:
    """Keep what is staged as a commit, if it differs from HEAD. A conflict cannot be kept."""
    ref = kept_trees.kept_tree_ref(loop_id, INDEX_REF)
    done = run_user_git(root, "write-tree")
    tree = done.stdout.decode("ascii", "replace").strip()
    if done.returncode or tree == git_output(root, "rev-parse", f"{head}^{{tree}}"):
        run_user_git(root, "update-ref", "-d", ref)
        return
    git_output(root, "update-ref", ref, write_commit(object_store(root), tree, head, INDEX_REF))


def _files_outside_tree(root: str, kept: str) -> tuple[list[str], list[str]]:
    """Changed files that the tree leaves out and the loop needs: those to pack, those removed."""
    in_tree = user_repo.tracked_files(root, kept)
    committed = user_repo.tracked_files(root, "HEAD")
    changed = [
        name
        for name in user_repo.uncommitted_files(root, run_filters=False)
        if name not in in_tree
        and (
            name in committed
            or name in GSD_STATE_FILES
            or os.path.basename(name) == VERIFICATION
            or file_size(root, os.fsencode(name)) > HUGE
        )
    ]
    there = [name for name in changed if os.path.lexists(os.path.join(root, name))]
    return there, [name for name in changed if name not in there]


def _pack_bundle(root: str, facts: dict[str, Any], max_bytes: int) -> bytes:
    tips = [name for name, _ in facts["refs"]]
    tips += [facts["head"]] if not facts["branch"] else []
    outside = ("--not", facts["base"])
    if not git_output(root, "rev-list", "--max-count=1", *tips, *outside):
        return b""
    refs = [ref for _, ref in facts["refs"]]
    if not facts["branch"]:
        refs.append("HEAD")
    with tempfile.TemporaryDirectory(prefix="loop-checkpoint-") as scratch:
        path = os.path.join(scratch, "bundle")
        feed = os.fsencode("\n".join((*refs, f"^{facts['base']}", "")))
        git_output(root, "bundle", "create", "--quiet", path, "--stdin", feed=feed)
        if os.path.getsize(path) > max_bytes:
            raise _too_large(os.path.getsize(path), max_bytes)
        return files.read_bytes(path)


def _pack_folder(folder: LoopFolder, loop: Loop, facts: dict[str, Any]) -> bytes:
    items = list(paths_below(folder.path, ".loop/", lambda name: _stays(name, loop.id)))
    if loop.backlog:
        client = os.path.join(folder.root, ".claude")
        items += paths_below(client, ".claude/", lambda name: not name.startswith(PAGE_NAMES))
    items += [(name, os.path.join(folder.root, name)) for name in facts["files"]]
    return pack_files(items, [(FACTS, json.dumps(facts).encode())])


def _stays(name: str, loop_id: str) -> bool:
    """Does this entry of .loop/ stay here? Archives of earlier loops do."""
    top, _, rest = name.partition("/")
    is_other_archive = top == "history" and rest.partition("/")[0] not in ("", loop_id)
    return top in LEFT_OUT or name.endswith(".tmp") or is_other_archive


def _pack_outside(loop: Loop) -> bytes:
    items: list[tuple[str, str]] = []
    for place in ("holdouts", "rooms"):
        path = os.path.join(state_home(), place, loop.id)
        items += paths_below(path, f"{place}/{loop.id}/", lambda name: name.startswith("room-"))
    return pack_files(items) if items else b""


def _too_large(size: int, limit: int) -> CheckpointError:
    return CheckpointError(
        f"the checkpoint has {size / 1e6:.0f} MB, and at most {limit / 1e6:.0f} MB are kept. Let "
        "git ignore what the agent builds or downloads, and keep large files out of commits"
    )


# --- unpack ---


def _read_facts(checkpoint: Checkpoint) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(archive.read_file(checkpoint.folder, FACTS))
    if facts.get("format") != FORMAT:
        raise CheckpointError(
            "the checkpoint was written by a newer version of Loopwright. Update this worker"
        )
    return facts


def _restore_refs(root: str, bundle: bytes, facts: dict[str, Any]) -> None:
    """Bring commits, branch and kept trees here, and check the branch out."""
    if not commit_at(root, facts["base"]):
        raise GitError(f"it does not have the commit {facts['base']} that the job began with")
    if bundle:
        with tempfile.TemporaryDirectory(prefix="loop-checkpoint-") as scratch:
            path = os.path.join(scratch, "bundle")
            files.write_private(path, bundle)
            git_output(root, "bundle", "unbundle", path)
    run_user_git(root, "checkout", "--quiet", "--detach")  # the branch may be checked out
    expected = (f"refs/loop/{facts['loop']}/", "refs/heads/")
    if foreign := [ref for _, ref in facts["refs"] if not ref.startswith(expected)]:
        raise GitError(f"it has a ref that is not ours: {foreign[0]}")
    rows = "".join(f"update {ref} {name}\n" for name, ref in facts["refs"])
    git_output(root, "update-ref", "--stdin", feed=rows.encode())
    if facts["branch"]:
        git_output(root, "symbolic-ref", "HEAD", f"refs/heads/{facts['branch']}")
    else:
        git_output(root, "update-ref", "--no-deref", "HEAD", facts["head"])
    git_output(root, "reset", "--hard", "--quiet")


def _restore_files(folder: LoopFolder, checkpoint: Checkpoint, facts: dict[str, Any]) -> None:
    root, kept, volatile = folder.root, facts["kept"], tuple(facts["volatile"])
    now = tree_hash(root, folder.path, volatile)
    if not now:
        raise GitError("git cannot read its files")
    kept_trees.restore_tree(root, folder.path, now, kept)
    expected = (FACTS, *facts["files"])
    unpack_files(
        checkpoint.folder,
        root,
        lambda name: name in expected or name.startswith((".loop/", *_page_prefixes())),
    )
    os.remove(os.path.join(root, FACTS))
    for name in facts["removed"]:
        with suppress(FileNotFoundError):
            os.remove(os.path.join(root, name))
    if facts["has_page"]:
        user_repo.ignore_own_files(root)
    index = kept_trees.kept_tree_ref(facts["loop"], INDEX_REF)
    if commit_at(root, index):
        git_output(root, "read-tree", f"{index}^{{tree}}")
    run_user_git(root, "update-index", "-q", "--refresh")
    _require_kept_files(folder, kept, volatile)


def _page_prefixes() -> tuple[str, ...]:
    return tuple(f".claude/{name}" for name in PAGE_NAMES)


def _require_kept_files(folder: LoopFolder, kept: str, volatile: tuple[str, ...]) -> None:
    """Every file must be as it was kept. More may be there: tracked ones that git also ignores."""
    now = tree_hash(folder.root, folder.path, volatile)
    tree = kept_trees.tree_of_commit(folder.root, kept)
    if now.partition("+")[0] == tree:
        return
    rows = kept_trees.tree_changes(folder.root, folder.path, tree, now)
    if wrong := [path for path, kind, _ in rows if kind != "A"]:
        raise GitError(f"files differ from those that were kept: {', '.join(wrong[:5])}")


def _unpack_outside(checkpoint: Checkpoint, loop_id: str) -> None:
    """Put the held-out commands and what clean checkouts need into the user's state folder."""
    holdouts.delete_holdouts(loop_id)
    drop_room(loop_id)
    if checkpoint.holdouts:
        expected = (f"holdouts/{loop_id}/", f"rooms/{loop_id}/")
        files.make_folder(state_home())
        unpack_files(checkpoint.holdouts, state_home(), lambda name: name.startswith(expected))
