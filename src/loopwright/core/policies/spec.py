"""The spec policy: a loop ends when every criterion is proven on the current tree and the agent has claimed the exit.

The order of the decision: ended, success, assumption, all met without exit signal, breakers, unmet.
"""

from __future__ import annotations

from .. import breakers, wording
from .. import events as ev
from ..loop import Loop, Turn
from ..rounds import begin
from ..signals import Continue, Directive, Stop, TurnOver


def heard(draft: ev.Draft, turn: TurnOver, before: Loop) -> Directive:
    """The agent wants to stop. What does it claim?"""
    taken = draft.loop.waiting
    if wording.OPEN in turn.text or wording.COMPLETE in turn.text:
        from ..claims import honest_stop, spoken, take

        claims = spoken(draft, turn.text)
        taken = taken.and_then(take(draft, claims, turn.at))
        if pausing := honest_stop(draft, claims, turn.at):
            return pausing
    fresh = bool(turn.tools or turn.tree != before.tree or taken.fresh)
    number = draft.loop.rounds + 1
    return begin(draft, Turn(number, turn.tree, step=taken.step, fresh=fresh, claimed=taken.names), turn.at)


def decide(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    """All that can be proven is proven or refuted: evaluate the turn first, then the limits."""
    refute(draft, turn)
    if not turn.confirmed:
        draft.say(ev.StreakCounted(breakers.count_progress(draft.loop, turn)))
    loop = draft.loop
    success = not loop.unmet and not loop.assumed and loop.exit_claimed and loop.criteria
    if success and (turn.confirmed or not asks(loop)):
        return finish(draft, turn, at)
    if success:
        return breakers.ask(draft, "G3", wording.G3, at)
    if tripped := breakers.tripped(loop):
        return breakers.pause(draft, *tripped, at)
    if turn.step and asks(loop) and loop.unmet:
        asked = breakers.ask(draft, "G2", wording.g2(turn.step), at)
        return asked.but(say=f"{wording.note(draft.loop, turn.step)}\n{asked.say}")
    draft.say(ev.TurnContinued())
    return Continue(wording.go_on(loop), wording.note(loop, turn.step))


def asks(loop: Loop) -> bool:
    return loop.gates and loop.shape.name == "colleague"


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
    verdict = judge(draft.loop)
    draft.say(ev.LoopFinished(verdict, at))
    from ..announce import completed

    return Stop("complete", completed(draft.loop), verdict)
