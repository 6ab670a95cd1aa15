"""What the events of rare_events.py change; `evolve.py` asks here."""

from __future__ import annotations

from . import rare_events as ev
from .clock import advance_clock, skip_time, stop_clock
from .criteria import Claim, Criterion, Evidence
from .loop import Lease, Loop, Pause, Step
from .record import Record
from .status import TRANSITIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_ERRORS, MAX_FOREIGN_SESSIONS = 20, 16
MAX_GUIDANCE = 2000  # characters
MAX_REFUSED_ORDERS = 3
# The counters that a resume sets back, by the breaker that had tripped.
REARMED: dict[str, dict[str, object]] = {
    "stuck": {"stuck": 0, "stuck_half": False},
    "same-error": {"same_error": 0, "error_signature": ""},
    "same-file": {"same_file": 0},
    "idle": {"idle": 0},
    "cap": {"toolless": 0, "held": 0},
    "transient": {"transient": 0},
    "trouble": {"blocking_error": ""},
}


def evolve_rare(loop: Loop, event: Record) -> Loop:
    return RARE_EVOLUTIONS[type(event).__name__](loop, event)


# --- Helpers ---


def _with_status(loop: Loop, status: str, **changes: object) -> Loop:
    allowed = (*TRANSITIONS[loop.status], loop.status)
    assert status in allowed, f"BUG: {loop.status} to {status}"
    return loop.but(status=status, **changes)


def _with_dialogue(loop: Loop, **changes: object) -> Loop:
    return loop.but(dialogue=loop.dialogue.but(**changes))


def _change_criteria(
    loop: Loop, names: tuple[str, ...], change: Callable[[Criterion], Criterion]
) -> Loop:
    return loop.but(criteria=tuple(change(c) if c.name in names else c for c in loop.criteria))


def _added_guidance(loop: Loop, text: str) -> str:
    return f"{loop.dialogue.guidance}\n{text}".strip()[-MAX_GUIDANCE:]


# --- Lease and session ---


def _apply_lease_taken(loop: Loop, e: ev.LeaseTaken) -> Loop:
    """The runner before may have died hours ago, so its last stretch is not counted."""
    if loop.headless_run:
        loop = _without_lanes(stop_clock(loop))
    same_client = e.holder == loop.lease.holder or (e.pid and e.pid == loop.lease.pid)
    if not same_client:  # the person gave the loop to another driver
        loop = _with_dialogue(loop, person_turn_since=0.0)
    return loop.but(lease=Lease(e.holder, e.pid, loop.lease.fence + 1), check_round=None)


def _apply_lease_released(loop: Loop, e: ev.LeaseReleased) -> Loop:
    """We cannot know when a killed runner stopped, so its last stretch is not counted."""
    if loop.headless_run:
        loop = _without_lanes(stop_clock(loop))
    else:
        loop = advance_clock(loop, e.at, running=False)
    return loop.but(lease=Lease("", 0, loop.lease.fence + 1), check_round=None)


def _without_lanes(loop: Loop) -> Loop:
    """Without the lanes of a runner that is gone: what they cost was settled before."""
    if loop.plan and loop.plan.lanes:
        return loop.but(plan=loop.plan.but(lanes=()))
    return loop


def _apply_session_ended(loop: Loop, e: ev.SessionEnded) -> Loop:
    loop = advance_clock(loop, e.at, running=False)
    return loop.but(lease=loop.lease.but(session_ended=True, ended_at=e.at))


def _apply_person_spoke(loop: Loop, e: ev.PersonSpoke) -> Loop:
    """A prompt ends a streak of talk. It does not change what a discovery loop counts as idle."""
    loop = advance_clock(loop, e.at, running=loop.status == "running" and not e.takes_turn)
    idle = loop.streak.idle if loop.backlog else 0
    loop = loop.but(
        streak=loop.streak.but(idle=idle, toolless=0),
        lease=loop.lease.but(session_ended=False, ended_at=0.0),
    )
    since = loop.dialogue.person_turn_since or e.at
    return _with_dialogue(
        loop,
        turn_continued=e.begins_turn,
        prompt_queued=False,
        person_turn_since=since if e.takes_turn else 0.0,
        prompt_id=e.prompt_id or loop.dialogue.prompt_id,
    )


