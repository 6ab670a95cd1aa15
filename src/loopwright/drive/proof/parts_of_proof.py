"""Runs the part of a proof that the core asks for. A fault of the machine becomes a pause."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from ...core.criteria import Evidence
from ...core.directives import (
    CompareWithBaseline,
    HashTree,
    MeasureStrength,
    PartOfProof,
    RunCheck,
    RunInCleanCheckout,
)
from ...core.loop import Loop
from ...core.signals import Checked, Signal, TreeHashed
from ...repo.git_tree import changed_files
from ...repo.tree import TreeReading, read_tree, reread_tree
from ...store.folder import LoopFolder
from ...store.machine_faults import MachineFault, find_fault, pause_order, require_writable
from ...verify.halting import CheckHalted, halting_when
from ..turn_facts import TurnCheckout
from .check_box import run_check_in_place

HALT_FILES = ("halt", "STOP")
FINAL_ORIGINS = ("holdout", "review", "reviewer", "independent", "self")


def run_part_of_proof(
    folder: LoopFolder,
    checkout: TurnCheckout,
    wanted: PartOfProof,
    loop: Loop,
    began: float,
) -> Signal | None:
    """Prove what the loop wants proven. None: a person halted the loop, so there is no result.

    `began` is when the step began, by the monotonic clock.
    """
    try:
        with halting_when(halt_question(folder)):
            if isinstance(wanted, CompareWithBaseline):
                from .comparison import run_comparison

                return run_comparison(folder, wanted, loop)
            if isinstance(wanted, HashTree):
                return _hash_tree_again(folder, wanted, loop)
            if isinstance(wanted, RunInCleanCheckout):
                from ...cleanroom.runs import run_in_room

                return run_in_room(folder, wanted, loop, began)
            if isinstance(wanted, MeasureStrength):
                from .strength import run_strength

                return run_strength(folder, wanted, loop, began)
            checked = prove_criterion(folder, checkout, wanted, loop)
            if not checked.evidence.passed:
                require_writable(folder, loop)  # the machine may be why, and not the work
            return checked
    except CheckHalted:
        return None
    except MachineFault as fault:
        return pause_order(fault)
    except (OSError, MemoryError) as error:
        cause = find_fault(error, folder, loop)
        if cause is None:
            raise
        return pause_order(cause)


def _hash_tree_again(folder: LoopFolder, wanted: HashTree, loop: Loop) -> TreeHashed:
    """Hash the files from their content, as the last act before the loop ends."""
    reading = reread_tree(folder.root, folder.path, loop.settings.volatile_globs)
    return TreeHashed(
        at=time.time(),
        round=wanted.round,
        fence=wanted.fence,
        tree=wanted.tree if reading.problem else reading.tree,
        tree_problem=reading.problem,
    )


def prove_criterion(
    folder: LoopFolder, checkout: TurnCheckout, wanted: RunCheck, loop: Loop
) -> Checked:
    """Run the check that the loop asks for, and see whether it changed files."""
    for checked in checkout.ahead:
        evidence = checked.evidence
        if (evidence.criterion, evidence.tree) == (wanted.criterion, wanted.tree):
            return checked.but(at=time.time(), round=wanted.round, fence=wanted.fence)
    evidence = _run(folder, checkout, wanted, loop)
    if wanted.check.probe:  # it runs nothing, so it changes no file
        reading = TreeReading(wanted.tree)
    else:
        reading = read_tree(checkout.root, checkout.state_folder, loop.settings.volatile_globs)
    tree = wanted.tree if reading.problem else reading.tree
    changed = ""
    if checkout.root != folder.root and tree == wanted.tree:
        evidence = evidence.but(elsewhere=not _was_written(checkout, loop, evidence.at))
    if tree != wanted.tree and wanted.check.origin not in FINAL_ORIGINS:
        changed = changed_files(checkout.root, checkout.state_folder, wanted.tree, tree)
    return Checked(
        at=time.time(),
        evidence=evidence,
        round=wanted.round,
        fence=wanted.fence,
        tree=tree,
        changed_files=changed,
        tree_problem=reading.problem,
    )


def _was_written(checkout: TurnCheckout, loop: Loop, since: float) -> bool:
    """Did somebody write files in the checkout of a lane while its check ran?"""
    from ...repo.write_race import files_written_since

    volatile = loop.settings.volatile_globs
    return bool(files_written_since(checkout.root, checkout.state_folder, volatile, since))


def halt_question(folder: LoopFolder) -> Callable[[], bool]:
    """Asks whether a person has halted the loop since now: `loop pause`, .loop/STOP or cancel."""
    names = [name for name in HALT_FILES if not os.path.exists(folder.path_of(name))]

    def is_halted() -> bool:
        if any(os.path.exists(folder.path_of(name)) for name in names):
            return True
        folder.restore_if_missing()
        return not os.path.exists(folder.journal_path)

    return is_halted


def _run(folder: LoopFolder, checkout: TurnCheckout, wanted: RunCheck, loop: Loop) -> Evidence:
    if wanted.check.probe:
        from ...verify.probes.probe import run_probe

        return run_probe(wanted.check, wanted.criterion, wanted.tree, checkout.root)
    if wanted.check.origin == "holdout":
        from .final_checks import run_held_out_check

        return run_held_out_check(folder, wanted, loop)
    if wanted.check.is_independent:
        from ..second_eyes.at_end import run_independent_check

        return run_independent_check(folder, wanted, loop)
    if wanted.check.origin == "review":
        from .final_checks import run_review

        return run_review(folder, wanted, loop)
    if wanted.check.origin == "reviewer":
        from ..second_eyes.review import run_agent_review
        from .final_checks import baseline_diff

        return run_agent_review(folder, wanted, loop, baseline_diff(folder, loop))
    if checkout.root != folder.root:
        from ..lane_checkout import run_in_lane

        return run_in_lane(folder, loop, wanted, checkout.root)
    return run_check_in_place(folder, loop, wanted.check, wanted.criterion, wanted.tree)
