"""A round of checks: what is due, what a result means, and rounds that were cut off."""

from __future__ import annotations

from .. import events as ev
from ..criteria import Criterion, Evidence, PendingClaims
from ..directives import Directive, RunCheck, Stop
from ..draft import Draft
from ..loop import Loop
from ..pausing import breakers
from ..prompts import messages
from ..proof.state import CheckRound
from ..signals import Checked

# A check that took longer runs only when its criterion or the exit is claimed.
SLOW_SECONDS = 60.0


def start_check_round(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    draft.record(ev.CheckRoundStarted(check_round))
    return next_check_or_decide(draft, at)


def handle_checked(draft: Draft, signal: Checked) -> Directive:
    """Record evidence. It counts only in the round, and under the lease, that asked for it."""
    loop, name = draft.loop, signal.evidence.criterion
    check_round = loop.check_round
    if loop.status != "running" or not check_round or signal.round != check_round.number:
        draft.record(ev.CheckResultDropped(name, "another round has begun"))
        return Stop()
    if signal.fence != loop.lease.fence:
        draft.record(ev.CheckResultDropped(name, "the lease has moved"))
        return Stop()
    if signal.tree_problem:
        draft.record(ev.CheckResultDropped(name, "the tree cannot be determined"))
        return pause_for_tree(draft, check_round, signal.tree_problem, signal.at)
    evidence = _count_runs(loop, check_round, _interpret_result(loop, signal.evidence))
    tree_now = check_round.tree_now or check_round.tree
    changed_itself = signal.tree != tree_now
    changed_before = tree_now != check_round.tree and not check_round.second_pass
    if evidence.passed and (changed_itself or changed_before):
        evidence = evidence.but(tree="")  # we cannot know which tree it proves
    draft.record(ev.CheckRan(evidence, signal.tree, signal.changed_files))
    if any(name == c.name for c in loop.final_checks):
        _count_look(draft, name)
    return next_check_or_decide(draft, signal.at)


def _count_look(draft: Draft, name: str) -> None:
    """A final check has answered. Counted with the answer, so that no kill gives a free look."""
    from ..proof.dispute_events import FinalChecksAnswered

    check_round = draft.loop.check_round
    assert check_round is not None, "BUG: its check has just run in a round"
    c = next(c for c in draft.loop.final_checks if c.name == name)
    is_missing = bool(c.proof and c.proof.outcome == "missing")
    if c.is_independent and c.passes_on(check_round.tree):
        return  # only what the worker hears of it counts
    if not is_missing and not has_retry_left(c, check_round):
        draft.record(FinalChecksAnswered((name,)))


def _interpret_result(loop: Loop, evidence: Evidence) -> Evidence:
    """The evidence with must-nots inverted and failures of the baseline tolerated."""
    name = evidence.criterion
    if any(name == c.name for c in loop.must_not):
        # Exit 0 of a must-not means that it is broken.
        evidence = evidence.but(passed=evidence.outcome == "exit" and evidence.code != 0)
    frozen = next((c.check.frozen for c in loop.criteria if c.name == name and c.check), ())
    if frozen and not evidence.passed:
        from ..proof.tool_counts import tolerate_known_failures

        return tolerate_known_failures(evidence, frozen)
    return evidence


def _count_runs(loop: Loop, check_round: CheckRound, evidence: Evidence) -> Evidence:
    """With retries, more than half of the runs of this round must pass: one pass is luck."""
    checked = (*loop.criteria, *loop.must_not, *loop.final_checks, *loop.unrequired_checks)
    c = next((c for c in checked if c.name == evidence.criterion), None)
    if not c or not c.check or not c.check.retries:
        return evidence
    earlier = c.proof if c.name in check_round.ran else None
    runs = (earlier.runs if earlier else 0) + 1
    passes = (earlier.passes if earlier else 0) + evidence.passed
    evidence = evidence.but(runs=runs, passes=passes)
    if not evidence.passed or 2 * passes > runs:
        return evidence
    reason = messages.too_few_passes_reason(passes, runs)
    return evidence.but(passed=False, outcome="flaky", detail=f"{reason}\n{evidence.detail}")


def next_check_or_decide(draft: Draft, at: float) -> Directive:
    """Run one check at a time, so that a cancel gets in between. If none is due, decide."""
    loop = draft.loop
    check_round = loop.check_round
    assert check_round is not None, "BUG: a check is asked for outside a round"
    if criterion := next_due_check(loop, check_round):
        assert criterion.check is not None
        return RunCheck(
            check=criterion.check,
            criterion=criterion.name,
            round=check_round.number,
            fence=loop.lease.fence,
            tree=check_round.tree,
        )
    if check_round.file_changing_checks and not check_round.second_pass:
        again = restarted_round(check_round).but(tree=check_round.tree_now, second_pass=True)
        return start_check_round(draft, again, at)
    _fail_file_changing_checks(draft, check_round)
    draft.record(ev.CheckRoundEnded())
    for c in draft.loop.must_not:
        if c.fails_on(draft.loop.tree):
            return breakers.pause_loop(draft, "must-not", messages.must_not_reason(c), at)
    if draft.loop.disputed_criteria:
        from .disputes import withdraw_disputes

        withdraw_disputes(draft)
    return draft.policy.decide_after_checks(draft, check_round, at)


def _fail_file_changing_checks(draft: Draft, check_round: CheckRound) -> None:
    """A check that still changes files in the second pass proves nothing, even if it passed."""
    loop = draft.loop
    for c in (*loop.criteria, *loop.must_not, *loop.final_checks, *loop.unrequired_checks):
        if c.name in check_round.file_changing_checks and c.proof:
            reason = messages.changed_files_reason(check_round.changed_files)
            failed = c.proof.but(
                passed=False,
                outcome="changes files",
                detail=f"{reason}\n{c.proof.detail}",
                tree=check_round.tree,
            )
            draft.record(ev.CheckRan(failed, check_round.tree_now))


def next_round(check_round: CheckRound, number: int) -> CheckRound:
    """A further round of checks about the same turn."""
    return check_round.but(
        number=number,
        ran=(),
        ran_before=tuple(dict.fromkeys((*check_round.ran_before, *check_round.ran))),
        tree_now="",
        file_changing_checks=(),
        changed_files="",
    )


def restarted_round(check_round: CheckRound) -> CheckRound:
    """The next round, whose final proof begins again: other files may be there now."""
    following = next_round(check_round, check_round.number + 1)
    return following.but(rerun=(), comparisons=0, room_runs=(), last_checks=False)


def next_due_check(loop: Loop, check_round: CheckRound) -> Criterion | None:
    """The quickest check that is due in this round."""
    only = check_round.only_criteria
    names = None if only is None else (*only, *check_round.rerun)
    covered = [c for c in loop.criteria if names is None or c.name in names]
    candidates = [*covered, *loop.must_not]
    if check_round.last_checks:
        exhausted = loop.exhausted_checks
        candidates += [c for c in loop.final_checks if c.name not in exhausted]
    if check_round.last_checks and check_round.comparisons < 2:
        candidates += comparable_checks(loop)
    due = [c for c in candidates if _is_due(loop, check_round, c)]
    return min(due, key=_check_order, default=None)


def comparable_checks(loop: Loop) -> tuple[Criterion, ...]:
    """The unrequired checks that printed counts at the start, so that we can see them worsen.

    The others do not run again: their result would decide nothing.
    """
    return tuple(c for c in loop.unrequired_checks if c.baseline_counts)


def _check_order(c: Criterion) -> tuple[bool, float]:
    """Quick checks first. A reviewer reads only when everything else holds."""
    is_review = bool(c.check and c.check.is_review)
    return is_review, c.proof.seconds if c.proof else 0.0


def _is_due(loop: Loop, check_round: CheckRound, c: Criterion) -> bool:
    """Has the check no evidence on this tree, or a failure that is claimed to be repaired?"""
    if not c.may_run:
        return False
    if c.name in check_round.ran and not has_retry_left(c, check_round):
        return False
    if c.name in check_round.rerun and c.name not in check_round.ran:
        return True
    # Only the spec policy waits for claims.
    claimed = c.name in check_round.claimed or loop.exit_claimed or loop.policy != "spec"
    proof, tree = c.proof, check_round.tree
    has_result = bool(proof and tree and proof.is_run_on(tree))
    if proof and has_result and (proof.passed or not claimed):
        return False
    is_quick = not proof or proof.seconds <= SLOW_SECONDS
    return is_quick or claimed or c in loop.must_not or c.name in loop.disputed_criteria


def has_retry_left(c: Criterion, check_round: CheckRound) -> bool:
    """Has it failed in this round with retries left?"""
    retries = c.check.retries if c.check else 0
    return retries >= check_round.ran.count(c.name) and c.fails_on(check_round.tree)


def finish_check_round(
    draft: Draft, unfinished: CheckRound, at: float, tree: str = ""
) -> Directive:
    """Finish a round that was cut off. Its results that are recorded count, on the same files.

    `tree` is that of the files now; "": not known.
    """
    if draft.loop.pending_claims.exit and tree:  # the tree of its Stop may not be known
        draft.record(ev.DoneClaimed(tree, at))
    if tree not in ("", unfinished.tree):
        again = restarted_round(unfinished).but(tree=tree)
    else:
        again = next_round(unfinished, draft.loop.rounds_started + 1)
        if unfinished.last_checks:  # each of these answers once for a claim, however often cut
            again = again.but(ran=unfinished.ran)
    return start_check_round(draft, again.but(second_pass=False), at)


def pause_for_tree(
    draft: Draft, following: CheckRound | Directive, problem: str, at: float
) -> Directive:
    """The tree cannot be determined: pause at once, and judge the claims later.

    `following` is the round that cannot run, or what the agent's own words have led to.
    """
    if not isinstance(following, CheckRound):
        return following.but(message=f"{following.message}\n[LOOP] {problem}".strip())
    if not draft.loop.check_round:  # so that the pause keeps it for the next driver
        draft.record(ev.CheckRoundStarted(following))
    _queue_claims(draft, following)
    return breakers.pause_loop(draft, "tree", problem, at)


def pause_for_fault(draft: Draft, problem: str, at: float) -> Directive:
    """The machine failed: pause, and judge the claims of the round that it cut off later."""
    if draft.loop.check_round:
        _queue_claims(draft, draft.loop.check_round)
    return breakers.pause_loop(draft, "disk", problem, at)


def _queue_claims(draft: Draft, check_round: CheckRound) -> None:
    claims = PendingClaims(
        names=check_round.claimed, step=check_round.step, exit=draft.loop.exit_claimed
    )
    if claims != PendingClaims():
        draft.record(ev.ClaimsQueued(claims.but(has_news=True)))


def prove_pending_claims(draft: Draft, tree: str, at: float) -> Directive:
    """Prove what was claimed before a fault of the machine, on the files as they are now."""
    pending = draft.loop.pending_claims
    draft.record(ev.DoneClaimed(tree, at))
    following = CheckRound(
        number=draft.loop.rounds_started + 1,
        tree=tree,
        step=pending.step,
        is_active=True,
        claimed=pending.names,
    )
    return start_check_round(draft, following, at)
