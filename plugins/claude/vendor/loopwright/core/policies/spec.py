"""The spec policy: a loop ends when every criterion is proven on the current tree and the agent has claimed the exit.

The order of the decision: ended, success (once what runs at the end only agrees: closing.py), assumption, all met without
exit signal, breakers, unmet.
What every policy does at a Stop is here too, below: in a file of its own it would be one more import at every Stop.
"""

from __future__ import annotations

import sys

from .. import breakers, wording
from .. import events as ev
from ..loop import ENDED, Criterion, Loop, Turn
from ..signals import Ask, Checked, Continue, Directive, RunCheck, Stop, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SLOW = 60.0  # a check that last took longer runs only when its criterion or the exit is claimed


def heard(draft: ev.Draft, turn: TurnOver, before: Loop) -> Turn | Directive:
    """The agent wants to stop. What does it claim? The round of checks that follows, or an end without one."""
    taken = draft.loop.waiting
    if wording.OPEN in turn.text or wording.COMPLETE in turn.text:
        from ..claims import honest_stop, spoken, take

        claims = spoken(draft, turn.text)
        taken = taken.and_then(take(draft, claims, turn.at))
        if pausing := honest_stop(draft, claims, turn.at):
            return pausing
    fresh = bool(turn.tools or turn.tree != before.tree or taken.fresh)
    return Turn(draft.loop.rounds + 1, turn.tree, step=taken.step, fresh=fresh, claimed=taken.names)


