"""The runs of the final proof in a room.

The checks run on the final tree, then on the final product with the tests and settings of the
baseline (replay), then on the product of the baseline with the final tests (revert).
"""

from __future__ import annotations

import time

from ..checks.named_files import asks_for_tests
from ..checks.test_files import TEST
from ..core.criteria import Criterion
from ..core.directives import RunInCleanCheckout
from ..core.findings import IGNORED_FILE_RULE, Finding
from ..core.loop import Loop
from ..core.proof.clean_checkout import (
    CALIBRATION_RUN,
    COULD_NOT_PREPARE,
    FAILED,
    FINAL_TREE_RUN,
    NOT_NEEDED,
    REPLAY_RUN,
    REVERT_RUN,
    SKIPPED,
    TRUSTED,
    RoomCheck,
    RoomRun,
)
from ..core.proof.grades import REFACTOR_WORKFLOW
from ..core.signals import CalibrationResult, CleanCheckoutResult
from ..ratchet.surrounding_rules.machine import find_locked_plugins
from ..repo import kept_trees
from ..repo.baseline import MAX_BYTES
from ..repo.checkout import CheckoutFailed
from ..store.folder import LoopFolder
from ..store.machine_faults import find_fault, require_writable
from ..store.state_folder import room_store
from ..verify.ignored_files import GIT_PREFIX
from . import findings as judge
from .calibration import calibrate_room
from .changes import changed_surroundings
from .checkout import (
    BASELINE_REPORTS,
    COULD_NOT_RUN,
    MAX_NAMED_TESTS,
    CheckRuns,
    load_runs,
    open_room,
    options_of_start,
    room_criteria,
    run_checks,
    save_runs,
)
from .checkout_files import RoomError, rewritten_modules
from .committed import Committed, committed_surroundings
from .demand_runs import allowed_commands, demand_checks, judge_demands, run_commands
from .final_run import FinalRun, finished_run, replay, report_at_start
from .hollow_tests import NO_TESTS, FinalTests, read_final_tests
from .overlay import Layer, lay_over
from .replay import run_replay
from .surroundings import Surroundings
from .test_names import with_passed_names
from .time_limits import NO_LIMIT, NotEnoughTime, TimeLimit, limit_of_stop, seconds_of_a_run
from .trees import end_commit, room_trees
from .work_tests import work_tests

MAX_LINE = 200  # of a setting that a person reads


def run_in_room(
    folder: LoopFolder, wanted: RunInCleanCheckout, loop: Loop, began: float | None = None
) -> CleanCheckoutResult | CalibrationResult:
    """Make one run of the final proof, or the calibration that has not ended yet.

    `began` is when the Stop began that waits for it, as time.monotonic() counts; None: none waits.
    """
    time_limit = NO_LIMIT if began is None else limit_of_stop(loop, began)
    kind = FINAL_TREE_RUN if wanted.kind == CALIBRATION_RUN else wanted.kind
    try:
        if wanted.kind == CALIBRATION_RUN:
            time_limit.require(seconds_of_a_run(loop), 2)
            calibration = calibrate_room(folder, loop, wanted.round)
            if calibration.status != TRUSTED:
                require_writable(folder, loop)
            return calibration
        run = _make_run(folder, wanted, loop, time_limit)
    except NotEnoughTime as error:
        run = RoomRun(kind, wanted.tree, SKIPPED, str(error))
    except (RoomError, CheckoutFailed, OSError) as error:
        if fault := find_fault(error, folder, loop):
            raise fault from error
        run = RoomRun(kind, wanted.tree, COULD_NOT_PREPARE, str(error))
    if run.outcome in (COULD_NOT_PREPARE, FAILED):
        require_writable(folder, loop)  # the machine may be why, and not the work
    if run.outcome == COULD_NOT_PREPARE and loop.room.status == TRUSTED:
        # It worked at the start, so the agent's changes may be the reason: a person must look.
        run = run.but(findings=(judge.lost_room_finding(run.why),))
    if kind == FINAL_TREE_RUN:
        run = run.but(findings=(*run.findings, *green_at_start(loop)))
    at = time.time()
    return CleanCheckoutResult(at, wanted.round, wanted.fence, run.but(at=at))