def _apply_foreign_session_seen(loop: Loop, e: ev.ForeignSessionSeen) -> Loop:
    sessions = (*loop.dialogue.foreign_sessions, e.session)
    return _with_dialogue(loop, foreign_sessions=sessions[-MAX_FOREIGN_SESSIONS:])


# --- Turns and claims ---


def _apply_estimate_recorded(loop: Loop, e: ev.EstimateRecorded) -> Loop:
    stated = {field: value for field, value in e.__dict__.items() if value not in (None, "")}
    return loop.but(estimate=loop.estimate.but(**stated))


def _apply_done_claimed(loop: Loop, e: ev.DoneClaimed) -> Loop:
    """The exit claim restates every claim and binds it to this tree."""

    def bind(c: Criterion) -> Criterion:
        has_check = c.check and c.check.allowed
        confirmed = c.proof and c.proof.by == "person"
        if has_check or confirmed or not (c.claim and c.claim.met):
            return c
        return c.but(
            proof=Evidence(
                criterion=c.name,
                passed=True,
                kind=c.claim.kind,
                by="agent",
                detail=c.claim.evidence,
                tree=e.tree,
                at=e.at,
            )
        )

    return loop.but(
        exit_claimed=True,
        criteria=tuple(map(bind, loop.criteria)),
        pending_claims=loop.pending_claims.but(exit=False),
    )


def _apply_done_taken_back(loop: Loop, e: ev.DoneTakenBack) -> Loop:
    return loop.but(exit_claimed=False, pending_claims=loop.pending_claims.but(exit=False))


def _apply_claims_queued(loop: Loop, e: ev.ClaimsQueued) -> Loop:
    return loop.but(pending_claims=loop.pending_claims.merged_with(e.claims))


def _apply_claim_refuted(loop: Loop, e: ev.ClaimRefuted) -> Loop:
    loop = _change_criteria(loop, e.names, lambda c: c.but(claim=Claim(c.name, False)))
    loop = _with_dialogue(loop, refuted_claims=loop.dialogue.refuted_claims + 1)
    return loop.but(exit_claimed=False)


# --- Checks and criteria ---


def _apply_criteria_confirmed(loop: Loop, e: ev.CriteriaConfirmed) -> Loop:
    def confirm(c: Criterion) -> Criterion:
        kind = c.claim.kind if c.claim and c.claim.kind else "observation"
        return c.but(
            proof=Evidence(
                criterion=c.name, passed=True, kind=kind, by="person", tree=loop.tree, at=e.at
            )
        )

    return _change_criteria(loop, e.names, confirm)


def _apply_criteria_changed(loop: Loop, e: ev.CriteriaChanged) -> Loop:
    """A criterion with the same name and check keeps its proof and claim."""
    today = {c.name: c for c in loop.criteria}

    def merge(new: Criterion) -> Criterion:
        old = today.get(new.name)
        return old if old and old.check == new.check else new

    names = {c.name for c in e.criteria}
    return loop.but(
        criteria=tuple(map(merge, e.criteria)),
        unrequired_checks=tuple(c for c in loop.unrequired_checks if c.name not in names),
        exit_claimed=False,
        streak=loop.streak.but(stuck=0, stuck_half=False, unmet=()),
    )


