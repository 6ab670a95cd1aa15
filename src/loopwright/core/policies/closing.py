"""The final proof, once every check supports the claim.

Loopwright compares the tree with the baseline to find what became easier to prove. Then the
held-out checks and the reviewer run. Whatever refutes the claim goes back to the agent.
"""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..directives import CompareWithBaseline, Directive, RunInRoom, Stop
from ..dispute_events import FinalChecksAnswered
from ..draft import Draft
from ..findings import (
    HIGH,
    MAX_FINDINGS,
    MEDIUM,
    WORSE_FAILURE_RULES,
    Finding,
    worse_count_findings,
)
from ..loop import CheckRound, Loop, open_findings
from ..prompts.room import packages_question
from ..proof_events import (
    BaselineCompared,
    ProofFinished,
    ProofsVoided,
    RoomCalibrated,
    RoomRunEnded,
)
from ..room import (
    CALIBRATION_RUN,
    COULD_NOT_PREPARE,
    OFF,
    PENDING,
    REVERT_RUN,
    RUN_ORDER,
    UNPREPARED,
    RoomRun,
)
from ..signals import BaselineComparison, CalibrationResult, RoomResult
from ..status import ENDED
from .frame import (
    next_check_or_decide,
    next_round,
    pause_for_tree,
    restarted_round,
    start_check_round,
)

PACKAGES = "packages"  # the gate about packages that the agent added
ROOM_REASON = "it does not hold in a clean checkout"
WEAKENED_REASON = "it became easier to prove since the start"
WORSE_REASON = "a check of the repository became worse since the start"
FINAL_CHECKS_REASON = "what runs at the end only does not agree"
TREE_MOVED_REASON = "the files changed after the checks ran"


def run_final_proof(draft: Draft, check_round: CheckRound, at: float) -> Directive | None:
    """The next part of the final proof; None: everything supports the claim."""
    loop = draft.loop
    following = next_round(check_round, loop.rounds_started + 1)
    if loop.exhausted_checks:  # they do not answer again before a person has decided
        return _ask_about_looks(draft, at)
    has_last_checks = bool(loop.final_checks or loop.comparable_checks)
    rerun = _checks_to_rerun(loop, check_round)
    if not check_round.baseline_compared and (has_baseline(loop) or has_last_checks or rerun):
        draft.record(ev.CheckRoundStarted(following.but(baseline_compared=True, rerun=rerun)))
        if has_baseline(loop):
            return CompareWithBaseline(following.number, loop.lease.fence, check_round.tree)
        return next_check_or_decide(draft, at)
    not_passed = [c for c in loop.final_checks if not c.passes_on(loop.tree)]
    for c in not_passed:
        if c.proof and c.proof.outcome == "missing":  # the agent cannot repair that
            why = f"{c.name} cannot be run: {c.proof.detail[:300]}"
            return breakers.pause_loop(draft, "last", why, at)
    if answered := tuple(c.name for c in loop.final_checks if c.name in check_round.ran):
        draft.record(FinalChecksAnswered(answered))
    if not_passed and draft.loop.exhausted_checks:
        draft.record(ev.ClaimRefuted(tuple(c.name for c in not_passed), FINAL_CHECKS_REASON))
        return _ask_about_looks(draft, at)
    if not_passed:
        return refute_claim(draft, tuple(c.name for c in not_passed), FINAL_CHECKS_REASON, at)
    if has_last_checks and has_baseline(loop) and not check_round.baseline_recompared:
        # The last checks took time: make sure that no file was written while they ran.
        draft.record(ev.CheckRoundStarted(following.but(baseline_recompared=True)))
        return CompareWithBaseline(following.number, loop.lease.fence, check_round.tree)
    return None


def _checks_to_rerun(loop: Loop, check_round: CheckRound) -> tuple[str, ...]:
    """Checks that run once more, because no clean checkout repeats them.

    A check may pass by chance, or turn green with its second run. What a person confirms was shown
    to them a moment ago.
    """
    if check_round.confirmed or not reruns_every_check(loop):
        return ()
    checks = [c for c in loop.criteria if c.may_run and c.runs_command]
    if loop.room.status:
        return tuple(c.name for c in checks)
    ran = {*check_round.ran_before, *check_round.ran}  # the loop of an older version
    return tuple(c.name for c in checks if c.name not in ran)


def reruns_every_check(loop: Loop) -> bool:
    """Must every check run again at the end, because no clean checkout repeats it?"""
    return loop.room.status in ("", OFF, UNPREPARED)


def _ask_about_looks(draft: Draft, at: float) -> Directive:
    """Each further look would let the agent try until it fits, so a person decides."""
    from .disputing import ask_about_looks

    return ask_about_looks(draft, at)


def has_baseline(loop: Loop) -> bool:
    return bool(loop.baseline.tree_id or loop.baseline.protected_paths or loop.baseline.tools)


def handle_baseline_comparison(draft: Draft, signal: BaselineComparison) -> Directive:
    """Judge the comparison. It counts only in the round, and under the lease, that asked for it."""
    loop, check_round = draft.loop, draft.loop.check_round
    if not check_round or not _is_expected(loop, check_round, signal):
        why = "another round has begun, or the lease has moved"
        draft.record(ev.CheckResultDropped("comparison with the baseline", why))
        return Stop()
    if signal.tree_problem:
        return pause_for_tree(draft, check_round, signal.tree_problem, signal.at)
    if signal.tree != check_round.tree:
        # Another process writes files. Their new state may be as good, so the checks run once more.
        if check_round.after_write_race:
            return refute_claim(draft, (), TREE_MOVED_REASON, signal.at)
        return _restart_checks(draft, check_round, signal)
    if signal.raced_checks and not check_round.after_write_race:
        draft.record(ProofsVoided(signal.raced_checks, signal.written_files))
        return _restart_checks(draft, check_round, signal)
    measured = [c for c in loop.comparable_checks if c.proof and c.proof.is_run_on(signal.tree)]
    explained = signal.explained_tests
    compared = (*loop.criteria, *measured)
    worse = tuple(f for c in compared for f in worse_count_findings(c, explained))
    findings = (*worse, *_write_race_findings(signal), *signal.findings)[:MAX_FINDINGS]
    draft.record(BaselineCompared(signal.tree, findings, signal.kept_commit))
    return _next_part(draft, check_round, signal.at)


