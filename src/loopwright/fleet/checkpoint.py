"""A checkpoint: all that another worker needs to continue a loop after a turn.

It holds the journal and the files beside it, the kept trees, the branch, the files of the working
tree, committed or not, and what the loop keeps outside the project. It does not hold ignored
files, other branches, stashes, an unfinished merge, the content of submodules and the settings
in .git.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..core.loop import Loop
from ..core.record import Record
from ..core.status import ENDED
from ..disk.files import read_bytes
from ..disk.lock import FileLock
from ..disk.temporary import own_prefix
from ..disk.user_folders import state_home
from ..repo import kept_trees, user_repo
from ..repo.commit_object import write_commit
from ..repo.git import GitError, commit_at, git_output, read_checkout, run_user_git
from ..repo.plumbing import object_store
from ..repo.tree import GSD_STATE_FILES
from ..repo.walk import HUGE, file_size
from ..store import chain, journal
from ..store.create import prepare_folder
from ..store.folder import LoopFolder, UntrustedFolder
from ..store.history import last_ended_loop
from ..store.journal import JournalError
from . import local_record
from .archive import pack_files, paths_below, read_file
from .checkpoint_facts import (
    FACTS_NAME,
    CheckpointError,
    CheckpointFacts,
    decode_facts,
    encode_facts,
)
from .checkpoint_restore import PAGE_NAMES, restore_files, restore_outside, restore_refs
from .fleet_git import full_disk
from .result_refs import INDEX_REF, TREE_REF, keep_result

MAX_BYTES = 200_000_000
LOCK_SECONDS = 120.0
# Of .loop/: created again, or of this machine only.
LEFT_OUT = ("lock", "driver.lock", "reserve", "running", "tree", "anew", "lanes", ".gitignore")
# What clean checkouts need of the start: saved files, and trees of a project without git.
ROOM_FOLDERS = ("files", "trees")
VERIFICATION = "VERIFICATION.md"  # our own report, which is not part of the tree


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
        if folder.read_loop():
            with FileLock(folder.path_of("lock"), LOCK_SECONDS):
                loop = _unchanged_loop(folder)
                checkpoint = _pack_loop(folder, loop, base_commit, max_bytes)
        elif ended := last_ended_loop(folder):
            checkpoint = _pack_loop(folder, ended, base_commit, max_bytes)
        else:
            raise CheckpointError(f"there is no loop in {project}, so nothing is packed")
    except (JournalError, UntrustedFolder) as error:
        raise CheckpointError(str(error)) from error
    if checkpoint.size > max_bytes:
        raise _too_large(checkpoint.size, max_bytes)
    return checkpoint


def _unchanged_loop(folder: LoopFolder) -> Loop:
    """The loop, if its journal is as we left it: whoever unpacks it could not know any more."""
    tail = journal.read(folder.journal_path)
    folder.require_unchanged_journal(tail, folder.require_ownership(tail.loop))
    return tail.loop


def _pack_loop(folder: LoopFolder, loop: Loop, base: str, max_bytes: int) -> Checkpoint:
    try:
        facts = _keep_state(folder, loop, base)
        return Checkpoint(
            bundle=_pack_bundle(folder.root, facts, max_bytes),
            folder=_pack_folder(folder, loop, facts, max_bytes),
            holdouts=_pack_outside(loop, max_bytes),
        )
    except (GitError, kept_trees.KeptTreeError) as error:
        if full := full_disk(folder.root, str(error)):
            raise full from error
        raise CheckpointError(f"the work in {folder.root} cannot be kept: {error}") from error


def unpack_checkpoint(project: Path, checkpoint: Checkpoint) -> str:
    """Continue the loop in this fresh checkout of its base commit.

    Returns what a person should know: that this machine has lines of the journal which are not in
    the checkpoint; "" where it has none.
    """
    folder = LoopFolder(str(project))
    if os.path.lexists(folder.journal_path):
        raise CheckpointError(f"{project} has a loop already. Unpack into a fresh checkout")
    facts = decode_facts(read_file(checkpoint.folder, FACTS_NAME))
    try:
        restore_refs(folder.root, checkpoint.bundle, facts)
        prepare_folder(folder)
        restore_files(folder, checkpoint.folder, facts)
    except (GitError, kept_trees.KeptTreeError) as error:
        if full := full_disk(folder.root, str(error)):
            raise full from error
        raise CheckpointError(f"the checkpoint does not fit {project}: {error}") from error
    journal_path = os.path.join(folder.root, facts.journal)
    if problems := chain.chain_errors(journal_path):
        raise CheckpointError(f"the journal in the checkpoint is damaged: {problems[0]}")
    with local_record.lock_record(facts.loop):
        local_record.refuse_older_journal(journal_path, facts.loop)
        restore_outside(checkpoint.holdouts, facts.loop)
        return local_record.take_over(folder, journal_path, facts.ended)


# --- pack ---


def _keep_state(folder: LoopFolder, loop: Loop, base: str) -> CheckpointFacts:
    """Keep the files and the index as commits, and name all that the bundle must have."""
    root = folder.root
    base_commit = commit_at(root, base)
    if not base_commit:
        raise CheckpointError(f"{root} does not have the commit {base} that the job began with")
    checkout = read_checkout(root)
    if not checkout.head:
        raise CheckpointError(
            f"HEAD names no commit in {root}: the agent has begun an empty branch. Tell it to "
            "commit there, or to go back"
        )
    _, kept = kept_trees.keep_current_tree(
        root, folder.path, loop.settings.volatile_globs, kept_trees.kept_tree_ref(loop.id, TREE_REF)
    )
    _keep_index(root, loop.id, checkout.head)
    keep_result(folder, loop, checkout.head, kept)
    lanes = f"refs/heads/loop/{loop.id}-*"
    patterns = [f"refs/loop/{loop.id}/", lanes, f"{lanes}/*"]  # the first also of older versions
    patterns += [f"refs/heads/{checkout.branch}"] if checkout.branch else []
    rows = git_output(root, "for-each-ref", "--format=%(objectname) %(refname)", *patterns)
    has_journal = os.path.exists(folder.journal_path)
    history = f".loop/history/{loop.id}/journal.jsonl"
    return CheckpointFacts(
        loop=loop.id,
        base=base_commit,
        branch=checkout.branch,
        head=checkout.head,
        kept=kept,
        refs=tuple((commit, ref) for commit, ref in map(str.split, rows.splitlines())),
        journal=".loop/journal.jsonl" if has_journal else history,
        ended=not has_journal and loop.status in ENDED,
        has_page=loop.backlog is not None,
        volatile=loop.settings.volatile_globs,
        **_files_outside_tree(root, kept),
    )


def _keep_index(root: str, loop_id: str, head: str) -> None:
    """Keep what is staged as a commit, if it differs from HEAD. A conflict cannot be kept."""
    ref = kept_trees.kept_tree_ref(loop_id, INDEX_REF)
    done = run_user_git(root, "write-tree")
    tree = done.stdout.decode("ascii", "replace").strip()
    if done.returncode or tree == git_output(root, "rev-parse", f"{head}^{{tree}}"):
        run_user_git(root, "update-ref", "-d", ref)
        return
    git_output(root, "update-ref", ref, write_commit(object_store(root), tree, head, INDEX_REF))


def _files_outside_tree(root: str, kept: str) -> dict[str, tuple[str, ...]]:
    """Files that the tree leaves out and the loop needs: changed, removed, and as in HEAD."""
    in_tree = user_repo.tracked_files(root, kept)
    committed = user_repo.tracked_files(root, "HEAD")
    uncommitted = user_repo.uncommitted_files(root, run_filters=False)
    changed = [
        name
        for name in uncommitted
        if name not in in_tree
        and (
            name in committed
            or name in GSD_STATE_FILES
            or os.path.basename(name) == VERIFICATION
            or file_size(root, os.fsencode(name)) > HUGE
        )
    ]
    there = tuple(name for name in changed if os.path.lexists(os.path.join(root, name)))
    return {
        "files": there,
        "removed": tuple(name for name in changed if name not in there),
        "unchanged": tuple(sorted(committed - in_tree - set(uncommitted))),
    }


def _pack_bundle(root: str, facts: CheckpointFacts, max_bytes: int) -> bytes:
    """All commits that the base commit does not have; empty if there are none."""
    refs = [ref for _, ref in facts.refs] + ([] if facts.branch else ["HEAD"])
    feed = os.fsencode("\n".join((*refs, f"^{facts.base}", "")))
    if not git_output(root, "rev-list", "--max-count=1", "--stdin", feed=feed):
        return b""
    with tempfile.TemporaryDirectory(prefix=own_prefix("checkpoint")) as scratch:
        path = os.path.join(scratch, "bundle")
        git_output(root, "bundle", "create", "--quiet", path, "--stdin", feed=feed)
        if os.path.getsize(path) > max_bytes:
            raise _too_large(os.path.getsize(path), max_bytes)
        return read_bytes(path)


def _pack_folder(folder: LoopFolder, loop: Loop, facts: CheckpointFacts, max_bytes: int) -> bytes:
    items = list(paths_below(folder.path, ".loop/", lambda name: _stays(name, loop.id)))
    if loop.backlog:
        client = os.path.join(folder.root, ".claude")
        items += paths_below(client, ".claude/", lambda name: not name.startswith(PAGE_NAMES))
    items += [(name, os.path.join(folder.root, name)) for name in facts.files]
    return pack_files(items, [(FACTS_NAME, encode_facts(facts))], max_bytes)


def _stays(name: str, loop_id: str) -> bool:
    """Does this entry of .loop/ stay here? Archives of earlier loops do."""
    top, _, rest = name.partition("/")
    is_other_archive = top == "history" and rest.partition("/")[0] not in ("", loop_id)
    return top in LEFT_OUT or name.endswith(".tmp") or is_other_archive


def _pack_outside(loop: Loop, max_bytes: int) -> bytes:
    items: list[tuple[str, str]] = []
    for place, is_left_out in (("holdouts", lambda name: False), ("rooms", _is_of_machine)):
        path = os.path.join(state_home(), place, loop.id)
        items += paths_below(path, f"{place}/{loop.id}/", is_left_out)
    return pack_files(items, max_bytes=max_bytes) if items else b""


def _is_of_machine(name: str) -> bool:
    """Does another machine not need it? A sandboxed agent's home with its credentials, above all.

    So this names what is packed, not what stays.
    """
    top, _, rest = name.partition("/")
    is_result = top.endswith(".json") and not rest
    return top not in ROOM_FOLDERS and not is_result


def _too_large(size: int, limit: int) -> CheckpointError:
    return CheckpointError(
        f"the checkpoint has {size / 1e6:.0f} MB, and at most {limit / 1e6:.0f} MB are kept. Let "
        "git ignore what the agent builds or downloads, and keep large files out of commits"
    )