def _apply_check_allowed(loop: Loop, e: ev.CheckAllowed) -> Loop:
    def change(c: Criterion) -> Criterion:
        if c.name != e.name:
            return c
        allowed = c.check and e.check and e.check.allowed
        keeps_proof = allowed and c.check and e.check and c.check.command == e.check.command
        return c.but(check=e.check, proof=c.proof if keeps_proof else None)

    return loop.but(
        criteria=tuple(map(change, loop.criteria)),
        must_not=tuple(map(change, loop.must_not)),
    )


# --- Questions, limits, mirror ---


def _apply_gate_opened(loop: Loop, e: ev.GateOpened) -> Loop:
    loop = advance_clock(loop, e.at, running=False)
    loop = _with_dialogue(loop, person_talked=False)
    return _with_status(loop, "asking", gate=e.gate, check_round=None)


def _apply_question_shown(loop: Loop, e: ev.QuestionShown) -> Loop:
    gate = loop.gate.but(unseen=False) if loop.gate else None
    return _with_dialogue(loop.but(gate=gate), prompt_id=e.prompt_id or loop.dialogue.prompt_id)


def _apply_gate_answered(loop: Loop, e: ev.GateAnswered) -> Loop:
    if e.gate == "finish":  # after a no, the agent gets as many turns again
        streak = loop.streak.but(stuck=0, stuck_half=False, idle=0, unclaimed=0)
        loop = loop.but(streak=streak)
    return _with_status(
        loop,
        "running",
        gate=None,
        clock=loop.clock.but(running_since=e.at),
        dialogue=loop.dialogue.but(guidance=_added_guidance(loop, e.guidance), person_talked=False),
        settings=loop.settings.but(keep_mirror=loop.settings.keep_mirror and not e.delete_mirror),
    )


def _apply_order_refused(loop: Loop, e: ev.OrderRefused) -> Loop:
    if not e.forged:
        return loop
    text = f"{e.order}: {e.why}"
    others = tuple(order for order in loop.dialogue.refused_orders if order != text)
    return _with_dialogue(loop, refused_orders=(*others, text)[-MAX_REFUSED_ORDERS:])


def _apply_person_talked(loop: Loop, e: ev.PersonTalked) -> Loop:
    return _with_dialogue(loop, person_talked=True, guidance=_added_guidance(loop, e.guidance))


def _apply_guidance_given(loop: Loop, e: ev.GuidanceGiven) -> Loop:
    return _with_dialogue(loop, guidance=_added_guidance(loop, e.text), prompt_queued=True)


def _apply_limits_raised(loop: Loop, e: ev.LimitsRaised) -> Loop:
    limits = loop.limits
    return loop.but(
        limits=limits.but(
            dollars=limits.dollars + e.dollars,
            iterations=limits.iterations + e.iterations,
            minutes=limits.minutes + e.minutes,
        )
    )


def _apply_error_seen(loop: Loop, e: ev.ErrorSeen) -> Loop:
    return _with_dialogue(loop, errors=(*loop.dialogue.errors, e.text)[-MAX_ERRORS:])


def _apply_mirror_corrected(loop: Loop, e: ev.MirrorCorrected) -> Loop:
    loop = _change_criteria(loop, e.detailed, lambda c: c.but(detailed=True))
    extra = e.extra_json or loop.settings.extra_json
    return loop.but(settings=loop.settings.but(extra_json=extra))


# --- Pause and end ---


def _apply_loop_paused(loop: Loop, e: ev.LoopPaused) -> Loop:
    loop = advance_clock(loop, e.at, running=False)
    loop = loop.but(paused_round=loop.check_round or loop.paused_round)
    return _with_status(loop, "paused", pause=Pause(e.cause, e.why), gate=None, check_round=None)


def _apply_loop_resumed(loop: Loop, e: ev.LoopResumed) -> Loop:
    """Only the counter that tripped is set back; spend and iterations never fall."""
    streak = loop.streak.but(**REARMED.get(e.rearmed_breaker, {}))
    if loop.run and e.rearmed_breaker == "limit":
        loop = loop.but(run=loop.run.but(waited_seconds=0.0))
    if loop.plan:
        loop = loop.but(plan=loop.plan.with_retries_reset(loop.pause.cause))
    loop = _with_dialogue(loop, person_turn_since=0.0)
    return _with_status(
        loop,
        "running",
        pause=Pause(),
        gate=None,
        clock=loop.clock.but(running_since=e.at),
        streak=streak,
        check_round=None,
    )


