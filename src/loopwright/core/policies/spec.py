"""The spec policy: a loop ends when every criterion is proven on the current tree and the agent has claimed the exit.

The order of the decision: ended, success (once what runs at the end only agrees: closing.py), assumption, all met without
exit signal, breakers, unmet.
What every policy does at a Stop is here too, below: in a file of its own it would be one more import at every Stop.
"""

from __future__ import annotations

import sys

from .. import breakers
from .. import events as ev
from ..loop import ENDED, CheckRound, Criterion, Loop
from ..prompts import phrases
from ..signals import Ask, Checked, Continue, Directive, RunCheck, Stop, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SLOW_SECONDS = 60.0  # a check that last took longer runs only when its criterion or the exit is claimed


def read_turn(draft: ev.Draft, turn: TurnOver, before: Loop) -> CheckRound | Directive:
    """The agent wants to stop. What does it claim? The round of checks that follows, or an end without one."""
    taken = draft.loop.pending_claims
    if phrases.STATUS_OPEN in turn.text or phrases.LOOP_COMPLETE in turn.text:
        from ..replies.claims import read_claims, record_claims, stop_for_agent

        claims = read_claims(draft, turn.text)
        taken = taken.merged_with(record_claims(draft, claims, turn.at))
        if pausing := stop_for_agent(draft, claims, turn.at):
            return pausing
    fresh = bool(turn.tool_calls or turn.tree != before.tree or taken.has_news)
    return CheckRound(draft.loop.rounds_started + 1, turn.tree, step=taken.step, is_active=fresh, claimed=taken.names)


def decide_after_checks(draft: ev.Draft, turn: CheckRound, at: float) -> Directive:
    """All that can be proven is proven or refuted: evaluate the turn first, then the limits."""
    refute_failed_claims(draft, turn)
    if turn.is_first_decision and not turn.confirmed:
        draft.record(ev.StreakCounted(breakers.count_progress(draft.loop, turn)))
    loop = draft.loop
    if not loop.unmet_criteria and not loop.assumed_criteria and loop.exit_claimed and loop.criteria:
        return finish_or_ask(draft, turn, at)
    if tripped := breakers.tripped(loop):
        return breakers.pause_loop(draft, *tripped, at)
    if turn.step and asks_person(loop) and loop.unmet_criteria:
        asked = breakers.ask_person(draft, "G2", phrases.g2_question(turn.step), at)
        return asked.but(message=f"{phrases.iteration_note(draft.loop, turn.step)}\n{asked.message}")
    draft.record(ev.TurnContinued())
    return Continue(phrases.continue_prompt(loop), phrases.iteration_note(loop, turn.step))


def finish_or_ask(draft: ev.Draft, turn: CheckRound, at: float) -> Directive:
    from .closing import run_final_proof

    if standing_in_the_way := run_final_proof(draft, turn, at):
        return standing_in_the_way
    if turn.confirmed or not asks_person(draft.loop):
        return finish_loop(draft, turn, at)
    return breakers.ask_person(draft, "G3", phrases.G3_QUESTION, at)


def handle_refutation(draft: ev.Draft, at: float) -> Directive:
    """The checks bear the claim out, and something else speaks against it."""
    if tripped := breakers.tripped(draft.loop):
        return breakers.pause_loop(draft, *tripped, at)
    draft.record(ev.TurnContinued())
    return Continue(phrases.continue_prompt(draft.loop), phrases.iteration_note(draft.loop, ""))


def asks_person(loop: Loop) -> bool:
    """Under a runner nobody is there to ask: a colleague works like a tool until a session has the loop again."""
    return loop.gates_enabled and loop.shape.name == "colleague" and not loop.headless_run


def refute_failed_claims(draft: ev.Draft, turn: CheckRound) -> None:
    """A failed check takes back the exit claim and that criterion's claim only."""
    loop = draft.loop
    false = tuple(
        c.name
        for c in loop.criteria
        if c.name in turn.ran and not loop.is_met(c) and ((c.claim and c.claim.met) or loop.exit_claimed)
    )
    if false:
        draft.record(ev.ClaimRefuted(false, "our own run of the check does not pass on this tree"))


def finish_loop(draft: ev.Draft, turn: CheckRound, at: float) -> Directive:
    from ..verdict import verdict_of

    if turn.confirmed:
        unseen = tuple(c.name for c in draft.loop.criteria if not (c.proof and c.proof.by == "loop"))
        draft.record(ev.CriteriaConfirmed(unseen, at))
        if draft.loop.findings:
            from ..findings import MEDIUM, FindingsAccepted, open_findings

            draft.record(FindingsAccepted(tuple(finding.key for finding in open_findings(draft.loop, MEDIUM))))
    verdict = verdict_of(draft.loop)
    draft.record(ev.LoopFinished(verdict, at))
    from ..prompts.announcements import completion_text

    return Stop("complete", completion_text(draft.loop), verdict)


# --- The frame, the same for every policy: who is heard, what a turn cost, and every check that is due, one at a time ---


