"""Measures the strength of the checks on the final tree, as the last run in a clean checkout."""

from __future__ import annotations

import time

from ...checks.settings_files import holds_settings
from ...cleanroom.changes import changed_surroundings
from ...cleanroom.checkout import load_runs, open_room, room_criteria
from ...cleanroom.checkout_files import RoomError
from ...cleanroom.final_run import FinalRun, options_of_end
from ...cleanroom.findings import CheckRun
from ...cleanroom.surroundings import Surroundings
from ...cleanroom.time_limits import (
    NotEnoughTime,
    TimeLimit,
    limit_of_stop,
    seconds_of_a_run,
)
from ...cleanroom.trees import end_commit, room_trees
from ...core.directives import MeasureStrength
from ...core.loop import Loop
from ...core.proof.clean_checkout import FINAL_TREE_RUN, RoomCheck
from ...core.proof.grades import REFACTOR_WORKFLOW, checks_with_work_tests
from ...core.proof.strength import LINE, Strength, StrengthItem
from ...core.signals import StrengthResult
from ...core.start.binding import CHECK_KINDS
from ...repo import kept_trees
from ...repo.baseline import MAX_BYTES
from ...repo.checkout import CheckoutFailed
from ...store.folder import LoopFolder
from ...store.machine_faults import find_fault
from ...strength.baselines import FLAKY, MIN_RUNS
from ...strength.changed_files import ChangedFile
from ...strength.check_runs import MeasuredCheck
from ...strength.covered_code import changed_tests
from ...strength.git_work import is_document
from ...strength.measure import RED_AFTERWARDS, measure_strength

RUN_SECONDS = 300.0  # of a runner: nobody waits for an answer
SESSION_SECONDS, SESSION_RUNS = 60.0, 3.0  # in a session: the larger of both
SLOWER = 2.0  # times the seconds of the start: less is the load of the machine
PART_OF_STOP = 4  # at most the fourth part of the time that a Stop has
MAX_LINE_ITEMS = 40  # in the journal; the others are joined to one
NOT_TESTS = {*CHECK_KINDS.values()} - {CHECK_KINDS["tests"]}  # lint, types and build


def run_strength(
    folder: LoopFolder, wanted: MeasureStrength, loop: Loop, began: float
) -> StrengthResult:
    """Measure; a result always comes back, with the reason if nothing could be measured."""
    time_limit = limit_of_stop(loop, began)
    result, why = None, ""
    try:
        result = _measure(folder, wanted, loop, time_limit)
    except NotEnoughTime as error:
        why = str(error)
    except (RoomError, CheckoutFailed, OSError) as error:
        if fault := find_fault(error, folder, loop):
            raise fault from error
        why = f"the clean checkout could not be prepared: {error}"
    return StrengthResult(
        at=time.time(),
        round=wanted.round,
        fence=wanted.fence,
        tree=wanted.tree,
        strength=result,
        why=why,
        worse=_worse_since_start(loop, result) if result else "",
    )


def budget(loop: Loop, time_limit: TimeLimit) -> float:
    """How long the checks may run in all."""
    if time_limit.deadline is None:
        return RUN_SECONDS
    left = time_limit.deadline - time.monotonic()
    usual = max(SESSION_SECONDS, SESSION_RUNS * seconds_of_a_run(loop))
    return min(usual, left / PART_OF_STOP)


def _measure(
    folder: LoopFolder, wanted: MeasureStrength, loop: Loop, time_limit: TimeLimit
) -> Strength:
    time_limit.require(seconds_of_a_run(loop), MIN_RUNS)
    end = end_commit(folder, loop, wanted.tree)
    if not end:
        raise RoomError("the tree cannot be kept in the repository")
    changes = changed_surroundings(folder, loop, end)
    run = FinalRun(folder, loop, wanted.tree, end, changes, time_limit)
    with open_room(folder, loop, end, options_of_end(run)) as room:
        files, tests = _changed_files(folder, loop, end, changes)
        strength = measure_strength(
            room,
            files,
            _measured_checks(loop, wanted.tree),
            budget(loop, time_limit),
            is_refactoring=loop.workflow.letter == REFACTOR_WORKFLOW,
            spec=loop.spec,
            tests=tests,
            changed_paths=changes.changed,
        )
    return _join_last_lines(strength)