def _make_run(
    folder: LoopFolder, wanted: RunInCleanCheckout, loop: Loop, time_limit: TimeLimit
) -> RoomRun:
    kind, tree = wanted.kind, wanted.tree
    end = end_commit(folder, loop, tree)
    if not end:
        why = "the tree cannot be kept in the repository"
        return RoomRun(kind, tree, COULD_NOT_PREPARE, why)
    changes = changed_surroundings(folder, loop, end)
    is_uncalibrated = kind == REVERT_RUN and _has_unrun_check(loop)
    has_commands = kind == REVERT_RUN and bool(allowed_commands(folder, loop))
    is_allowed = kind == REVERT_RUN and bool(changes.allowed)
    paths, committed = changes.paths, Committed()
    if kind == REPLAY_RUN:
        committed = committed_surroundings(folder, loop, end)
        paths = (*changes.replayed_paths, *committed.paths)
    is_known = not (paths or is_uncalibrated or is_allowed or has_commands)
    if kind != FINAL_TREE_RUN and is_known:
        # Without a change around the product, the replay is the room run, and the revert test is
        # the calibration of the start. A check that could not run at the start calibrates nothing.
        run = RoomRun(kind, tree, NOT_NEEDED, "nothing around the product changed")
        if kind == REPLAY_RUN:
            return run
        demands = judge_demands(folder, loop, tree, load_runs(loop, BASELINE_REPORTS), {})
        return run.but(demands=demands)
    is_double = bool(committed.layers and changes.replayed_paths)
    time_limit.require(seconds_of_a_run(loop), 2 if is_double else 1)
    final_run = FinalRun(
        folder=folder,
        loop=loop,
        tree=tree,
        end=end,
        changes=changes,
        time_limit=time_limit,
        committed=committed,
    )
    return RUNS[kind](final_run)


def green_at_start(loop: Loop) -> list[Finding]:
    """Checks that failed in place at the start and passed in the room, on the same tree.

    They turn green without the work, so no later pass is proof.
    """
    red = {c.name for c in loop.criteria if not c.guard}
    green = [check for check in loop.room.baseline if check.passed and check.criterion in red]
    return [judge.green_finding(check.criterion) for check in green]


def _has_unrun_check(loop: Loop) -> bool:
    """Is there a check whose first result says nothing about the product of the start?"""
    return any(check.outcome == COULD_NOT_RUN for check in loop.room.baseline)


def _room_run(final_run: FinalRun) -> RoomRun:
    loop, tree, changes = final_run.loop, final_run.tree, final_run.changes
    runs = replay(final_run, ())
    save_runs(loop, f"{FINAL_TREE_RUN}-{tree}", runs)
    failed = [name for name, run in runs.items() if not run.evidence.passed]
    if failed and loop.room.status != TRUSTED:
        final_run.time_limit.require(seconds_of_a_run(loop), 1)  # the checks run in place next
        why = f"{', '.join(failed)} fails in a clean checkout, as the start made likely"
        return RoomRun(FINAL_TREE_RUN, tree, COULD_NOT_PREPARE, f"{why}: {loop.room.why}")
    store = room_store(loop, "files")
    if failed and (rewritten := rewritten_modules(final_run.folder.root, store)):
        why = f"{', '.join(rewritten)} changed since the start, and git ignores it"
        return RoomRun(FINAL_TREE_RUN, tree, COULD_NOT_PREPARE, why)
    if failed and changes.manifests and not loop.room.allow_new_packages:
        why = (
            f"{', '.join(changes.manifests)} changed, and packages are installed only with your "
            "permission: loop start --allow-new-deps"
        )
        lost = RoomRun(FINAL_TREE_RUN, tree, COULD_NOT_PREPARE, why)
        return lost.but(new_packages=changes.new_packages or changes.manifests)
    baseline = load_runs(loop, BASELINE_REPORTS)
    findings: list[Finding] = []
    for name, run in runs.items():
        at_start = report_at_start(loop, baseline, name)
        findings += judge.room_findings(name, run, at_start, changes.changed_tests)
        if name in baseline:
            findings += judge.printed_failure_findings(name, baseline[name], run)
    findings += find_locked_plugins(changes.manifests, changes.indirect_packages)
    findings += changes.product_findings
    if not changes.replayed_paths:  # else the revert test asks: no earlier yes covers its question
        findings += _no_product_findings(final_run)
    done = finished_run(FINAL_TREE_RUN, tree, runs, findings)
    return done.but(settled=() if failed else _ignored_files(loop))


def _no_product_findings(final_run: FinalRun) -> list[Finding]:
    """The question about a work without product; a red test asks for product, not for tests."""
    loop, changes = final_run.loop, final_run.changes
    baseline = load_runs(loop, BASELINE_REPORTS)
    red = [name for name in baseline if report_at_start(loop, baseline, name).failed_names]
    tests_alone = changes.has_only_tests and not red and asks_for_tests(loop.spec)
    found = judge.no_product_findings(changes.changed_without_product, tests_alone)
    before, after = changes.changed_setting
    return [finding.but(before=before[:MAX_LINE], after=after[:MAX_LINE]) for finding in found]


