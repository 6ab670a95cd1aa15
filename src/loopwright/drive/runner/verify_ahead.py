"""Run the checks of the whole plan side by side, each in a worktree of main's tree.

Verification runs every check on one tree. A worktree with the same tree proves the same, so slow
checks need not wait for each other. Only passing results are used: the loop itself runs the others.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable

from ...cleanroom.checkout import RoomOptions
from ...core.criteria import Criterion
from ...core.directives import RunCheck
from ...core.loop import Loop
from ...core.plan.plan import E2E
from ...core.policies.clean_checkout_runs import reruns_every_check
from ...core.signals import Checked
from ...disk.temporary import own_prefix
from ...repo import kept_trees
from ...repo.git import GitError
from ...repo.tree import tree_hash
from ...store.folder import LoopFolder
from ...verify.check_groups import group_checks
from ...verify.halting import CheckHalted, halting_when, join_threads
from ..lane_checkout import prepare_lane
from ..proof.parts_of_proof import prove_criterion
from ..turn_facts import TurnCheckout
from .lane_trial import VERIFY_NAME, trial_lane

VERIFIED_REF = "verified"  # the ref of the tree that verification runs on


def verify_ahead(
    folder: LoopFolder,
    loop: Loop,
    options: RoomOptions,
    lanes_folder: str,
    lanes: int,
    is_halted: Callable[[], bool],
) -> tuple[Checked, ...]:
    """The passing results on the tree of main; none where they would not be worth it.

    The tree is kept first, with files that are not committed and before a check can write any.
    """
    tree = tree_hash(folder.root, folder.path, loop.settings.volatile_globs)
    ref = kept_trees.kept_tree_ref(loop.id, VERIFIED_REF)
    commit = kept_trees.keep_tree(folder.root, folder.path, tree, ref) or "HEAD"
    groups = group_checks(_checks_to_run(loop, tree), lanes)
    if len(groups) < 2 or not tree:
        return ()
    found: list[Checked] = []

    def run_group(number: int, group: list[Criterion]) -> None:
        path = os.path.join(lanes_folder, f"{VERIFY_NAME}-{number}")
        try:
            with (
                trial_lane(folder.root, path, commit) as lane,
                tempfile.TemporaryDirectory(prefix=own_prefix("verify")) as state,
                halting_when(is_halted),
            ):
                if prepare_lane(folder, loop, lane, options):
                    return
                if tree_hash(lane, state, loop.settings.volatile_globs) != tree:
                    return
                checkout = TurnCheckout(lane, state)
                for c in group:
                    assert c.check is not None
                    wanted = RunCheck(c.check, c.name, 0, 0, tree)
                    result = prove_criterion(folder, checkout, wanted, loop)
                    if result.evidence.passed and result.tree == tree:
                        found.append(result)
        except (GitError, OSError, CheckHalted):
            return  # the loop runs these checks itself

    threads = [
        threading.Thread(target=run_group, args=(number, group), name=f"verify {number}")
        for number, group in enumerate(groups, 1)
    ]
    for thread in threads:
        thread.start()
    join_threads(threads)
    return tuple(found)


def _checks_to_run(loop: Loop, tree: str) -> list[Criterion]:
    """The criteria that verification will run: those without a proof on this tree, or all."""
    runs_all = reruns_every_check(loop)
    return [
        c
        for c in loop.criteria
        if c.check
        and c.may_run
        and c.runs_command
        and not c.check.retries
        and c.name != E2E
        and (runs_all or not (c.proof and c.proof.passed and c.proof.is_run_on(tree)))
    ]
