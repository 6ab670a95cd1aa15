"""The runs of the final proof in a room.

The checks run on the final tree, then on the final product with the tests and settings of the
baseline (replay), then on the product of the baseline with the final tests (revert).
"""

from __future__ import annotations

import time
from functools import lru_cache

from .. import lazy_re as re
from ..core.criteria import Evidence
from ..core.directives import RunInRoom
from ..core.findings import HIGH, Finding
from ..core.loop import Loop
from ..core.record import Record
from ..core.room import (
    CALIBRATION_RUN,
    COULD_NOT_PREPARE,
    FAILED,
    NOT_NEEDED,
    PASSED,
    REPLAY_RUN,
    REVERT_RUN,
    ROOM_RUN,
    SKIPPED,
    TRUSTED,
    RoomRun,
)
from ..core.signals import CalibrationResult, RoomResult
from ..ratchet.settings_rules.manifests import is_manifest, mixed_manifest
from ..repo.checkout import CheckoutFailed, restore_paths
from ..repo.plumbing import ask_user_git
from ..store.folder import LoopFolder
from ..verify import room_findings as judge
from ..verify.room_files import RoomError
from ..verify.room_findings import CheckRun
from ..verify.room_packages import detected_setup
from ..verify.test_report import FailedTest, TestReport
from ..verify.tests_of_start import unmet_tests
from .machine_faults import find_fault, require_writable
from .room_calibration import calibrate_room
from .room_changes import Surroundings, changed_surroundings, plugin_findings_of
from .room_checkout import (
    BASELINE_REPORTS,
    COULD_NOT_RUN,
    MAX_NAMED_TESTS,
    CheckRuns,
    PreparedRoom,
    RoomOptions,
    load_runs,
    open_room,
    options_of_start,
    room_criteria,
    run_checks,
    save_runs,
    summarize_run,
    write_text,
)
from .room_groups import run_in_rooms
from .room_time import NO_LIMIT, NotEnoughTime, TimeLimit, limit_of_stop, seconds_of_a_run
from .room_trees import end_commit, room_trees

REMOVAL_REQUEST = re.compile(r"(?i)\b(?:renam|remov|delet|replac|drop)")


class FinalRun(Record):
    """What one run of the final proof works on."""

    folder: LoopFolder
    loop: Loop
    tree: str
    end: str  # the commit of the final tree
    changes: Surroundings
    time_limit: TimeLimit


def run_in_room(
    folder: LoopFolder, wanted: RunInRoom, loop: Loop, began: float | None = None
) -> RoomResult | CalibrationResult:
    """Make one run of the final proof, or the calibration that has not ended yet.

    `began` is when the Stop began that waits for it, as time.monotonic() counts; None: none waits.
    """
    time_limit = NO_LIMIT if began is None else limit_of_stop(loop, began)
    kind = ROOM_RUN if wanted.kind == CALIBRATION_RUN else wanted.kind
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
    if kind == ROOM_RUN:
        run = run.but(findings=(*run.findings, *green_at_start(loop)))
    at = time.time()
    return RoomResult(at, wanted.round, wanted.fence, run.but(at=at))


