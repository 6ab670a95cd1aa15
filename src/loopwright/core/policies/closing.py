"""Closing: every check bears the claim out. Before the word is spoken we look back to the start for what was made easier to
prove since; then the held-out checks run, and a reviewer reads. What speaks against the claim goes back to the agent.
"""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..loop import Loop, Turn
from ..ratchet import HIGH, MEDIUM, MOST_FINDINGS, Finding, LookedBack, ProofsVoided, counted_worse, standing
from ..signals import Compare, Compared, Directive, Stop
from .spec import anew, begin, next_check, policy_of

WEAKENED = "it became easier to prove since the start"
LAST = "what runs at the end only does not agree"
MOVED = "the tree, hashed anew from its content, is not the one that the checks ran on"


def close(draft: ev.Draft, turn: Turn, at: float) -> Directive | None:
    """What still stands between the loop and its end; None: nothing."""
    loop = draft.loop
    if not turn.looked and (looks_back(loop) or loop.last):
        following = anew(turn, loop.rounds + 1).but(looked=True)
        draft.say(ev.RoundBegan(following))
        if looks_back(loop):
            return Compare(following.round, loop.lease.fence, turn.tree)
        return next_check(draft, at)
    against = [c for c in loop.last if not (c.proof and c.proof.passed and c.proof.tree == loop.tree)]
    for c in against:
        if c.proof and c.proof.outcome == "missing":  # nothing that the agent could mend
            return breakers.pause(draft, "last", f"{c.name} cannot be run: {c.proof.detail[:300]}", at)
    if against:
        return refuse(draft, tuple(c.name for c in against), LAST, at)
    if loop.last and looks_back(loop) and not turn.still:
        draft.say(ev.RoundBegan(anew(turn, loop.rounds + 1).but(still=True)))
        return Compare(loop.rounds + 1, loop.lease.fence, turn.tree)
    return None


def looks_back(loop: Loop) -> bool:
    return bool(loop.base or loop.protect or loop.tools)


def compared(draft: ev.Draft, signal: Compared) -> Directive:
    """The look back has come. It counts only in the round, and under the lease, that asked for it."""
    loop, turn = draft.loop, draft.loop.turn
    if loop.status != "running" or not turn or (signal.round, signal.fence) != (turn.round, loop.lease.fence):
        draft.say(ev.CheckDropped("the look back", "another round has begun, or the lease has moved"))
        return Stop()
    if signal.tree != turn.tree:  # something writes beside us: what is there now may be as good
        if turn.again:
            return refuse(draft, (), MOVED, signal.at)
        return begin(draft, anew(turn, turn.round + 1).but(tree=signal.tree, looked=False, still=False, again=True), signal.at)
    if signal.touched and not turn.again:
        draft.say(ProofsVoided(signal.touched, signal.files))
        return begin(draft, anew(turn, turn.round + 1).but(looked=False, still=False, again=True), signal.at)
    worse = tuple(finding for c in loop.criteria for finding in counted_worse(c))
    found = (*worse, *_written(signal), *signal.findings)[:MOST_FINDINGS]
    draft.say(LookedBack(signal.tree, found, signal.kept))
    if standing(draft.loop, HIGH):
        return refuse(draft, (), WEAKENED, signal.at)
    return next_check(draft, signal.at)


def _written(signal: Compared) -> tuple[Finding, ...]:
    """It happened again: the check itself does it, or somebody beside it."""
    if not signal.touched:
        return ()
    return (Finding(MEDIUM, "files written while the check ran", ", ".join(signal.touched), after=signal.files),)


def refuse(draft: ev.Draft, names: tuple[str, ...], why: str, at: float) -> Directive:
    if draft.loop.turn:
        draft.say(ev.RoundEnded())
    draft.say(ev.ClaimRefuted(names, why))
    refused: Directive = policy_of(draft.loop).refused(draft, at)
    return refused
