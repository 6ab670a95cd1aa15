"""Closing: what the core asks for once every check passes: the look back to the start, the held-out checks, the reviewer."""

from __future__ import annotations

import time

from .. import ratchet
from ..core.criteria import Evidence
from ..core.directives import CompareWithBaseline, RunCheck
from ..core.findings import HIGH, Finding
from ..core.loop import Loop
from ..core.signals import BaselineComparison
from ..ratchet import is_relevant
from ..repo import kept_trees, write_race
from ..repo.baseline import COPY_PREFIX, compare_with_baseline
from ..repo.git import join_names
from ..repo.tree import rehash_from_content
from ..store import holdouts
from ..store.folder import LoopFolder
from ..verify import review as reviewing
from ..verify import tools
from ..verify.runner import run_check

END_REF = "end"  # the ref of the tree that was looked back from


def run_comparison(
    folder: LoopFolder, wanted: CompareWithBaseline, loop: Loop
) -> BaselineComparison:
    """The tree from its content, which files were touched, what was weakened, which program was replaced."""
    root, path = folder.root, folder.path
    tree = rehash_from_content(root, path, loop.settings.volatile_globs)
    checked = [
        c
        for c in (*loop.criteria, *loop.must_not, *loop.final_checks)
        if c.check and not c.check.probe
    ]
    ran = {
        c.name: c.proof.at
        for c in checked
        if c.proof and c.proof.by == "loop" and c.proof.tree == wanted.tree
    }
    now = time.time()
    written = write_race.files_written_since(
        root, path, loop.settings.volatile_globs, min(ran.values(), default=now)
    )
    names = tuple(
        name
        for name, at in ran.items()
        if at > now or any(moment > at - write_race.CLOCK_MARGIN_SECONDS for moment, _ in written)
    )
    commit = kept_trees.keep_tree(root, path, tree, kept_trees.kept_tree_ref(loop.id, END_REF))
    found, files = _weakening_findings(folder, loop, tree), join_names(name for _, name in written)
    return BaselineComparison(now, wanted.round, wanted.fence, tree, found, names, files, commit)


def run_held_out_check(folder: LoopFolder, wanted: RunCheck, loop: Loop) -> Evidence:
    """Run what the loop itself does not know. All that it learns is whether it passes."""
    held = next(c for c in loop.final_checks if c.name == wanted.criterion)
    check = holdouts.load_check(loop.id, held)
    if check is None:
        return Evidence(
            held.name,
            False,
            tree=wanted.tree,
            at=time.time(),
            outcome="missing",
            detail="its command is gone",
        )
    found = run_check(
        check,
        held.name,
        wanted.tree,
        folder.root,
        folder.path,
        loop.settings.pass_env,
        aside=holdouts.holdout_folder(loop.id),
    )
    told = Evidence(held.name, found.passed, tree=wanted.tree, seconds=found.seconds, at=found.at)
    return (
        told.but(outcome="missing", detail="it cannot be run")
        if found.outcome == "missing"
        else told
    )


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
    )


def baseline_diff(folder: LoopFolder, loop: Loop) -> str:
    """All that changed since the start, as git shows it; where git has not both, the files that matter for a proof."""
    commit = kept_trees.keep_tree(
        folder.root, folder.path, loop.tree, kept_trees.kept_tree_ref(loop.id, END_REF)
    )
    if commit and loop.baseline.tree_id and not loop.baseline.tree_id.startswith(COPY_PREFIX):
        return kept_trees.diff_text(folder.root, loop.baseline.tree_id, commit)
    changes, _ = compare_with_baseline(
        folder.root, folder.path, loop.baseline.tree_id, loop.tree, (), is_relevant
    )
    return "\n".join(f"{change.path}\n{change.after or '(deleted)'}" for change in changes)


def _weakening_findings(folder: LoopFolder, loop: Loop, tree: str) -> tuple[Finding, ...]:
    found = list(tools.replaced_programs(loop.baseline.tools, folder.root, loop.clock.started_at))
    if loop.baseline.tree_id:
        changes, wrong = compare_with_baseline(
            folder.root,
            folder.path,
            loop.baseline.tree_id,
            tree,
            loop.baseline.protected_paths,
            is_relevant,
        )
        commands = tuple(c.check.command for c in loop.criteria if c.check and not c.check.probe)
        found += [*wrong, *ratchet.findings(changes, commands)]
    elif loop.baseline.protected_paths:
        found.append(
            Finding(
                HIGH,
                "baseline-not-kept",
                ", ".join(loop.baseline.protected_paths),
            )
        )
    return tuple(found)