def _make_run(folder: LoopFolder, wanted: RunInRoom, loop: Loop, time_limit: TimeLimit) -> RoomRun:
    kind, tree = wanted.kind, wanted.tree
    end = end_commit(folder, loop, tree)
    if not end:
        why = "the tree cannot be kept in the repository"
        return RoomRun(kind, tree, COULD_NOT_PREPARE, why)
    changes = changed_surroundings(folder, loop, end)
    is_uncalibrated = kind == REVERT_RUN and _has_unrun_check(loop)
    is_allowed = kind == REVERT_RUN and bool(changes.allowed)
    if kind != ROOM_RUN and not changes.paths and not is_uncalibrated and not is_allowed:
        # Without a change around the product, the replay is the room run, and the revert test is
        # the calibration of the start. A check that could not run at the start calibrates nothing.
        return RoomRun(kind, tree, NOT_NEEDED, "nothing around the product changed")
    time_limit.require(seconds_of_a_run(loop), 1)
    final_run = FinalRun(
        folder=folder, loop=loop, tree=tree, end=end, changes=changes, time_limit=time_limit
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
    runs = _replay(final_run, ())
    save_runs(loop, f"{ROOM_RUN}-{tree}", runs)
    failed = [name for name, run in runs.items() if not run.evidence.passed]
    if failed and loop.room.status != TRUSTED:
        final_run.time_limit.require(seconds_of_a_run(loop), 1)  # the checks run in place next
        why = f"{', '.join(failed)} fails in a clean checkout, as the start made likely"
        return RoomRun(ROOM_RUN, tree, COULD_NOT_PREPARE, f"{why}: {loop.room.why}")
    if failed and changes.manifests and not loop.room.allow_new_packages:
        why = (
            f"{', '.join(changes.manifests)} changed, and packages are installed only with your "
            "permission: loop start --allow-new-deps"
        )
        lost = RoomRun(ROOM_RUN, tree, COULD_NOT_PREPARE, why)
        return lost.but(new_packages=changes.new_packages or changes.manifests)
    baseline = load_runs(loop, BASELINE_REPORTS)
    findings: list[Finding] = []
    for name, run in runs.items():
        at_start = _report_at_start(loop, baseline, name)
        findings += judge.room_findings(name, run, at_start, changes.changed_tests)
        if name in baseline:
            findings += judge.printed_failure_findings(name, baseline[name], run)
    findings += [*plugin_findings_of(changes), *changes.product_findings]
    return _finished_run(ROOM_RUN, tree, runs, findings)


def _report_at_start(loop: Loop, baseline: CheckRuns, name: str) -> TestReport:
    """The results of single tests at the start; empty where they may still fail at the end."""
    is_frozen = any(c.name == name and c.check and c.check.frozen for c in loop.criteria)
    if is_frozen or name not in baseline:
        return TestReport()
    return baseline[name].report


def _options_of_end(final_run: FinalRun) -> RoomOptions:
    """How the room of the final product is prepared.

    The setup runs with the scripts of the start, and without permission with its packages too: an
    install script of a new package would run as the person.
    """
    loop, changes = final_run.loop, final_run.changes
    options = options_of_start(loop).but(baseline_paths=changes.grave_paths)
    if not changes.manifests:
        return options
    if not loop.room.allow_new_packages:
        paths = dict.fromkeys((*changes.grave_paths, *changes.manifests))
        return options.but(baseline_paths=tuple(paths))
    mixed = tuple(
        (path, mixed_manifest(path, before, after))
        for path, before, after in changes.texts
        if path in changes.manifests and is_manifest(path) and before and after
    )
    others = tuple(path for path in changes.grave_paths if path not in changes.manifests)
    setup = loop.room.setup or detected_setup(final_run.folder.root)
    return options.but(setup=setup, packages="", baseline_paths=others, setup_texts=mixed)


def _replay_run(final_run: FinalRun) -> RoomRun:
    loop, tree, changes = final_run.loop, final_run.tree, final_run.changes
    in_room = load_runs(loop, f"{ROOM_RUN}-{tree}") or _replay(final_run, ())
    runs = _replay(final_run, changes.paths)
    baseline = load_runs(loop, BASELINE_REPORTS)
    findings: list[Finding] = []
    for name, run in runs.items():
        if run.evidence.passed or name not in in_room:
            continue
        red = _report_at_start(loop, baseline, name).failed_names
        requested = [test for test in run.report.failed if _is_gone_on_request(final_run, test)]
        failed = [test for test in run.report.failed if test not in requested]
        still_red = [test.name for test in failed if test.name in red]
        unshown = judge.unshown_tests(run, red) if failed or not requested else []
        suspects = judge.replay_suspects(run, in_room[name], changes.changed_tests)
        gone = [test for test in suspects if _is_gone(final_run, test)]
        suspects = [test for test in suspects if test not in gone]
        gone += [test for test in requested if test not in gone]
        findings += [judge.inapplicable_finding(name, gone)] if gone else []
        if suspects or _refutes_without_names(run, changes):
            findings.append(_find_cause(final_run, name, suspects))
        elif still_red or unshown:
            findings += judge.red_test_findings(name, still_red or unshown)
        elif not run.report.failed:
            findings.append(judge.no_names_finding(name))
    changed = changes.changed_tests.paths
    tests = {path: before for path, before, _ in changes.texts if path in changed}
    at_start = [run.report for run in baseline.values()]
    files = judge.settled_tests(list(runs.values()), tests, at_start)
    # With the scripts and helpers of the start the checks pass too, so nothing depends on what
    # is new in them.
    all_pass = bool(runs) and all(run.evidence.passed for run in runs.values())
    scripts = (*changes.scripts, *changes.helpers) if all_pass else ()
    settled = (*files, *scripts, *_settled_checks(loop, runs))
    unmet = [
        test
        for name, run in runs.items()
        for test in unmet_tests(run, _report_at_start(loop, baseline, name))
    ]
    replay = _finished_run(REPLAY_RUN, tree, runs, findings)
    return replay.but(settled=settled, unmet_tests=tuple(unmet[:MAX_NAMED_TESTS]))


def _settled_checks(loop: Loop, runs: CheckRuns) -> tuple[str, ...]:
    """The checks that pass with the tests of the start, and run as many of them as then."""
    at_start = {c.name: dict(c.baseline_counts).get("tests") for c in loop.criteria}

    def is_settled(name: str, evidence: Evidence) -> bool:
        expected, count = at_start.get(name), dict(evidence.counts).get("tests", 0.0)
        return evidence.passed and expected is not None and count >= expected

    return tuple(name for name, run in runs.items() if is_settled(name, run.evidence))


def _refutes_without_names(run: CheckRun, changes: Surroundings) -> bool:
    return not run.report.failed and not changes.changed_tests.paths


def _is_gone(final_run: FinalRun, test: FailedTest) -> bool:
    """Does the test fail because an interface that the baseline had is gone?"""
    name = judge.removed_interface(test)
    trees = room_trees(final_run.folder, final_run.loop)
    return bool(name) and _is_word_of(trees.root, trees.baseline, name)


@lru_cache(maxsize=64)  # many tests fail for the same name
def _is_word_of(root: str, commit: str, word: str) -> bool:
    options = ("--quiet", "--word-regexp", "--fixed-strings", "-e", word)
    code, _ = ask_user_git(root, "grep", *options, commit)
    return code == 0


def _is_gone_on_request(final_run: FinalRun, test: FailedTest) -> bool:
    """Does the test fail because of an interface that the spec asks to rename or to remove?"""
    name, spec = judge.removed_interface(test), final_run.loop.spec
    is_named = bool(name and re.search(rf"\b{re.escape(name)}\b", spec))
    return is_named and bool(REMOVAL_REQUEST.search(spec)) and _is_gone(final_run, test)


def _find_cause(final_run: FinalRun, name: str, suspects: list[FailedTest]) -> Finding:
    """Which changed surroundings do unchanged tests need? A refutation must also reproduce."""
    changes = final_run.changes
    grave = changes.grave_paths
    others = tuple(path for path in changes.paths if path not in grave)
    if not grave:
        return judge.cause_finding(name, False, list(others), suspects)
    final_run.time_limit.require(seconds_of_a_run(final_run.loop), 2)
    with_grave = _replay(final_run, others)[name]
    if _still_fails(with_grave, suspects):
        return judge.cause_finding(name, False, list(others or grave), suspects)
    again = _replay(final_run, changes.paths)[name]
    if not _still_fails(again, suspects):
        return judge.flaky_finding(name)
    return judge.cause_finding(name, True, list(grave), suspects)


def _still_fails(run: CheckRun, suspects: list[FailedTest]) -> bool:
    names = {test.name for test in suspects}
    if not names:
        return not run.evidence.passed
    return not names.isdisjoint(run.report.failed_names)


def _replay(final_run: FinalRun, restored: tuple[str, ...]) -> CheckRuns:
    """The checks on the end, with these files as they are at the baseline."""
    folder, loop = final_run.folder, final_run.loop

    def arrange(room: PreparedRoom) -> None:
        restore_paths(room.path, room_trees(folder, loop).baseline, restored)
        for path, before, after in final_run.changes.texts:
            if path in restored and is_manifest(path) and before and after:
                write_text(room.path, path, mixed_manifest(path, before, after))

    return run_in_rooms(folder, loop, final_run.end, _options_of_end(final_run), arrange)


def _revert_run(final_run: FinalRun) -> RoomRun:
    folder, loop, changes = final_run.folder, final_run.loop, final_run.changes
    baseline = room_trees(folder, loop).baseline
    red = [c for c in room_criteria(loop) if not c.guard]
    with open_room(folder, loop, baseline, options_of_start(loop)) as room:
        # What the person let the agent change must show the work too.
        allowed = tuple(path for path, _, _ in changes.allowed)
        restore_paths(room.path, final_run.end, (*changes.paths, *allowed))
        for path, before, after in (*changes.texts, *changes.allowed):
            if is_manifest(path) and before and after:
                write_text(room.path, path, mixed_manifest(path, after, before))
        runs = run_checks(folder, loop, room, red)
    findings: list[Finding] = []
    for name, run in runs.items():
        findings += judge.revert_findings(name, run)
    return _finished_run(REVERT_RUN, final_run.tree, runs, findings)


def _finished_run(kind: str, tree: str, runs: CheckRuns, findings: list[Finding]) -> RoomRun:
    grave = [finding for finding in findings if finding.severity == HIGH]
    return RoomRun(
        kind=kind,
        tree=tree,
        outcome=FAILED if grave else PASSED,
        checks=tuple(summarize_run(name, run) for name, run in runs.items()),
        findings=tuple(findings),
    )


RUNS = {ROOM_RUN: _room_run, REPLAY_RUN: _replay_run, REVERT_RUN: _revert_run}
