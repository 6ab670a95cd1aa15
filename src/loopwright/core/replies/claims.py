"""Claims: what the agent says it has done is recorded, never believed. Proof is another file's business."""

from __future__ import annotations

from .. import events as ev
from ..breakers import ask_person, pause_loop
from ..directives import Directive, Stop
from ..draft import Draft
from ..loop import PendingClaims
from ..prompts import messages
from ..signals import Claimed, Claims
from ..status import ENDED
from .markers import claims_in

MAX_STEPS = 100


def read_claims(draft: Draft, text: str) -> Claims:
    """The claims in a message; where its block and our criteria disagree is remembered for the next prompt."""
    claims = claims_in(text)
    ours, theirs = {c.name for c in draft.loop.criteria}, {claim.name for claim in claims.criteria}
    mismatch = tuple(sorted(ours ^ theirs)) if theirs else ()
    if mismatch != draft.loop.dialogue.mismatched_criteria:
        draft.record(ev.CriteriaMismatchSeen(mismatch))
    return claims


def record_claims(draft: Draft, claims: Claims, at: float) -> PendingClaims:
    """Record what is claimed. Saying the same again is no news."""
    known = {c.name: c for c in draft.loop.criteria}
    fresh = False
    for claim in claims.criteria:
        criterion = known.get(claim.name)
        if criterion and claim != criterion.claim and (claim.met or criterion.claim):
            draft.record(ev.ClaimMade(claim))
            fresh = True
    notes = ev.EstimateRecorded(claims.confidence, claims.points, claims.alternative, claims.risk)
    if notes != ev.EstimateRecorded():
        draft.record(notes)
    if claims.step_zero_note and claims.step_zero_note != draft.loop.workflow.step_zero_note:
        draft.record(ev.StepZeroRecorded(claims.step_zero_note))
        fresh = True
    step = _record_steps(draft, claims, at)
    if claims.exit and not draft.loop.backlog:  # a discovery loop has no exit to claim
        fresh = fresh or not draft.loop.exit_claimed
        draft.record(ev.DoneClaimed(draft.loop.tree, at))
    elif claims.exit is False and draft.loop.exit_claimed:
        draft.record(ev.DoneTakenBack("the agent says so"))
    names = tuple(claim.name for claim in claims.criteria if claim.met and claim.name in known)
    return PendingClaims(
        names, step, bool(claims.exit) and not draft.loop.backlog, fresh or bool(step)
    )


def _record_steps(draft: Draft, claims: Claims, at: float) -> str:
    finished = ""
    for step in claims.steps:
        have = {s.name: s for s in draft.loop.steps}
        if step.name not in have and len(have) < MAX_STEPS:
            draft.record(ev.StepAdded(step.name))
            have = {s.name: s for s in draft.loop.steps}
        if step.done and step.name in have and not have[step.name].done:
            draft.record(ev.StepFinished(step.name, at, step.note))
            finished = step.name
    return finished


def stop_for_agent(draft: Draft, claims: Claims, at: float) -> Directive | None:
    """The agent's own ways out: a broken must-not, blocked, a question to a person."""
    if claims.must_not:
        return pause_loop(draft, "must-not", f"must not: {', '.join(claims.must_not)}", at)
    if claims.blocked:
        return pause_loop(draft, "blocked", f"the agent says it is blocked: {claims.blocked}", at)
    if claims.ask:
        return ask_person(draft, "ask", claims.ask, at)
    return None


def handle_claimed(draft: Draft, signal: Claimed) -> Directive:
    """`loop claim` or an edit of state.json. It waits for the next Stop, unless it is an honest way out."""
    if draft.loop.status in ENDED:
        return Stop()
    if signal.tampered_fields:
        draft.record(ev.TamperingSeen(signal.tampered_fields))
    if signal.corrected_fields or signal.detailed or signal.extra_json:
        draft.record(
            ev.MirrorCorrected(signal.corrected_fields, signal.detailed, signal.extra_json)
        )
    if draft.loop.status == "running":
        taken = record_claims(draft, signal.claims, signal.at)
        if pausing := stop_for_agent(draft, signal.claims, signal.at):
            return pausing
        if taken != PendingClaims():
            draft.record(ev.ClaimsQueued(taken))
    return Stop(
        message=messages.state_tampering_notice(signal.tampered_fields)
        if signal.tampered_fields
        else ""
    )