def _apply_loop_finished(loop: Loop, e: ev.LoopFinished) -> Loop:
    return _end(loop, "finished", e.at).but(verdict=e.verdict)


def _apply_loop_cancelled(loop: Loop, e: ev.LoopCancelled) -> Loop:
    loop = _end(loop, "cancelled", e.at)
    return loop.but(settings=loop.settings.but(keep_mirror=e.keep_mirror))


def _end(loop: Loop, status: str, at: float) -> Loop:
    loop = advance_clock(loop, at, running=False)
    clock = loop.clock.but(ended_at=at)
    return _with_status(loop, status, gate=None, check_round=None, clock=clock)


def _keep_loop(loop: Loop, event: Record) -> Loop:
    """For events that are only a record."""
    return loop


RARE_EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "LeaseTaken": _apply_lease_taken,
    "LeaseReleased": _apply_lease_released,
    "SessionEnded": _apply_session_ended,
    "PersonSpoke": _apply_person_spoke,
    "ContextCompacted": _keep_loop,
    "ProtocolNeeded": lambda loop, e: _with_dialogue(loop, protocol_due=True),
    "ProtocolSent": lambda loop, e: _with_dialogue(loop, protocol_due=False),
    "ForeignSessionSeen": _apply_foreign_session_seen,
    "TurnReleased": lambda loop, e: _with_dialogue(loop, turn_continued=False),
    "EstimateRecorded": _apply_estimate_recorded,
    "DoneClaimed": _apply_done_claimed,
    "DoneTakenBack": _apply_done_taken_back,
    "ClaimsQueued": _apply_claims_queued,
    "CriteriaMismatchSeen": lambda loop, e: _with_dialogue(loop, mismatched_criteria=e.names),
    "ClaimRefuted": _apply_claim_refuted,
    "CheckResultDropped": _keep_loop,
    "StepAdded": lambda loop, e: loop.but(steps=(*loop.steps, Step(e.name))),
    "StepZeroRecorded": lambda loop, e: loop.but(workflow=loop.workflow.but(step_zero_note=e.text)),
    "ErrorSeen": _apply_error_seen,
    "BreakerTripped": _keep_loop,
    "GateOpened": _apply_gate_opened,
    "QuestionShown": _apply_question_shown,
    "GateAnswered": _apply_gate_answered,
    "PersonTalked": _apply_person_talked,
    "GuidanceGiven": _apply_guidance_given,
    "PromptQueued": lambda loop, e: _with_dialogue(loop, prompt_queued=True),
    "GatesLifted": lambda loop, e: loop.but(gates_enabled=False),
    "ChecksWaived": lambda loop, e: loop.but(settings=loop.settings.but(unproven=True)),
    "CriteriaConfirmed": _apply_criteria_confirmed,
    "LimitsRaised": _apply_limits_raised,
    "CriteriaChanged": _apply_criteria_changed,
    "CheckAllowed": _apply_check_allowed,
    "TamperingSeen": _keep_loop,
    "MirrorCorrected": _apply_mirror_corrected,
    "MirrorRebuilt": _keep_loop,
    "OrderRefused": _apply_order_refused,
    "RefusalTold": lambda loop, e: _with_dialogue(loop, refused_orders=()),
    "TimeSkipped": lambda loop, e: skip_time(loop, e.seconds),
    "LoopPaused": _apply_loop_paused,
    "LoopResumed": _apply_loop_resumed,
    "LoopFinished": _apply_loop_finished,
    "LoopCancelled": _apply_loop_cancelled,
}
