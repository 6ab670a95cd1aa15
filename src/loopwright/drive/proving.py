"""Runs one check of a criterion, and says which tree it proves."""

from __future__ import annotations

import time

from ..core.criteria import Evidence
from ..core.directives import RunCheck
from ..core.loop import Loop
from ..core.signals import Checked
from ..repo.tree import TreeReading, changed_files, read_tree
from ..store.folder import LoopFolder
from .turn_facts import TurnCheckout


def prove_criterion(
    folder: LoopFolder, checkout: TurnCheckout, wanted: RunCheck, loop: Loop
) -> Checked:
    """Run the check that the loop asks for, and see whether it changed files."""
    evidence = _run(folder, checkout, wanted, loop)
    if wanted.check.probe:  # it runs nothing, so it changes no file
        reading = TreeReading(wanted.tree)
    else:
        reading = read_tree(checkout.root, checkout.state_folder, loop.settings.volatile_globs)
    tree = wanted.tree if reading.problem else reading.tree
    changed = ""
    if tree != wanted.tree and wanted.check.origin not in ("holdout", "review"):
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


def _run(folder: LoopFolder, checkout: TurnCheckout, wanted: RunCheck, loop: Loop) -> Evidence:
    if wanted.check.probe:
        from ..verify.probes.probe import run_probe

        return run_probe(wanted.check, wanted.criterion, wanted.tree, checkout.root)
    if wanted.check.origin == "holdout":
        from .final_proof import run_held_out_check

        return run_held_out_check(folder, wanted, loop)
    if wanted.check.origin == "review":
        from .final_proof import run_review

        return run_review(folder, wanted, loop)
    from ..verify.runner import run_check

    return run_check(
        wanted.check,
        wanted.criterion,
        wanted.tree,
        checkout.root,
        folder.path,
        loop.settings.pass_env,
    )
