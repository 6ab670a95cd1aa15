"""What every policy does at a Stop: the lease, the cost of the turn, and every check that is due, one at a time."""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..criteria import Criterion
from ..directives import Ask, Directive, RunCheck, Stop
from ..draft import Draft
from ..loop import CheckRound, Loop
from ..prompts import messages
from ..signals import Checked, TurnOver
from ..status import ENDED

SLOW_SECONDS = (
    60.0  # a check that last took longer runs only when its criterion or the exit is claimed
)


def handle_turn_over(draft: Draft, turn: TurnOver) -> Directive:
    """The agent wants to stop. May it?"""
    if draft.loop.status in ENDED or not turn.session:
        return Stop()
    if not acquire_lease(draft, turn.session, turn.pid, turn.at):
        return notify_foreign_session(draft, turn.session)
    loop = draft.loop
    if turn.runner_report and loop.status != "running":
        from .runner_report import settle_turn_cost

        settle_turn_cost(draft, turn)
    if loop.gate:
        return Ask(loop.gate.question, messages.question_text(loop))
    late = turn.api_failure and loop.lease.session_ended  # heard already, when the session ended
    if loop.status != "running" or turn.plan_mode or turn.busy or late:
        return Stop()
    draft.record(
        ev.TurnEnded(
            turn.at,
            turn.tree,
            turn.dollars,
            turn.cursors,
            turn.unpriced,
            turn.unread_bytes,
            counts_as_iteration=not turn.api_failure
            and not (
                turn.runner_report and (turn.runner_report.usage_limited or turn.runner_report.lost)
            ),
            head=turn.head,
            kept_commit=turn.kept_commit,
        )
    )
    if draft.loop.pending_claims.exit:  # claimed since the last Stop: restated for this tree
        draft.record(ev.DoneClaimed(turn.tree, turn.at))
    elif loop.exit_claimed and turn.tree != loop.tree:
        draft.record(ev.DoneTakenBack("the tree has changed since"))
    if turn.runner_report:
        from .runner_report import handle_runner_report as of_a_runner

        if otherwise := of_a_runner(draft, turn, loop):
            return otherwise
    streak = breakers.count_turn(draft.loop.streak, turn)
    if streak != draft.loop.streak:
        draft.record(ev.StreakCounted(streak))
        if streak.error_text and streak.error_text != loop.streak.error_text:
            draft.record(ev.ErrorSeen(streak.error_text))
    if turn.api_failure:  # the API failed: no iteration, no checks, and nobody there to hold
        tripped = breakers.tripped(draft.loop)
        return breakers.pause_loop(draft, *tripped, turn.at) if tripped else Stop()
    following = draft.policy.read_turn(draft, turn, loop)
    return (
        start_check_round(draft, following, turn.at)
        if isinstance(following, CheckRound)
        else following
    )


def acquire_lease(draft: Draft, session: str, pid: int, at: float) -> bool:
    """Is this session the driver? A loop that nobody drives yet is bound to the first that stops or is prompted."""
    lease = draft.loop.lease
    if not lease.holder or (
        lease.holder == session and pid and not lease.pid
    ):  # the client's pid: /clear is known by it
        draft.record(ev.LeaseTaken(at, session, pid))
    return draft.loop.lease.holder == session


def notify_foreign_session(draft: Draft, session: str) -> Directive:
    """Another session in the folder is left alone; it is told once how to take over."""
    if session in draft.loop.dialogue.foreign_sessions:
        return Stop()
    draft.record(ev.ForeignSessionSeen(session))
    return Stop(message=messages.foreign_session_hint(session))


def start_check_round(draft: Draft, turn: CheckRound, at: float) -> Directive:
    draft.record(ev.CheckRoundStarted(turn))
    return next_check_or_decide(draft, at)


