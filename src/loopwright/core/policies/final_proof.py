"""The final proof, once every check supports the claim.

Loopwright compares the tree with the baseline to find what became easier to prove. Then the checks
run in a clean checkout, and the held-out checks and the reviewer after them. The last act is to
hash the files again. Whatever refutes the claim goes back to the agent.
"""

from __future__ import annotations

from .. import events as ev
from ..directives import CompareWithBaseline, Directive, HashTree, RunInCleanCheckout, Stop
from ..draft import Draft
from ..findings import HIGH, MAX_FINDINGS, MEDIUM, WORSE_FAILURE_RULES, Finding
from ..loop import Loop, open_findings
from ..pausing import breakers
from ..prompts.clean_checkout import packages_question, start_note
from ..proof.clean_checkout import PENDING, REVERT_RUN, has_made_all
from ..proof.events import BaselineCompared, ProofsVoided
from ..proof.state import CheckRound
from ..proof.tool_counts import worse_count_findings
from ..signals import (
    BaselineComparison,
    CalibrationResult,
    CleanCheckoutResult,
    StrengthResult,
    TreeHashed,
)
from ..status import ENDED
from .check_rounds import (
    comparable_checks,
    next_round,
    pause_for_tree,
    restarted_round,
    start_check_round,
)
from .clean_checkout_runs import (
    checks_to_rerun,
    next_clean_checkout_run,
    record_calibration,
    record_clean_checkout_run,
    run_of_kind,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    ResultOfProof = (
        BaselineComparison | TreeHashed | CleanCheckoutResult | StrengthResult | CalibrationResult
    )

PACKAGES = "packages"  # the gate about packages that the agent added
CLEAN_CHECKOUT_REASON = "it does not hold in a clean checkout"
WEAKENED_REASON = "it became easier to prove since the start"
WORSE_REASON = "a check of the repository became worse since the start"
FINAL_CHECKS_REASON = "what runs at the end only does not agree"
THIN_REASON = "no check notices if parts of the work are taken away"
RESULT_WORDS = {
    "BaselineComparison": "comparison with the baseline",
    "TreeHashed": "the last hash of the files",
    "StrengthResult": "the strength of the checks",
}
TREE_MOVED_REASON = "the files changed after the checks ran"


def run_final_proof(draft: Draft, check_round: CheckRound, at: float) -> Directive | None:
    """The next part of the final proof; None: everything supports the claim.

    What has been shown is read from results only, so a proof that was cut off continues here.
    """
    loop = draft.loop
    if loop.exhausted_checks and not check_round.last_checks:
        from .disputes import ask_about_looks

        return ask_about_looks(draft, at)  # they do not answer before a person has decided
    following = next_round(check_round, loop.rounds_started + 1).but(baseline_compared=True)
    if has_baseline(loop):
        if not check_round.comparisons:
            return _compare(draft, following)
        run = next_clean_checkout_run(loop, following)
        if why := _refutation_reason(loop, run):
            return refute_claim(draft, (), why, at)
        if run:
            draft.record(ev.CheckRoundStarted(following))
            return run
    if not check_round.last_checks:
        rerun = checks_to_rerun(loop, check_round)
        if rerun or loop.final_checks or comparable_checks(loop):
            last = following.but(last_checks=True, rerun=rerun)
            return start_check_round(draft, last, at)
    if objection := _judge_final_checks(draft, following, at):
        return objection
    has_last_checks = bool(loop.final_checks or comparable_checks(loop))
    if has_last_checks and has_baseline(loop) and check_round.comparisons < 2:
        # The last checks took time: make sure that no file was written while they ran.
        return _compare(draft, following)
    if loop.settings.strength_mode and (directive := _judge_strength(draft, following, at)):
        return directive
    if not check_round.tree_confirmed:
        draft.record(ev.CheckRoundStarted(following))
        return HashTree(following.number, loop.lease.fence, following.tree)
    return None


def _judge_strength(draft: Draft, following: CheckRound, at: float) -> Directive | None:
    """Everything else holds: would the checks notice if a part of the work were taken away?"""
    from .strength import gives_back_thin_work, next_measurement

    if measurement := next_measurement(draft.loop, following):
        draft.record(ev.CheckRoundStarted(following))
        return measurement
    if gives_back_thin_work(draft, following):
        return refute_claim(draft, (), THIN_REASON, at)
    return None


def _compare(draft: Draft, following: CheckRound) -> Directive:
    draft.record(ev.CheckRoundStarted(following))
    return CompareWithBaseline(following.number, draft.loop.lease.fence, following.tree)


def _judge_final_checks(draft: Draft, following: CheckRound, at: float) -> Directive | None:
    """What follows from a held-out check or a review that does not pass; None: all of them do."""
    loop = draft.loop
    not_passed = [c for c in loop.final_checks if not c.passes_on(loop.tree)]
    for c in not_passed:
        if c.proof and c.proof.outcome == "missing":  # the agent cannot repair that
            why = f"{c.name} cannot be run: {c.proof.detail[:300]}"
            draft.record(ev.CheckRoundStarted(following))  # the next driver tries it again
            return breakers.pause_loop(draft, "last", why, at)
    left = loop.left_to_verdict
    not_passed = [c for c in not_passed if c.name not in left]
    names = tuple(c.name for c in not_passed)
    if not names:
        return None
    from .disputes import DISPUTE_CAUSE, ask_about_looks, ask_for_ruling

    if set(names) <= set(loop.disputed_criteria):
        return ask_for_ruling(draft, DISPUTE_CAUSE, names, at)
    if loop.exhausted_checks:
        # Each further look would let the agent try until it fits, so a person decides.
        draft.record(ev.ClaimRefuted(names, FINAL_CHECKS_REASON))
        return ask_about_looks(draft, at)
    return refute_claim(draft, names, FINAL_CHECKS_REASON, at)


def has_baseline(loop: Loop) -> bool:
    return bool(loop.baseline.tree_id or loop.baseline.protected_paths or loop.baseline.tools)


def handle_result(draft: Draft, signal: ResultOfProof) -> Directive:
    """Judge a part of the final proof.

    It counts only in the round, and under the lease, that asked for it.
    """
    loop, check_round = draft.loop, draft.loop.check_round
    if isinstance(signal, CalibrationResult):
        _take_calibration(draft, signal)
    is_awaited = loop.status == "running" and signal.fence == loop.lease.fence
    if not check_round or not is_awaited or signal.round != check_round.number:
        return _drop_result(draft, signal)
    if isinstance(signal, BaselineComparison | TreeHashed):
        if signal.tree_problem:
            return pause_for_tree(draft, check_round, signal.tree_problem, signal.at)
        if signal.tree != check_round.tree:
            return _restart_or_refute(draft, check_round, signal)
    match signal:
        case BaselineComparison():
            return _handle_baseline_comparison(draft, check_round, signal)
        case TreeHashed():  # the last act: the files are still as they were
            return _decide_again(draft, check_round.but(tree_confirmed=True), signal.at)
        case CleanCheckoutResult():
            return _handle_clean_checkout_result(draft, signal)
        case StrengthResult():
            from .strength import record_strength

            record_strength(draft, signal)
    return _next_part(draft, signal.at)


def _drop_result(draft: Draft, signal: ResultOfProof) -> Directive:
    if isinstance(signal, CalibrationResult):  # after `loop allow`; else no one reads it
        return Stop(message=start_note(draft.loop))
    what = RESULT_WORDS.get(type(signal).__name__, "")
    if isinstance(signal, CleanCheckoutResult):
        what = f"the {signal.run.kind} run"
    draft.record(ev.CheckResultDropped(what, "another round has begun, or the lease has moved"))
    return Stop()


def _handle_baseline_comparison(
    draft: Draft, check_round: CheckRound, signal: BaselineComparison
) -> Directive:
    loop = draft.loop
    if signal.raced_checks and not check_round.after_write_race:
        draft.record(ProofsVoided(signal.raced_checks, signal.written_files))
        return _restart_checks(draft, check_round, signal)
    measured = [c for c in comparable_checks(loop) if c.proof and c.proof.is_run_on(signal.tree)]
    explained = signal.explained_tests
    compared = (*loop.criteria, *measured)
    worse = tuple(f for c in compared for f in worse_count_findings(c, explained))
    findings = (*worse, *_write_race_findings(signal), *signal.findings)[:MAX_FINDINGS]
    draft.record(BaselineCompared(signal.tree, findings, signal.kept_commit, signal.change))
    return _next_part(draft, signal.at)


def _next_part(draft: Draft, at: float) -> Directive:
    """A result has arrived: refute the claim, or start the next part of the final proof."""
    loop, check_round = draft.loop, draft.loop.check_round
    assert check_round is not None, "BUG: a result belongs to a round"
    run = next_clean_checkout_run(loop, check_round)
    if why := _refutation_reason(loop, run):
        return refute_claim(draft, (), why, at)
    return run or _decide_again(draft, check_round, at)


def _decide_again(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    """End the round of this part of the proof; the policy asks for the next part, or finishes."""
    draft.record(ev.CheckRoundEnded())
    return draft.policy.decide_after_checks(draft, check_round, at)


def _refutation_reason(loop: Loop, run: RunInCleanCheckout | None) -> str:
    """Why the claim is refuted; "" if nothing refutes it, or if the next run may change that."""
    high = open_findings(loop, HIGH)
    if run:
        # The findings of a run that is made again are not final.
        earlier = run_of_kind(loop, run.kind, run.tree)
        high = tuple(f for f in high if not earlier or f not in earlier.findings)
        if run.kind != REVERT_RUN and all(finding.may_be_settled for finding in high):
            return ""
    if not high:
        return ""
    if all(finding.rule in WORSE_FAILURE_RULES for finding in high):
        return WORSE_REASON
    return CLEAN_CHECKOUT_REASON if has_made_all(loop.room.runs, high) else WEAKENED_REASON


def _handle_clean_checkout_result(draft: Draft, signal: CleanCheckoutResult) -> Directive:
    """Record a run of the final proof: refute the claim, or start the next part of the proof."""
    if signal.run.new_packages and _may_ask_about_packages(draft.loop):
        draft.record(ev.CheckRoundEnded())
        names = signal.run.new_packages
        return breakers.ask_person(draft, PACKAGES, packages_question(names), signal.at, names)
    record_clean_checkout_run(draft, signal.run)
    return _next_part(draft, signal.at)


def _may_ask_about_packages(loop: Loop) -> bool:
    """Does a person answer, who has not decided yet? A plan or a discovery loop works on."""
    is_attended = loop.gates_enabled and not loop.headless_run
    return is_attended and loop.policy == "spec" and not loop.room.packages_refused


def _take_calibration(draft: Draft, signal: CalibrationResult) -> None:
    """Record it once."""
    is_awaited = draft.loop.status not in ENDED and draft.loop.room.status == PENDING
    if is_awaited and _has_every_check(draft.loop, signal):
        record_calibration(draft, signal)


def _has_every_check(loop: Loop, result: CalibrationResult) -> bool:
    """Has no check been allowed and measured since this calibration began?"""
    measured = {c.name for c in loop.criteria if c.may_run and c.guard is not None}
    return not result.checks or measured.issubset(check.criterion for check in result.checks)


def _restart_or_refute(
    draft: Draft, check_round: CheckRound, signal: BaselineComparison | TreeHashed
) -> Directive:
    """Another process writes files. Their new state may be as good, so all runs once more."""
    if check_round.after_write_race:
        return refute_claim(draft, (), TREE_MOVED_REASON, signal.at)
    return _restart_checks(draft, check_round, signal)


def _restart_checks(
    draft: Draft, check_round: CheckRound, signal: BaselineComparison | TreeHashed
) -> Directive:
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
