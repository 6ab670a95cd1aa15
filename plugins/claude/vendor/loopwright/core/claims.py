"""Claims: what the agent says it has done is recorded, never believed. Proof is another file's business."""

from __future__ import annotations

from . import events as ev
from . import wording
from .breakers import ask, pause
from .loop import ENDED, Taken
from .markers import claims_in
from .signals import Claimed, Claims, Directive, Stop

MOST_STEPS = 100


def spoken(draft: ev.Draft, text: str) -> Claims:
    """The claims in a message; where its block and our criteria disagree is remembered for the next prompt."""
    claims = claims_in(text)
    ours, theirs = {c.name for c in draft.loop.criteria}, {claim.name for claim in claims.met}
    mismatch = tuple(sorted(ours ^ theirs)) if theirs else ()
    if mismatch != draft.loop.mismatch:
        draft.say(ev.MismatchSeen(mismatch))
    return claims


def take(draft: ev.Draft, claims: Claims, at: float) -> Taken:
    """Record what is claimed. Saying the same again is no news."""
    known = {c.name: c for c in draft.loop.criteria}
    fresh = False
    for claim in claims.met:
        criterion = known.get(claim.name)
        if criterion and claim != criterion.claim and (claim.met or criterion.claim):
            draft.say(ev.ClaimMade(claim))
            fresh = True
    notes = ev.NotesTaken(claims.confidence, claims.points, claims.alternative, claims.risk)
    if notes != ev.NotesTaken():
        draft.say(notes)
    if claims.gate and claims.gate != draft.loop.workflow.recorded:
        draft.say(ev.GateRecorded(claims.gate))
        fresh = True
    step = _take_steps(draft, claims, at)
    if claims.exit and not draft.loop.backlog:  # a discovery loop has no exit to claim
        fresh = fresh or not draft.loop.exit_claimed
        draft.say(ev.DoneClaimed(draft.loop.tree, at))
    elif claims.exit is False and draft.loop.exit_claimed:
        draft.say(ev.DoneTakenBack("the agent says so"))
    names = tuple(claim.name for claim in claims.met if claim.met and claim.name in known)
    return Taken(names, step, bool(claims.exit) and not draft.loop.backlog, fresh or bool(step))


def _take_steps(draft: ev.Draft, claims: Claims, at: float) -> str:
    finished = ""
    for step in claims.steps:
        have = {s.name: s for s in draft.loop.steps}
        if step.name not in have and len(have) < MOST_STEPS:
            draft.say(ev.StepAdded(step.name))
            have = {s.name: s for s in draft.loop.steps}
        if step.done and step.name in have and not have[step.name].done:
            draft.say(ev.StepFinished(step.name, at, step.note))
            finished = step.name
    return finished


def honest_stop(draft: ev.Draft, claims: Claims, at: float) -> Directive | None:
    """The agent's own ways out: a broken must-not, blocked, a question to a person."""
    if claims.violated:
        return pause(draft, "forbidden", f"must not: {', '.join(claims.violated)}", at)
    if claims.blocked:
        return pause(draft, "blocked", f"the agent says it is blocked: {claims.blocked}", at)
    if claims.ask:
        return ask(draft, "ask", claims.ask, at)
    return None


def claimed(draft: ev.Draft, signal: Claimed) -> Directive:
    """`loop claim` or an edit of state.json. It waits for the next Stop, unless it is an honest way out."""
    if draft.loop.status in ENDED:
        return Stop()
    if signal.tampered:
        draft.say(ev.TamperingSeen(signal.tampered))
    if signal.corrected or signal.detailed or signal.extra:
        draft.say(ev.MirrorCorrected(signal.corrected, signal.detailed, signal.extra))
    if draft.loop.status == "running":
        taken = take(draft, signal.claims, signal.at)
        if pausing := honest_stop(draft, signal.claims, signal.at):
            return pausing
        if taken != Taken():
            draft.say(ev.ClaimsWaiting(taken))
    return Stop(say=wording.tampered(signal.tampered) if signal.tampered else "")
