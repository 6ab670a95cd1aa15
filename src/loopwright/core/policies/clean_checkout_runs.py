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
    FINAL_TREE_RUN,
    MAX_FAILURES,
    NOT_NEEDED,
    OFF,
    PASSED,
    PENDING,
    REPRODUCED_RULES,
    REVERT_RUN,
    SKIPPED,
    UNPREPARED,
    RoomRun,
    needed_runs,
)
from ..proof.events import ProofFinished, RoomAnnounced, RoomCalibrated, RoomRunEnded
from ..proof.state import CheckRound
from ..signals import CalibrationResult


def run_of_kind(loop: Loop, kind: str, tree: str) -> RoomRun | None:
    """The latest run of this kind on this tree."""
    return next((run for run in loop.room.runs if (run.kind, run.tree) == (kind, tree)), None)


def missing_runs(loop: Loop) -> tuple[str, ...]:
    """Runs that the final proof of this tree lacks, by kind: not made, or not passed."""
    runs = (run for run in loop.room.runs if run.tree == loop.tree)
    made = {run.kind for run in runs if run.outcome in (PASSED, NOT_NEEDED)}
    return tuple(kind for kind in needed_runs(bool(loop.backlog)) if kind not in made)


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


def checks_to_rerun(loop: Loop, check_round: CheckRound) -> tuple[str, ...]:
    """Checks that run once more, because nothing has repeated them on this tree.

    A check may pass by chance, or what it needs outside the tree may be gone. What a person
    confirms was shown to them a moment ago.
    """
    if check_round.confirmed:
        return ()
    ran = {*check_round.ran_before, *check_round.ran}
    # No clean checkout runs these. A reviewer has read this tree.
    others = [c for c in loop.final_checks if c.check and not c.check.is_review]
    names = [c.name for c in (*loop.must_not, *others) if c.may_run and c.name not in ran]
    run = run_of_kind(loop, FINAL_TREE_RUN, check_round.tree)
    # If there was no time for the clean checkout, there is none to run them here.
    if run and run.outcome in (PASSED, SKIPPED):
        return tuple(names)
    is_old = not loop.room.status  # the loop of an older version, or without a baseline
    checks = [c.name for c in loop.criteria if c.may_run and c.runs_command]
    return (*(name for name in checks if not is_old or name not in ran), *names)


def reruns_every_check(loop: Loop) -> bool:
    """Is it known before the end that no clean checkout will repeat the checks?"""
    return loop.room.status in ("", OFF, UNPREPARED)


def announce_unusable_checkout(draft: Draft, directive: Directive) -> Directive:
    """Tell the person once that the proof cannot run in a clean checkout."""
    draft.record(RoomAnnounced())
    message = f"{calibration_message(draft.loop)}\n{directive.message}".strip()
    return directive.but(message=message)


def record_clean_checkout_run(draft: Draft, run: RoomRun) -> None:
    """Record a run of the final proof, as it counts after those before it on the same tree."""
    draft.record(RoomRunEnded(count_failures(draft.loop, run)))


def finish_proof(draft: Draft, at: float) -> None:
    """Record the verdict as it is now, after the end of the loop."""
    from ..proof.verdict import verdict_of

    draft.record(ProofFinished(verdict_of(draft.loop), at))


def record_calibration(draft: Draft, result: CalibrationResult) -> None:
    """Record how the checks behave in a clean checkout of the start."""
    draft.record(
        RoomCalibrated(
            at=result.at,
            status=result.status,
            why=result.why,
            setup=result.setup,
            checks=result.checks,
            binding=result.binding,
            packages=result.packages,
            prepare_seconds=result.prepare_seconds,
        )
    )