def _next_part(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    """Refute the claim, or start the next part of the final proof.

    What a replay may settle refutes the claim only after the replay.
    """
    run = _next_room_run(draft, check_round)
    high = open_findings(draft.loop, HIGH)
    if not high:
        return run or next_check_or_decide(draft, at)
    may_be_settled = all(finding.may_be_settled for finding in high)
    if may_be_settled and run is not None and run.kind != REVERT_RUN:
        return run
    return refute_claim(draft, (), _refutation_reason(draft.loop, high), at)


def _refutation_reason(loop: Loop, high: tuple[Finding, ...]) -> str:
    if all(finding.rule in WORSE_FAILURE_RULES for finding in high):
        return WORSE_REASON
    in_room = {finding.key for run in loop.room.runs for finding in run.findings}
    is_of_room = any(finding.key in in_room for finding in high)
    return ROOM_REASON if is_of_room else WEAKENED_REASON


def _next_room_run(draft: Draft, check_round: CheckRound) -> RunInRoom | None:
    """The next run of the final proof that this tree has not had; None when all are done."""
    loop = draft.loop
    if loop.room.status in ("", OFF, UNPREPARED):
        return None
    runs = {run.kind: run for run in loop.room.runs if run.tree == check_round.tree}
    if loop.room.status == PENDING:
        if runs:  # there was no time for the calibration, and there is none for the runs
            return None
        kind = CALIBRATION_RUN
        return RunInRoom(kind, check_round.number, loop.lease.fence, check_round.tree)
    if any(run.outcome == COULD_NOT_PREPARE for run in runs.values()):
        return None  # the other runs cannot be prepared either
    kind = next((kind for kind in RUN_ORDER if kind not in runs), "")
    if not kind or (kind == REVERT_RUN and loop.backlog):
        return None
    return RunInRoom(kind, check_round.number, loop.lease.fence, check_round.tree)


def handle_room_signal(draft: Draft, signal: RoomResult | CalibrationResult) -> Directive:
    """A run in the room has ended."""
    if isinstance(signal, CalibrationResult):
        return _handle_calibration(draft, signal)
    return _handle_room_result(draft, signal)


def _handle_room_result(draft: Draft, signal: RoomResult) -> Directive:
    """Record a run of the final proof: refute the claim, or start the next part of the proof."""
    loop = draft.loop
    check_round = loop.check_round
    if not check_round or not _is_expected(loop, check_round, signal):
        why = "another round has begun, or the lease has moved"
        draft.record(ev.CheckResultDropped(f"the {signal.run.kind} run", why))
        return Stop()
    if signal.run.new_packages and _may_ask_about_packages(loop):
        draft.record(ev.CheckRoundEnded())
        names = signal.run.new_packages
        return breakers.ask_person(draft, PACKAGES, packages_question(names), signal.at, names)
    draft.record(RoomRunEnded(signal.run))
    return _next_part(draft, check_round, signal.at)


def _may_ask_about_packages(loop: Loop) -> bool:
    """Does a person answer, who has not decided yet? A plan or a discovery loop works on."""
    is_attended = loop.gates_enabled and not loop.headless_run
    return is_attended and loop.policy == "spec" and not loop.room.packages_refused


def finish_proof(draft: Draft, runs: tuple[RoomRun, ...], at: float) -> None:
    """Record runs that were made after the end of the loop, and the verdict as it is now."""
    from ..verdict import verdict_of

    for run in runs:
        draft.record(RoomRunEnded(run))
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


def _handle_calibration(draft: Draft, signal: CalibrationResult) -> Directive:
    """Record the calibration once, and continue the final proof that waits for it."""
    if draft.loop.status not in ENDED and draft.loop.room.status == PENDING:
        record_calibration(draft, signal)
    check_round = draft.loop.check_round
    if not check_round or not _is_expected(draft.loop, check_round, signal):
        return Stop()
    return _next_part(draft, check_round, signal.at)


def _is_expected(
    loop: Loop,
    check_round: CheckRound,
    signal: BaselineComparison | RoomResult | CalibrationResult,
) -> bool:
    current = (check_round.number, loop.lease.fence)
    return loop.status == "running" and (signal.round, signal.fence) == current


def _restart_checks(draft: Draft, check_round: CheckRound, signal: BaselineComparison) -> Directive:
    again = restarted_round(check_round).but(tree=signal.tree, after_write_race=True)
    return start_check_round(draft, again, signal.at)


def _write_race_findings(signal: BaselineComparison) -> tuple[Finding, ...]:
    """Files were written again while a check ran: by the check itself or by another process."""
    if not signal.raced_checks:
        return ()
    finding = Finding(
        severity=MEDIUM,
        rule="written-during-check",
        file=", ".join(signal.raced_checks),
        after=signal.written_files,
    )
    return (finding,)


def refute_claim(draft: Draft, names: tuple[str, ...], why: str, at: float) -> Directive:
    """Take the claim back for this reason. The policy decides what follows."""
    if draft.loop.check_round:
        draft.record(ev.CheckRoundEnded())
    draft.record(ev.ClaimRefuted(names, why))
    return draft.policy.handle_refutation(draft, at)