def decide(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    """All that can be proven is proven or refuted: evaluate the turn first, then the limits."""
    refute(draft, turn)
    if turn.counts and not turn.confirmed:
        draft.say(ev.StreakCounted(breakers.count_progress(draft.loop, turn)))
    loop = draft.loop
    if not loop.unmet and not loop.assumed and loop.exit_claimed and loop.criteria:
        return succeed(draft, turn, at)
    if tripped := breakers.tripped(loop):
        return breakers.pause(draft, *tripped, at)
    if turn.step and asks(loop) and loop.unmet:
        asked = breakers.ask(draft, "G2", wording.g2(turn.step), at)
        return asked.but(say=f"{wording.note(draft.loop, turn.step)}\n{asked.say}")
    draft.say(ev.TurnContinued())
    return Continue(wording.go_on(loop), wording.note(loop, turn.step))


def succeed(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    from .closing import close

    if standing_in_the_way := close(draft, turn, at):
        return standing_in_the_way
    if turn.confirmed or not asks(draft.loop):
        return finish(draft, turn, at)
    return breakers.ask(draft, "G3", wording.G3, at)


def refused(draft: ev.Draft, at: float) -> Directive:
    """The checks bear the claim out, and something else speaks against it."""
    if tripped := breakers.tripped(draft.loop):
        return breakers.pause(draft, *tripped, at)
    draft.say(ev.TurnContinued())
    return Continue(wording.go_on(draft.loop), wording.note(draft.loop, ""))


def asks(loop: Loop) -> bool:
    """Under a runner nobody is there to ask: a colleague works like a tool until a session has the loop again."""
    return loop.gates and loop.shape.name == "colleague" and not loop.headless


def refute(draft: ev.Draft, turn: Turn) -> None:
    """A failed check takes back the exit claim and that criterion's claim only."""
    loop = draft.loop
    false = tuple(
        c.name
        for c in loop.criteria
        if c.name in turn.ran and not loop.is_met(c) and ((c.claim and c.claim.met) or loop.exit_claimed)
    )
    if false:
        draft.say(ev.ClaimRefuted(false, "our own run of the check does not pass on this tree"))


def finish(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    from ..verdict import judge

    if turn.confirmed:
        unseen = tuple(c.name for c in draft.loop.criteria if not (c.proof and c.proof.by == "loop"))
        draft.say(ev.ProofGiven(unseen, at))
        if draft.loop.findings:
            from ..ratchet import MEDIUM, FindingsAccepted, standing

            draft.say(FindingsAccepted(tuple(finding.key for finding in standing(draft.loop, MEDIUM))))
    verdict = judge(draft.loop)
    draft.say(ev.LoopFinished(verdict, at))
    from ..announce import completed

    return Stop("complete", completed(draft.loop), verdict)


# --- The frame, the same for every policy: who is heard, what a turn cost, and every check that is due, one at a time ---


def turn_over(draft: ev.Draft, turn: TurnOver) -> Directive:
    """The agent wants to stop. May it?"""
    if draft.loop.status in ENDED or not turn.session:
        return Stop()
    if not holds(draft, turn.session, turn.pid, turn.at):
        return stranger(draft, turn.session)
    loop = draft.loop
    if turn.told and loop.status != "running":
        from ..running import settle

        settle(draft, turn)
    if loop.gate:
        return Ask(loop.gate.question, wording.asking(loop))
    late = turn.failure and loop.lease.ended  # heard already, when the session ended
    if loop.status != "running" or turn.planning or turn.busy or late:
        return Stop()
    draft.say(
        ev.TurnEnded(
            turn.at,
            turn.tree,
            turn.dollars,
            turn.cursors,
            turn.unpriced,
            turn.behind,
            counts=not turn.failure and not (turn.told and (turn.told.limited or turn.told.lost)),
            head=turn.head,
            kept=turn.kept,
        )
    )
    if draft.loop.waiting.exit:  # claimed since the last Stop: restated for this tree
        draft.say(ev.DoneClaimed(turn.tree, turn.at))
    elif loop.exit_claimed and turn.tree != loop.tree:
        draft.say(ev.DoneTakenBack("the tree has changed since"))
    if turn.told:
        from ..running import heard as of_a_runner

        if otherwise := of_a_runner(draft, turn, loop):
            return otherwise
    streak = breakers.count_turn(draft.loop.streak, turn)
    if streak != draft.loop.streak:
        draft.say(ev.StreakCounted(streak))
        if streak.error_text and streak.error_text != loop.streak.error_text:
            draft.say(ev.ErrorSeen(streak.error_text))
    if turn.failure:  # the API failed: no iteration, no checks, and nobody there to hold
        tripped = breakers.tripped(draft.loop)
        return breakers.pause(draft, *tripped, turn.at) if tripped else Stop()
    following = policy_of(loop).heard(draft, turn, loop)
    return begin(draft, following, turn.at) if isinstance(following, Turn) else following


def holds(draft: ev.Draft, session: str, pid: int, at: float) -> bool:
    """Is this session the driver? A loop that nobody drives yet is bound to the first that stops or is prompted."""
    lease = draft.loop.lease
    if not lease.holder or (lease.holder == session and pid and not lease.pid):  # the client's pid: /clear is known by it
        draft.say(ev.LeaseTaken(at, session, pid))
    return draft.loop.lease.holder == session


def stranger(draft: ev.Draft, session: str) -> Directive:
    """Another session in the folder is left alone; it is told once how to take over."""
    if session in draft.loop.strangers:
        return Stop()
    draft.say(ev.StrangerSeen(session))
    return Stop(say=wording.stranger(session))


def begin(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    draft.say(ev.RoundBegan(turn))
    return next_check(draft, at)


def checked(draft: ev.Draft, signal: Checked) -> Directive:
    """Evidence has come back. It counts only in the round, and under the lease, that asked for it."""
    loop, name = draft.loop, signal.evidence.criterion
    if loop.status != "running" or not loop.turn or signal.round != loop.turn.round:
        draft.say(ev.CheckDropped(name, "another round has begun"))
        return Stop()
    if signal.fence != loop.lease.fence:
        draft.say(ev.CheckDropped(name, "the lease has moved"))
        return Stop()
    evidence = signal.evidence
    if any(name == c.name for c in loop.forbidden):  # turned round: exit 0 says that the constraint is broken
        evidence = evidence.but(passed=evidence.outcome == "exit" and evidence.code != 0)
    frozen = next((c.check.frozen for c in loop.criteria if c.name == name and c.check), ())
    if frozen and not evidence.passed:
        from ..ratchet import no_worse

        evidence = no_worse(evidence, frozen)
    asked, now = loop.turn.tree, loop.turn.now or loop.turn.tree
    if evidence.passed and (signal.tree != now or (now != asked and not loop.turn.second)):  # nobody knows which tree it proves
        evidence = evidence.but(tree="")
    draft.say(ev.CheckRan(evidence, signal.tree, signal.moved))
    return next_check(draft, signal.at)


def next_check(draft: ev.Draft, at: float) -> Directive:
    """One check at a time, so that a cancel is heard between two; when none is due, the decision."""
    loop = draft.loop
    turn = loop.turn
    assert turn is not None, "BUG: a check is asked for outside a round"
    if criterion := due(loop, turn):
        assert criterion.check is not None
        return RunCheck(criterion.check, criterion.name, turn.round, loop.lease.fence, turn.tree)
    if turn.movers and not turn.second:
        return begin(draft, anew(turn, turn.round + 1).but(tree=turn.now, second=True, looked=False, still=False), at)
    for c in (*loop.criteria, *loop.forbidden, *loop.last):
        if c.name in turn.movers and c.proof:
            words = f"{wording.volatile(turn.moved)}\n{c.proof.detail}"
            spoiled = c.proof.but(passed=False, outcome="changes files", detail=words, tree=turn.tree)
            draft.say(ev.CheckRan(spoiled, turn.now))
    draft.say(ev.RoundEnded())
    broken = [c for c in draft.loop.forbidden if c.proof and not c.proof.passed and c.proof.tree == draft.loop.tree]
    if broken:
        return breakers.pause(draft, "forbidden", wording.broken(broken[0]), at)
    decided: Directive = policy_of(loop).decide(draft, turn, at)
    return decided


def anew(turn: Turn, round: int) -> Turn:
    """The same turn, one round of checks later."""
    return turn.but(round=round, ran=(), now="", movers=(), moved="")


def policy_of(loop: Loop) -> Any:
    """The module that decides for this kind of loop: it has `heard`, `decide` and `refused`, as this one."""
    if loop.policy == "discovery":
        from . import discovery

        return discovery
    if loop.policy == "plan":
        from . import plan

        return plan
    return sys.modules[__name__]


def due(loop: Loop, turn: Turn) -> Criterion | None:
    """The quickest check whose evidence is void on this tree, or whose failure is claimed to be mended."""
    waiting = []
    last = loop.last if turn.looked else ()
    for c in (*loop.criteria, *loop.forbidden, *last):
        if not c.check or not c.check.allowed or (c.name in turn.ran and not tried_again(c, turn)):
            continue
        if turn.only is not None and c.name not in turn.only and c not in (*loop.forbidden, *last):
            continue
        claimed = c.name in turn.claimed or loop.exit_claimed or loop.policy != "spec"  # no other waits for a claim
        holds_here = bool(c.proof and c.proof.by == "loop" and c.proof.tree == turn.tree and turn.tree)
        if holds_here and c.proof and (c.proof.passed or not claimed):
            continue
        seconds = c.proof.seconds if c.proof else 0.0
        if seconds <= SLOW or claimed or c in loop.forbidden:
            waiting.append((c.check.origin == "review", seconds, c))  # a reviewer reads when all else holds
    return min(waiting, key=lambda found: found[:2])[2] if waiting else None


def tried_again(c: Criterion, turn: Turn) -> bool:
    """It has failed in this round, and has retries left."""
    retries = c.check.retries if c.check else 0
    return bool(retries >= turn.ran.count(c.name) and c.proof and not c.proof.passed and c.proof.tree == turn.tree)
