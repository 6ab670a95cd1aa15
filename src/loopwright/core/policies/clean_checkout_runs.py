"""The runs of the final proof in a clean checkout: which is next, and how a result counts."""

from __future__ import annotations

from ..directives import Directive, RunInCleanCheckout
from ..draft import Draft
from ..findings import HIGH, MEDIUM, Finding
from ..loop import Loop
from ..prompts.clean_checkout import calibration_message
from ..proof.clean_checkout import (
    CALIBRATION_RUN,
    COULD_NOT_PREPARE,
    FAILED,
    MAX_FAILURES,
    NOT_NEEDED,
    OFF,
    PASSED,
    PENDING,
    REPRODUCED_RULES,
    REVERT_RUN,
    UNPREPARED,
    RoomRun,
    needed_runs,
)
from ..proof.events import RoomAnnounced
from ..proof.state import CheckRound


def run_of_kind(loop: Loop, kind: str, tree: str) -> RoomRun | None:
    """The latest run of this kind on this tree."""
    return next((run for run in loop.room.runs if (run.kind, run.tree) == (kind, tree)), None)


def next_clean_checkout_run(loop: Loop, check_round: CheckRound) -> RunInCleanCheckout | None:
    """The next run in a clean checkout that this proof needs; None when all are done."""
    kind = _next_kind(loop, check_round)
    if not kind:
        return None
    return RunInCleanCheckout(kind, check_round.number, loop.lease.fence, check_round.tree)


def _next_kind(loop: Loop, check_round: CheckRound) -> str:
    made = check_round.room_runs
    if loop.room.status in ("", OFF, UNPREPARED):
        return ""
    if loop.room.status == PENDING:
        # If there was no time for the calibration, there is none for the runs.
        return "" if made else CALIBRATION_RUN
    for kind in needed_runs(bool(loop.backlog)):
        run = run_of_kind(loop, kind, check_round.tree)
        if (
            not run
            or _must_run_again(run, check_round)
            or _lacks_named_test(loop, run, check_round)
        ):
            return kind
        if run.outcome == COULD_NOT_PREPARE:
            return ""  # the other runs cannot be prepared either
    return ""


def _lacks_named_test(loop: Loop, run: RoomRun, check_round: CheckRound) -> bool:
    """Has the agent named another test since, or was its command not allowed at the last claim?"""
    if run.kind != REVERT_RUN or not loop.demands or run.outcome not in (PASSED, NOT_NEEDED):
        return False
    from ..proof.demand_results import unjudged_demands

    is_repeated = REVERT_RUN in check_round.room_runs
    return bool(unjudged_demands(loop, run, with_waiting=not is_repeated))


def _must_run_again(run: RoomRun, check_round: CheckRound) -> bool:
    """Each claim makes the runs anew that did not pass; a failure must reproduce to refute it."""
    if run.outcome in (PASSED, NOT_NEEDED) or check_round.confirmed:
        return False
    times = check_round.room_runs.count(run.kind)
    is_unsure = run.outcome == FAILED and run.failures < MAX_FAILURES
    may_pass = any(finding.rule in REPRODUCED_RULES for finding in run.findings)
    return not times or (times == 1 and is_unsure and may_pass)


def count_failures(loop: Loop, run: RoomRun) -> RoomRun:
    """The run as it counts after those before it on the same tree.

    Only a pass ends a failure, and then the run is flaky: a person must look. A repetition that
    could not be made changes nothing.
    """
    earlier = run_of_kind(loop, run.kind, run.tree)
    if not earlier:
        return run.but(failures=int(run.outcome == FAILED))
    failures = max(earlier.failures, int(earlier.outcome == FAILED))
    if run.outcome == FAILED:
        return run.but(failures=failures + 1)
    if earlier.outcome == FAILED and run.outcome != PASSED:
        return earlier
    if run.outcome == PASSED and failures:
        names = dict.fromkeys(f.file for f in earlier.findings if f.severity == HIGH) or (".",)
        flaky = tuple(Finding(MEDIUM, "flaky-in-room", name) for name in names)
        run = run.but(findings=(*run.findings, *flaky))
    return run.but(failures=failures)


def announce_unusable_checkout(draft: Draft, directive: Directive) -> Directive:
    """Tell the person once that the proof cannot run in a clean checkout."""
    draft.record(RoomAnnounced())
    message = f"{calibration_message(draft.loop)}\n{directive.message}".strip()
    return directive.but(message=message)
