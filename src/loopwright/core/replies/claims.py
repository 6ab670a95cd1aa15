"""Claims: record what the agent says it has done. Loopwright never takes a claim as proof."""

from __future__ import annotations

from .. import events as ev
from ..criteria import Claim, PendingClaims
from ..directives import Directive, Stop
from ..draft import Draft
from ..pausing.breakers import ask_person, pause_loop
from ..prompts import messages
from ..signals import Claimed, Claims
from ..status import ENDED
from .markers import claims_in

MAX_STEPS = 100


def read_claims(draft: Draft, text: str) -> Claims:
    """The claims in a message. The next prompt names criteria that only one side has."""
    claims = claims_in(text)
    ours = {c.name for c in draft.loop.criteria}
    theirs = {claim.name for claim in claims.criteria}
    differing = ours ^ theirs if theirs else set()
    if claims.disputes:
        from ..policies.disputes import unknown_disputes

        differing |= unknown_disputes(draft.loop, claims.disputes)
    mismatch = tuple(sorted(differing))
    if mismatch != draft.loop.dialogue.mismatched_criteria:
        draft.record(ev.CriteriaMismatchSeen(mismatch))
    return claims


def record_claims(draft: Draft, claims: Claims, at: float) -> PendingClaims:
    """Record the claims. A repeated claim is not news."""
    has_new_claims = _record_criterion_claims(draft, claims)
    _record_estimate(draft, claims)
    has_new_note = _record_step_zero(draft, claims.step_zero_note)
    step = _record_steps(draft, claims, at)
    has_new_exit = _record_exit(draft, claims, at)
    has_new_dispute = record_agent_disputes(draft, claims.disputes, at)
    has_new_test = _record_shown_demands(draft, claims.shows)
    ours = {c.name for c in draft.loop.criteria}
    met = [claim.name for claim in claims.criteria if claim.met]
    return PendingClaims(
        names=tuple(name for name in met if name in ours),
        step=step,
        exit=bool(claims.exit) and _has_exit(draft),
        has_news=any(
            (has_new_claims, has_new_note, has_new_exit, has_new_dispute, has_new_test, step)
        ),
    )


def record_agent_disputes(draft: Draft, disputes: tuple[str, ...], at: float) -> bool:
    """Record the checks that the agent calls wrong. Was anything new?"""
    if not disputes:
        return False
    from ..policies.disputes import record_disputes

    return record_disputes(draft, disputes, at)


def _record_shown_demands(draft: Draft, shows: tuple[str, ...]) -> bool:
    """Record what the agent names for the demands of the spec. Was anything new?"""
    if not shows or not draft.loop.demands:
        return False
    from ..policies.demands import record_named_tests

    return record_named_tests(draft, draft.loop.demands, shows)


def _record_criterion_claims(draft: Draft, claims: Claims) -> bool:
    """Record what is new about the criteria. Was anything?"""
    current = {c.name: c.claim for c in draft.loop.criteria}
    is_news = False
    for claim in claims.criteria:
        if claim.name not in current or claim == current[claim.name]:
            continue
        if claim.met or current[claim.name]:  # a first claim of false says nothing new
            draft.record(ev.ClaimMade(claim))
            is_news = True
    return is_news


def _record_estimate(draft: Draft, claims: Claims) -> None:
    numbers = (claims.confidence, claims.points)
    if numbers != (None, None) or claims.alternative or claims.risk:
        draft.record(ev.EstimateRecorded(*numbers, claims.alternative, claims.risk))


def _record_step_zero(draft: Draft, note: str) -> bool:
    is_news = bool(note) and note != draft.loop.workflow.step_zero_note
    if is_news:
        draft.record(ev.StepZeroRecorded(note))
    return is_news


def _record_exit(draft: Draft, claims: Claims, at: float) -> bool:
    was_claimed = draft.loop.exit_claimed
    if claims.exit and _has_exit(draft):
        _record_spec_claim(draft, claims)
        draft.record(ev.DoneClaimed(draft.loop.tree, at))
        return not was_claimed
    if claims.exit is False and was_claimed:
        draft.record(ev.DoneTakenBack("the agent says so"))
    return False


def _record_spec_claim(draft: Draft, claims: Claims) -> None:
    """Who claims the end says that the spec is satisfied, unless the same message names that."""
    named = {claim.name for claim in claims.criteria}
    for c in draft.loop.criteria:
        if c.stands_for_spec and not c.is_claimed and c.name not in named:
            draft.record(ev.ClaimMade(Claim(c.name, True)))


def _has_exit(draft: Draft) -> bool:
    """A discovery loop has no exit that an agent could claim."""
    return not draft.loop.backlog


def _record_steps(draft: Draft, claims: Claims, at: float) -> str:
    """Record new and finished steps, and return the last one that was finished."""
    finished = ""
    for step in claims.steps:
        names = {ours.name for ours in draft.loop.steps}
        if step.name not in names and len(names) < MAX_STEPS:
            draft.record(ev.StepAdded(step.name))
        remaining = {ours.name for ours in draft.loop.remaining_steps}
        if step.done and step.name in remaining:
            draft.record(ev.StepFinished(step.name, at, step.note))
            finished = step.name
    return finished


def stop_for_agent(
    draft: Draft, claims: Claims, at: float, in_turn: bool = False
) -> Directive | None:
    """The agent's own ways to stop: a broken must-not, blocked, a question to a person.

    `in_turn`: the agent still works, so the person sees the question later.
    """
    if claims.must_not:
        return pause_loop(draft, "must-not", f"must not: {', '.join(claims.must_not)}", at)
    if claims.blocked:
        return pause_loop(draft, "blocked", f"the agent says it is blocked: {claims.blocked}", at)
    if claims.ask:
        return ask_person(draft, "ask", claims.ask, at, unseen=in_turn)
    return None


def handle_claimed(draft: Draft, signal: Claimed) -> Directive:
    """Queue claims of `loop claim` or state.json for the next Stop, unless they stop the loop."""
    if draft.loop.status in ENDED:
        return Stop()
    if signal.tampered_fields:
        draft.record(ev.TamperingSeen(signal.tampered_fields))
    corrections = ev.MirrorCorrected(signal.corrected_fields, signal.detailed, signal.extra_json)
    if corrections != ev.MirrorCorrected():
        draft.record(corrections)
    if draft.loop.status == "running":
        claims = record_claims(draft, signal.claims, signal.at)
        if stop := stop_for_agent(draft, signal.claims, signal.at, in_turn=True):
            return stop
        if claims != PendingClaims():
            draft.record(ev.ClaimsQueued(claims))
    if signal.tampered_fields:
        return Stop(message=messages.state_tampering_notice(signal.tampered_fields))
    return Stop()