def _ignored_files(loop: Loop) -> tuple[str, ...]:
    """The files that git ignores and that the comparison names; a clean checkout has none."""
    if loop.room.status != TRUSTED:
        return ()
    named = [each.file for each in loop.baseline.findings if each.rule == IGNORED_FILE_RULE]
    return tuple(path for path in named if not path.startswith(("~", "/", "..", GIT_PREFIX)))


def _revert_run(final_run: FinalRun) -> RoomRun:
    folder, loop, changes = final_run.folder, final_run.loop, final_run.changes
    baseline = room_trees(folder, loop).baseline
    with open_room(folder, loop, baseline, options_of_start(loop)) as room:
        # What the person let the agent change must show the work too.
        allowed = [Layer(*row) for row in changes.allowed]
        layers = [layer.turned for layer in (*changes.layers, *allowed)]
        lay_over(room.path, final_run.end, layers)
        runs = run_checks(folder, loop, room, _reverted_criteria(loop, final_run.tree, changes))
        commands = run_commands(final_run, room)
    runs = _with_names_at_end(final_run, runs)
    guards = {c.name for c in loop.criteria if c.guard}
    red = [name for name in runs if name not in guards]
    findings = [found for name in red for found in judge.revert_findings(name, runs[name])]
    if not changes.has_product:  # then it is the final tree
        findings = _no_product_findings(final_run)
    done = finished_run(REVERT_RUN, final_run.tree, runs, findings)
    tests = _final_tests(final_run) if changes.has_work_tests else NO_TESTS
    demands = judge_demands(folder, loop, final_run.tree, runs, commands, tests)
    done = done.but(demands=demands)
    # A new program that is itself the check fails without itself: that shows nothing.
    return _with_work_tests(final_run, done, runs, tests) if changes.has_work_tests else done


def _with_names_at_end(final_run: FinalRun, runs: CheckRuns) -> CheckRuns:
    at_end = load_runs(final_run.loop, f"{FINAL_TREE_RUN}-{final_run.tree}")
    passed = {name: run.report.passed for name, run in at_end.items()}
    return {
        name: run.but(report=with_passed_names(run.report, passed.get(name, ())))
        for name, run in runs.items()
    }


def _reverted_criteria(loop: Loop, tree: str, changes: Surroundings) -> list[Criterion]:
    """The checks that failed at the start must fail without the work too.

    If all of them passed, only new and changed tests can show that there is work. A refactoring
    needs none: it must keep everything as it was. Guards run for the tests that the agent names.
    """
    criteria = room_criteria(loop)
    named = demand_checks(loop, tree)
    red = [c for c in criteria if not c.guard or c in named]
    if red or not changes.has_work_tests or loop.workflow.letter == REFACTOR_WORKFLOW:
        return red
    return criteria


def _final_tests(final_run: FinalRun) -> FinalTests:
    trees = room_trees(final_run.folder, final_run.loop)
    tests = [path for path, kind in final_run.changes.kinds if kind == TEST]
    tests += final_run.changes.allowed_tests
    paths = [*tests, *final_run.changes.helpers]
    contents = kept_trees.file_contents(
        trees.root, trees.loop_path, final_run.end, paths, MAX_BYTES
    )
    texts = {path: text.decode("utf-8", "replace") for path, text in contents.items()}
    return read_final_tests(texts, tests)


def _with_work_tests(
    final_run: FinalRun, done: RoomRun, reverted: CheckRuns, tests: FinalTests
) -> RoomRun:
    """The run with the tests that fail in it and pass on the final tree."""
    loop, changed = final_run.loop, final_run.changes.work_tests
    at_end = load_runs(loop, f"{FINAL_TREE_RUN}-{final_run.tree}")
    baseline = load_runs(loop, BASELINE_REPORTS)

    def add_tests(check: RoomCheck) -> RoomCheck:
        name = check.criterion
        if name not in at_end:
            return check
        at_start = report_at_start(loop, baseline, name)
        found = work_tests(at_end[name], reverted[name], at_start, changed, tests, loop.spec)
        return check.but(
            work_tests=found.names[:MAX_NAMED_TESTS],
            work_test_count=len(found.names),
            missing_count=len(found.missing),
        )

    return done.but(checks=tuple(map(add_tests, done.checks)))


RUNS = {FINAL_TREE_RUN: _room_run, REPLAY_RUN: run_replay, REVERT_RUN: _revert_run}