def handle_checked(draft: Draft, signal: Checked) -> Directive:
    """Evidence has come back. It counts only in the round, and under the lease, that asked for it."""
    loop, name = draft.loop, signal.evidence.criterion
    if loop.status != "running" or not loop.check_round or signal.round != loop.check_round.number:
        draft.record(ev.CheckResultDropped(name, "another round has begun"))
        return Stop()
    if signal.fence != loop.lease.fence:
        draft.record(ev.CheckResultDropped(name, "the lease has moved"))
        return Stop()
    evidence = signal.evidence
    if any(
        name == c.name for c in loop.must_not
    ):  # turned round: exit 0 says that the constraint is broken
        evidence = evidence.but(passed=evidence.outcome == "exit" and evidence.code != 0)
    frozen = next((c.check.frozen for c in loop.criteria if c.name == name and c.check), ())
    if frozen and not evidence.passed:
        from ..findings import tolerate_known_failures

        evidence = tolerate_known_failures(evidence, frozen)
    asked, now = loop.check_round.tree, loop.check_round.tree_now or loop.check_round.tree
    if evidence.passed and (
        signal.tree != now or (now != asked and not loop.check_round.second_pass)
    ):  # nobody knows which tree it proves
        evidence = evidence.but(tree="")
    draft.record(ev.CheckRan(evidence, signal.tree, signal.changed_files))
    return next_check_or_decide(draft, signal.at)


def next_check_or_decide(draft: Draft, at: float) -> Directive:
    """One check at a time, so that a cancel is heard between two; when none is due, the decision."""
    loop = draft.loop
    turn = loop.check_round
    assert turn is not None, "BUG: a check is asked for outside a round"
    if criterion := next_due_check(loop, turn):
        assert criterion.check is not None
        return RunCheck(criterion.check, criterion.name, turn.number, loop.lease.fence, turn.tree)
    if turn.file_changing_checks and not turn.second_pass:
        return start_check_round(
            draft,
            next_round(turn, turn.number + 1).but(
                tree=turn.tree_now,
                second_pass=True,
                baseline_compared=False,
                baseline_recompared=False,
            ),
            at,
        )
    for c in (*loop.criteria, *loop.must_not, *loop.final_checks):
        if c.name in turn.file_changing_checks and c.proof:
            words = f"{messages.changed_files_reason(turn.changed_files)}\n{c.proof.detail}"
            spoiled = c.proof.but(
                passed=False, outcome="changes files", detail=words, tree=turn.tree
            )
            draft.record(ev.CheckRan(spoiled, turn.tree_now))
    draft.record(ev.CheckRoundEnded())
    broken = [
        c
        for c in draft.loop.must_not
        if c.proof and not c.proof.passed and c.proof.tree == draft.loop.tree
    ]
    if broken:
        return breakers.pause_loop(draft, "must-not", messages.must_not_reason(broken[0]), at)
    return draft.policy.decide_after_checks(draft, turn, at)


def next_round(turn: CheckRound, round: int) -> CheckRound:
    """The same turn, one round of checks later."""
    return turn.but(number=round, ran=(), tree_now="", file_changing_checks=(), changed_files="")


def next_due_check(loop: Loop, turn: CheckRound) -> Criterion | None:
    """The quickest check whose evidence is void on this tree, or whose failure is claimed to be mended."""
    waiting = []
    last = loop.final_checks if turn.baseline_compared else ()
    for c in (*loop.criteria, *loop.must_not, *last):
        if (
            not c.check
            or not c.check.allowed
            or (c.name in turn.ran and not has_retry_left(c, turn))
        ):
            continue
        if (
            turn.only_criteria is not None
            and c.name not in turn.only_criteria
            and c not in (*loop.must_not, *last)
        ):
            continue
        claimed = (
            c.name in turn.claimed or loop.exit_claimed or loop.policy != "spec"
        )  # no other waits for a claim
        holds_here = bool(
            c.proof and c.proof.by == "loop" and c.proof.tree == turn.tree and turn.tree
        )
        if holds_here and c.proof and (c.proof.passed or not claimed):
            continue
        seconds = c.proof.seconds if c.proof else 0.0
        if seconds <= SLOW_SECONDS or claimed or c in loop.must_not:
            waiting.append(
                (c.check.origin == "review", seconds, c)
            )  # a reviewer reads when all else holds
    return min(waiting, key=lambda found: found[:2])[2] if waiting else None


def has_retry_left(c: Criterion, turn: CheckRound) -> bool:
    """It has failed in this round, and has retries left."""
    retries = c.check.retries if c.check else 0
    return bool(
        retries >= turn.ran.count(c.name)
        and c.proof
        and not c.proof.passed
        and c.proof.tree == turn.tree
    )