def _changed_files(
    folder: LoopFolder, loop: Loop, end: str, changes: Surroundings
) -> tuple[list[ChangedFile], tuple[ChangedFile, ...]]:
    """The changed files of the product, and of the tests.

    No check needs to be aware of a document, or of settings such as the version of a package.
    """
    trees = room_trees(folder, loop)
    around = {*changes.paths} - {path for path, _ in changes.inner_texts}
    around |= {path for path, _, _ in changes.allowed}
    paths = changes.changed
    before, after = (
        kept_trees.file_contents(trees.root, trees.loop_path, commit, [*paths], MAX_BYTES)
        for commit in (trees.baseline, end)
    )
    sides = {path: (_text(before.get(path)), _text(after.get(path))) for path in paths}
    around |= {path for path in paths if is_document(path) or holds_settings(path)}
    product = [path for path in paths if path not in around]
    return [ChangedFile(path, *sides[path]) for path in product], changed_tests(sides)


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def _measured_checks(loop: Loop, tree: str) -> list[MeasuredCheck]:
    """The tests of the loop, with their run in a clean checkout of this tree."""
    seconds = _seconds_at_end(loop, tree)
    runs = load_runs(loop, f"{FINAL_TREE_RUN}-{tree}")
    tests = {check.criterion: _work_tests(check) for check in checks_with_work_tests(loop)}
    return [
        MeasuredCheck(
            name=c.name,
            check=c.check,
            plain=_with_seconds(runs.get(c.name), seconds.get(c.name)),
            work_tests=tests.get(c.name, ()),
        )
        for c in room_criteria(loop)
        if c.check and c.name not in NOT_TESTS
    ]


def _work_tests(check: RoomCheck) -> tuple[str, ...]:
    """The tests that fail without the work; () if not all of their names were kept."""
    return check.work_tests if check.work_test_count == len(check.work_tests) else ()


def _seconds_at_end(loop: Loop, tree: str) -> dict[str, float]:
    """How long each check took in the clean checkout of this tree."""
    return {
        check.criterion: check.seconds
        for run in loop.room.runs
        if (run.kind, run.tree) == (FINAL_TREE_RUN, tree)
        for check in run.checks
    }


def _with_seconds(run: CheckRun | None, seconds: float | None) -> CheckRun | None:
    """The run that was kept, as a measure of time; None: it runs once more."""
    if run is None or not seconds or not run.evidence.passed:
        return None
    return CheckRun(run.evidence.but(seconds=seconds), run.report)


def _worse_since_start(loop: Loop, strength: Strength) -> str:
    """Why nothing could be measured although it could have been at the start; or ""."""
    if strength.is_measured:
        return ""
    for row in strength.unmeasured:
        if row.why in (FLAKY, RED_AFTERWARDS):
            return f"{row.what}: {row.why}"
        before = next((c.seconds for c in loop.room.baseline if c.criterion == row.what), 0.0)
        now = _seconds_at_end(loop, loop.tree).get(row.what, 0.0)
        if row.why.startswith("one run takes") and before and now > before * SLOWER:
            return f"{row.what}: {row.why}, at the start {before:.0f} s"
    return ""


def _join_last_lines(strength: Strength) -> Strength:
    """A large change may have a thousand lines that nothing runs: the journal keeps the first."""
    kept: list[StrengthItem] = []
    joined: dict[str, StrengthItem] = {}
    for item in strength.items:
        if item.kind != LINE or sum(i.kind == LINE for i in kept) < MAX_LINE_ITEMS:
            kept.append(item)
            continue
        first = joined.get(item.result, item.but(lines=0, taken="further lines"))
        joined[item.result] = first.but(lines=first.lines + item.lines)
    return strength.but(items=(*kept, *joined.values()))
