"""Audit: is the record of a loop what we wrote, and does every proof in it hold again?

The checks run on a clean checkout of the proven tree.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

from ...cleanroom import checkout_files, path_binding
from ...cleanroom.checkout import (
    PreparedRoom,
    RoomOptions,
    drop_ended_room,
    open_room,
    run_check_in_room,
)
from ...cleanroom.checkout_files import RoomError
from ...cleanroom.trees import END_REF, keep_in_own_git
from ...core.criteria import Check, Criterion, Evidence
from ...core.loop import Loop
from ...core.proof.state import CheckBox
from ...core.record import Record
from ...disk.temporary import own_prefix
from ...repo import kept_trees
from ...repo.checkout import CheckoutFailed
from ...repo.tree import read_contents
from ...store import holdouts, journal
from ...store.chosen_sandbox import is_sandbox_present
from ...store.folder import LoopFolder
from ...store.history import lost_later_records
from ...verify.unrunnable import could_not_run
from .record_check import kept_tree_problem, proven_commit, record_problems

RECORD_CHANGED = "no command of a record that was changed is run"
# Who vouches for a criterion that we did not run ourselves.
UNPROVEN_WORDS = {
    "person": "accepted by a person, no command has run",
    "agent": "reported by the agent, no command has run",
}


class Rerun(Record):
    """One criterion: what the record says, and what we found now.

    `holds` is None when there is nothing to run again.
    """

    name: str
    was: str
    now: str = ""
    holds: bool | None = None
    could_run: bool = True  # False: what the check needs is not there
    detail: str = ""


class Audit(Record):
    """What the audit of one loop found."""

    id: str
    tree: str
    lines: int
    problems: tuple[str, ...] = ()  # of the record
    reruns: tuple[Rerun, ...] = ()
    skipped: str = ""  # why nothing was run again
    unproven: tuple[str, ...] = ()  # criteria that no command proved
    unprepared: str = ""  # why the clean checkout could not be prepared
    tree_is_lost: bool = False  # the files of the end are nowhere
    live_tree: str = ""  # the tree of the project now
    later_records: tuple[str, ...] = ()  # of loops that ended here later, and that are gone

    @property
    def could_prepare(self) -> bool:
        return not self.unprepared and all(rerun.could_run for rerun in self.reruns)

    @property
    def is_outdated(self) -> bool:
        """Have the files changed since the loop ended?"""
        return bool(self.live_tree) and self.live_tree != self.tree

    @property
    def holds(self) -> bool:
        if self.problems or self.skipped or self.unproven or not self.could_prepare:
            return False
        if self.later_records:
            return False
        return all(rerun.holds is not False for rerun in self.reruns)


ProgressCallback = Callable[[str], None]


def audit_loop(folder: LoopFolder, path: str, setup: str, report: ProgressCallback) -> Audit:
    """Audit the loop with this journal. An edited record may hold any command, so it is not run."""
    problems = tuple(record_problems(folder, path))
    try:
        tail = journal.read(path)
    except journal.JournalError:
        return Audit(id="", tree="", lines=0, problems=problems, skipped=RECORD_CHANGED)
    loop = tail.loop
    unproven = tuple(c.name for c in loop.criteria if not c.is_verified_by("loop"))
    audit = Audit(
        id=loop.id,
        tree=loop.tree,
        lines=tail.seq,
        problems=problems,
        unproven=unproven,
    )
    if problems:
        return audit.but(skipped=RECORD_CHANGED)
    live = read_contents(folder.root, folder.path, loop.settings.volatile_globs)
    audit = audit.but(live_tree=live.tree, later_records=lost_later_records(folder, loop.id))
    if loop.status != "finished":
        return audit.but(skipped=f"the loop is {loop.status}: there is no proof to look at again")
    commit = proven_commit(path)
    if problem := kept_tree_problem(folder, loop, path):
        if not kept_trees.is_kept(folder.root, commit):
            return audit.but(unprepared=problem, tree_is_lost=True)
        return audit.but(problems=(problem,), skipped=RECORD_CHANGED)
    setup = setup or loop.room.setup
    try:
        if not commit:
            return _audit_live_files(folder, loop, audit, setup, report)
        return _audit_in_clean_checkout(folder, loop, commit, audit, setup, report)
    except (CheckoutFailed, RoomError, kept_trees.KeptTreeError) as error:
        return audit.but(unprepared=str(error))


def _audit_live_files(
    folder: LoopFolder, loop: Loop, audit: Audit, setup: str, report: ProgressCallback
) -> Audit:
    """No commit keeps its tree: its files are used while they are those of the end."""
    if audit.is_outdated:
        why = "its last tree was not kept, and the files have changed since"
        return audit.but(unprepared=why, tree_is_lost=True)
    if os.path.exists(os.path.join(folder.root, ".git")):
        ref = kept_trees.kept_tree_ref(loop.id, END_REF)
        volatile = loop.settings.volatile_globs
        _, commit = kept_trees.keep_current_tree(folder.root, folder.path, volatile, ref)
        return _audit_in_clean_checkout(folder, loop, commit, audit, setup, report)
    try:
        commit = keep_in_own_git(folder, loop)
        loop = loop.but(room=loop.room.but(baseline_commit=commit))
        return _audit_in_clean_checkout(folder, loop, commit, audit, setup, report)
    finally:
        drop_ended_room(loop)


def _audit_in_clean_checkout(
    folder: LoopFolder,
    loop: Loop,
    commit: str,
    audit: Audit,
    setup: str,
    report: ProgressCallback,
) -> Audit:
    """Run every check again in a clean checkout, with the packages that are installed now."""
    if loop.check_box.backend and not is_sandbox_present(loop.check_box):
        report(f"{loop.check_box.backend} does not work here: the checks run without a sandbox")
        loop = loop.but(check_box=CheckBox())
    if setup:
        report(f"setting up: {setup}")
    with tempfile.TemporaryDirectory(prefix=own_prefix("audit")) as scratch:
        files = os.path.join(scratch, "files")
        checkout_files.save_paths(folder.root, files, checkout_files.installed_paths(folder.root))
        binding = path_binding.available_kind(os.path.realpath(folder.root))
        options = RoomOptions(setup, binding if loop.room.binding else "", files=files)
        with open_room(folder, loop, commit, options) as room:
            criteria = (*loop.criteria, *loop.final_checks)
            reruns = tuple(_rerun_criterion(c, loop, room, scratch, report) for c in criteria)
    return audit.but(reruns=reruns)


def _rerun_criterion(
    c: Criterion, loop: Loop, room: PreparedRoom, logs: str, report: ProgressCallback
) -> Rerun:
    proof = c.proof
    if not proof or proof.by != "loop" or not c.check:
        return Rerun(c.name, UNPROVEN_WORDS.get(proof.by if proof else "", "never shown"))
    was = f"passed on {proof.tree[:12]}"
    if c.check.is_review:
        return Rerun(c.name, f"{was} (code review)")
    is_held_out = c.check.is_held_out
    check = holdouts.load_check(loop.id, c) if is_held_out else c.check
    if check is None:
        return Rerun(c.name, was, "its command is gone", False)
    report(f"running {c.name} …")
    now = _run_again(check, c.name, proof.tree, room, logs)
    outcome = "passes" if now.passed else now.result_text
    return Rerun(
        name=c.name,
        was=was,
        now=f"{outcome}, {now.seconds:.1f} s",
        holds=now.passed,
        could_run=not could_not_run(now),
        detail="" if now.passed or is_held_out else now.detail,
    )


def _run_again(check: Check, name: str, tree: str, room: PreparedRoom, logs: str) -> Evidence:
    if check.probe:
        from ...verify.probes.probe import run_probe

        return run_probe(check, name, tree, room.path)
    return run_check_in_room(check, name, tree, room, logs).evidence