def handle_turn_over(draft: ev.Draft, turn: TurnOver) -> Directive:
    """The agent wants to stop. May it?"""
    if draft.loop.status in ENDED or not turn.session:
        return Stop()
    if not acquire_lease(draft, turn.session, turn.pid, turn.at):
        return notify_foreign_session(draft, turn.session)
    loop = draft.loop
    if turn.runner_report and loop.status != "running":
        from ..runner.run import settle_turn_cost

        settle_turn_cost(draft, turn)
    if loop.gate:
        return Ask(loop.gate.question, phrases.question_text(loop))
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
            and not (turn.runner_report and (turn.runner_report.usage_limited or turn.runner_report.lost)),
            head=turn.head,
            kept_commit=turn.kept_commit,
        )
    )
    if draft.loop.pending_claims.exit:  # claimed since the last Stop: restated for this tree
        draft.record(ev.DoneClaimed(turn.tree, turn.at))
    elif loop.exit_claimed and turn.tree != loop.tree:
        draft.record(ev.DoneTakenBack("the tree has changed since"))
    if turn.runner_report:
        from ..runner.run import handle_runner_report as of_a_runner

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
    following = policy_of(loop).read_turn(draft, turn, loop)
    return start_check_round(draft, following, turn.at) if isinstance(following, CheckRound) else following


def acquire_lease(draft: ev.Draft, session: str, pid: int, at: float) -> bool:
    """Is this session the driver? A loop that nobody drives yet is bound to the first that stops or is prompted."""
    lease = draft.loop.lease
    if not lease.holder or (lease.holder == session and pid and not lease.pid):  # the client's pid: /clear is known by it
        draft.record(ev.LeaseTaken(at, session, pid))
    return draft.loop.lease.holder == session


def notify_foreign_session(draft: ev.Draft, session: str) -> Directive:
    """Another session in the folder is left alone; it is told once how to take over."""
    if session in draft.loop.foreign_sessions:
        return Stop()
    draft.record(ev.ForeignSessionSeen(session))
    return Stop(message=phrases.foreign_session_hint(session))


def start_check_round(draft: ev.Draft, turn: CheckRound, at: float) -> Directive:
    draft.record(ev.CheckRoundStarted(turn))
    return next_check_or_decide(draft, at)


def handle_checked(draft: ev.Draft, signal: Checked) -> Directive:
    """Evidence has come back. It counts only in the round, and under the lease, that asked for it."""
    loop, name = draft.loop, signal.evidence.criterion
    if loop.status != "running" or not loop.check_round or signal.round != loop.check_round.number:
        draft.record(ev.CheckResultDropped(name, "another round has begun"))
        return Stop()
    if signal.fence != loop.lease.fence:
        draft.record(ev.CheckResultDropped(name, "the lease has moved"))
        return Stop()
    evidence = signal.evidence
    if any(name == c.name for c in loop.must_not):  # turned round: exit 0 says that the constraint is broken
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


def next_check_or_decide(draft: ev.Draft, at: float) -> Directive:
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
                tree=turn.tree_now, second_pass=True, baseline_compared=False, baseline_recompared=False
            ),
            at,
        )
    for c in (*loop.criteria, *loop.must_not, *loop.final_checks):
        if c.name in turn.file_changing_checks and c.proof:
            words = f"{phrases.changed_files_reason(turn.changed_files)}\n{c.proof.detail}"
            spoiled = c.proof.but(passed=False, outcome="changes files", detail=words, tree=turn.tree)
            draft.record(ev.CheckRan(spoiled, turn.tree_now))
    draft.record(ev.CheckRoundEnded())
    broken = [c for c in draft.loop.must_not if c.proof and not c.proof.passed and c.proof.tree == draft.loop.tree]
    if broken:
        return breakers.pause_loop(draft, "must-not", phrases.must_not_reason(broken[0]), at)
    decided: Directive = policy_of(loop).decide_after_checks(draft, turn, at)
    return decided


def next_round(turn: CheckRound, round: int) -> CheckRound:
    """The same turn, one round of checks later."""
    return turn.but(number=round, ran=(), tree_now="", file_changing_checks=(), changed_files="")


def policy_of(loop: Loop) -> Any:
    """The module that decides for this kind of loop: it has `read_turn`, `decide_after_checks` and `handle_refutation`, as this one."""
    if loop.policy == "discovery":
        from . import discovery

        return discovery
    if loop.policy == "plan":
        from . import plan

        return plan
    return sys.modules[__name__]


def next_due_check(loop: Loop, turn: CheckRound) -> Criterion | None:
    """The quickest check whose evidence is void on this tree, or whose failure is claimed to be mended."""
    waiting = []
    last = loop.final_checks if turn.baseline_compared else ()
    for c in (*loop.criteria, *loop.must_not, *last):
        if not c.check or not c.check.allowed or (c.name in turn.ran and not has_retry_left(c, turn)):
            continue
        if turn.only_criteria is not None and c.name not in turn.only_criteria and c not in (*loop.must_not, *last):
            continue
        claimed = c.name in turn.claimed or loop.exit_claimed or loop.policy != "spec"  # no other waits for a claim
        holds_here = bool(c.proof and c.proof.by == "loop" and c.proof.tree == turn.tree and turn.tree)
        if holds_here and c.proof and (c.proof.passed or not claimed):
            continue
        seconds = c.proof.seconds if c.proof else 0.0
        if seconds <= SLOW_SECONDS or claimed or c in loop.must_not:
            waiting.append((c.check.origin == "review", seconds, c))  # a reviewer reads when all else holds
    return min(waiting, key=lambda found: found[:2])[2] if waiting else None


def has_retry_left(c: Criterion, turn: CheckRound) -> bool:
    """It has failed in this round, and has retries left."""
    retries = c.check.retries if c.check else 0
    return bool(retries >= turn.ran.count(c.name) and c.proof and not c.proof.passed and c.proof.tree == turn.tree)
