"""The measured start: every allowed check runs once, and the tree of the start is kept."""

from __future__ import annotations

import os
import shutil

from ...cleanroom.calibration import plan_room
from ...cleanroom.checkout import CheckRuns, drop_room, save_loaded_files
from ...cleanroom.checkout_files import environment_folders
from ...cleanroom.committed import files_with_tests
from ...core.criteria import OfferedCheck
from ...core.discovery.backlog import REPAIR
from ...core.loop import Loop
from ...core.proof.grades import REFACTOR_WORKFLOW
from ...core.proof.tool_counts import comparable_counts
from ...disk.files import remove_file, set_aside
from ...ratchet import is_relevant, is_test_or_settings
from ...repo import kept_trees, user_repo
from ...repo.baseline import keep_baseline
from ...repo.git_tree import rewritten_files
from ...repo.tree import read_tree
from ...store import holdouts
from ...store.create import note_ownership
from ...store.folder import LoopFolder, read_note
from ...verify import git_state, tools
from ...verify.ignored_files import content_digests
from ..errors import UserError
from ..step import end_orphans
from .check_calibration import ask_about_outside
from .comparison import check_commands, weakened_before_start
from .measurement import measure_criterion

# In .loop/, of an earlier loop.
EARLIER_FOLDERS = ("tree", "anew", "evidence", "lanes", "fences", "start")
EARLIER_FILES = ("VERIFICATION.md", "verified")
MAX_CHANGED_TESTS = 10  # that the start screen names


def measure_baseline(
    loop: Loop, folder: LoopFolder, freeze: bool = False, permit_outside: bool = False
) -> Loop:
    """Run every allowed check once. The result is shown before the start and kept as evidence.

    A check that fails can prove the work; one that passes guards it. The tree itself is kept for
    the comparison at the end. With `freeze`, tests that fail now may fail at the end too. With
    `permit_outside`, a check that passes only outside its sandbox runs there without a question.

    Checks run one after the other here, slow ones too. They share this checkout, its caches and its
    ports: one that fails only because of its neighbour would count as failing before the work, and
    later as proof of it.
    """
    end_orphans(folder)
    _drop_unfinished_start(folder)
    note_ownership(folder, loop.id, "")
    _clear_folder(folder)
    if loop.backlog:
        try:
            user_repo.ignore_own_files(folder.root)
        except OSError as error:
            raise UserError(
                f"the page of the loop is in .claude, which cannot be written: {error}. "
                "Make it writable, then start again"
            ) from error
        loop = loop.but(head=user_repo.head_digest(folder.root))
    volatile = loop.settings.volatile_globs
    tree = _require_tree(folder, volatile)
    runs: CheckRuns = {}
    loop = _measure_unrequired_checks(loop, folder, tree, runs, permit_outside)
    criteria = tuple(
        measure_criterion(c, loop, folder, tree, runs, freeze, permit_outside)
        for c in loop.criteria
    )
    # The checks may have written files: the agent is not responsible for those.
    tree_after_checks = _require_tree(folder, volatile)
    tree_id = keep_baseline(
        folder.root, folder.path, tree_after_checks, loop.id, volatile, is_relevant
    )
    measured = (*criteria, *loop.unrequired_checks)
    programs = tools.program_digests([c.check for c in measured if c.check], folder.root)
    uncommitted = user_repo.uncommitted_files(folder.root, run_filters=False)
    installed = environment_folders(folder.root) if uncommitted else ()
    packages = tuple(f"{name}/" for name in installed)
    uncommitted = tuple(path for path in uncommitted if not path.startswith(packages))
    changed = tuple(filter(is_test_or_settings, uncommitted))
    baseline = loop.baseline.but(
        tree_id=tree_id,
        tools=programs,
        changed_tests=changed[:MAX_CHANGED_TESTS],
        uncommitted_files=files_with_tests(uncommitted, volatile),
        git_refs=git_state.refs_of_checks(folder.root, check_commands(criteria)),
        start_tree=tree_after_checks,
    )
    if changed:
        findings = weakened_before_start(folder, tree_after_checks, criteria, packages)
        baseline = baseline.but(start_findings=findings)
    loop = loop.but(criteria=criteria, tree=tree, baseline=baseline)
    save_loaded_files(loop, content_digests(folder.root, check_commands(criteria)))
    loop = loop.but(room=plan_room(folder, loop, runs))
    if loop.backlog and loop.failing_guards:
        loop = loop.but(backlog=loop.backlog.but(mode=REPAIR))
    return ask_about_outside(loop)


def _measure_unrequired_checks(
    loop: Loop, folder: LoopFolder, tree: str, runs: CheckRuns, permit_outside: bool
) -> Loop:
    """Run the repository's checks that no criterion names: one that passes becomes a guard.

    Without a check of the person, one whose failing tests are those of the work is to pass at the
    end. One that rewrites files holds for no tree, so it is only offered.
    """
    guards, failing, offers = [], [], list(loop.offered_checks)
    has_own_check = any(c.check and c.check.origin == "typed" for c in loop.criteria)
    takes_red_tests = not has_own_check and loop.workflow.letter != REFACTOR_WORKFLOW
    before = tree
    for c in loop.unrequired_checks:
        c = measure_criterion(c, loop, folder, tree, runs, False, permit_outside)
        after = _require_tree(folder, loop.settings.volatile_globs) if c.proof else before
        rewritten = before != after and rewritten_files(folder.root, folder.path, before, after)
        before = after
        if rewritten and c.check:
            del runs[c.name]
            offers.append(OfferedCheck(c.name, c.check.command_line, f"it rewrites {rewritten}"))
        elif c.guard or (c.of_work and takes_red_tests) or not c.proof:
            guards.append(c)
        else:
            failing.append(c.but(baseline_counts=tuple(comparable_counts(c.proof).items())))
    return loop.but(
        criteria=(*loop.criteria, *guards),
        unrequired_checks=tuple(failing),
        offered_checks=tuple(offers),
    )


def _require_tree(folder: LoopFolder, volatile: tuple[str, ...]) -> str:
    """The tree hash. A loop whose tree cannot be determined would pause at its first Stop."""
    reading = read_tree(folder.root, folder.path, volatile)
    if reading.problem:
        raise UserError(f"nothing was started: {reading.problem}")
    return reading.tree


def _clear_folder(folder: LoopFolder) -> None:
    """Remove what an ended loop left in .loop/; its archive has what matters."""
    for name in EARLIER_FOLDERS:
        shutil.rmtree(folder.path_of(name), ignore_errors=True)
    for name in EARLIER_FILES:
        remove_file(folder.path_of(name))
    # No loop here wrote these notes, so we keep them, but do not use them.
    notes = folder.path_of("notes.md")
    if os.path.exists(notes):
        set_aside(notes, folder.path_of("aside"))


def _drop_unfinished_start(folder: LoopFolder) -> None:
    """Remove the tree and the held-out commands of a start that was killed before its end."""
    loop_id, _, head, earlier_head, *_ = (*read_note(folder.note_path), "", "", "", "")
    is_unfinished = not head or set(earlier_head) == {"-"}
    if loop_id and is_unfinished and not os.path.exists(folder.path_of("history", loop_id)):
        kept_trees.drop_kept_trees(folder.root, loop_id)
        drop_room(loop_id)
        holdouts.delete_holdouts(loop_id)
