"""Runs what answers at the end only: held-out checks, and the command of a reviewer."""

from __future__ import annotations

import time

from ...cleanroom.trees import END_REF
from ...core.criteria import Evidence
from ...core.directives import RunCheck
from ...core.loop import Loop
from ...ratchet import is_relevant
from ...repo import kept_trees
from ...repo.baseline import COPY_PREFIX, compare_with_baseline
from ...store import holdouts
from ...store.folder import LoopFolder
from ...verify import review as reviewing
from ...verify.runner import run_check
from .check_box import check_launcher


def run_held_out_check(folder: LoopFolder, wanted: RunCheck, loop: Loop) -> Evidence:
    """Run a command that the loop does not know. It learns only whether the command passes."""
    criterion = next(c for c in loop.final_checks if c.name == wanted.criterion)
    check = holdouts.load_check(loop.id, criterion)
    if check is None:
        return Evidence(
            criterion=criterion.name,
            passed=False,
            tree=wanted.tree,
            at=time.time(),
            outcome="missing",
            detail="its command is gone",
        )
    full = run_check(
        check,
        criterion.name,
        wanted.tree,
        folder.root,
        folder.path,
        loop.settings.pass_env,
        aside=holdouts.holdout_folder(loop.id),
        launcher=check_launcher(folder, loop, check, folder.root),
    )
    evidence = Evidence(
        criterion=criterion.name,
        passed=full.passed,
        tree=wanted.tree,
        seconds=full.seconds,
        at=full.at,
    )
    if full.outcome == "missing":
        return evidence.but(outcome="missing", detail="it cannot be run")
    return evidence


def run_review(folder: LoopFolder, wanted: RunCheck, loop: Loop) -> Evidence:
    feed = reviewing.reviewer_input(loop, baseline_diff(folder, loop))
    return reviewing.run_reviewer(
        wanted.check,
        wanted.criterion,
        wanted.tree,
        folder.root,
        folder.path,
        loop.settings.pass_env,
        feed,
        check_launcher(folder, loop, wanted.check, folder.root),
    )


def baseline_diff(folder: LoopFolder, loop: Loop) -> str:
    """The changes since the baseline, as git shows them.

    When git does not have both trees: the files that matter for a proof.
    """
    commit = kept_trees.keep_tree(
        folder.root, folder.path, loop.tree, kept_trees.kept_tree_ref(loop.id, END_REF)
    )
    if commit and loop.baseline.tree_id and not loop.baseline.tree_id.startswith(COPY_PREFIX):
        return kept_trees.diff_text(folder.root, loop.baseline.tree_id, commit)
    compared = compare_with_baseline(
        folder.root, folder.path, loop.baseline.tree_id, loop.tree, (), is_relevant
    )
    rows = [f"{change.path}\n{change.after or '(deleted)'}" for change in compared.changes]
    return "\n".join(rows)
