"""evolve: what each event changes. It alone rebuilds a loop from its journal."""

from __future__ import annotations

from . import events as ev
from .clock import advance_clock
from .criteria import Claim, Criterion, Evidence
from .loop import Lease, Loop, PendingClaims, Step
from .record import KIND_MODULES, Record
from .status import TRANSITIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def evolve(loop: Loop, event: Record) -> Loop:
    """The loop after the event."""
    match KIND_MODULES.get(type(event).__name__):  # only what the event needs is imported
        case "discovery.events":
            from .discovery.events import evolve_backlog

            return evolve_backlog(loop, event)
        case "runner.events":
            from .runner.events import evolve_run

            return evolve_run(loop, event)
        case "plan.events":
            from .plan.events import evolve_plan

            return evolve_plan(loop, event)
        case "proof_events":
            from .proof_events import evolve_proof

            return evolve_proof(loop, event)
    return EVOLUTIONS[type(event).__name__](loop, event)


def _with_status(loop: Loop, status: str, **changes: object) -> Loop:
    assert status in TRANSITIONS[loop.status] or status == loop.status, f"BUG: {loop.status} to {status}"
    return loop.but(status=status, **changes)


def _change_criteria(loop: Loop, names: tuple[str, ...], change: Callable[[Criterion], Criterion]) -> Loop:
    return loop.but(criteria=tuple(change(c) if c.name in names else c for c in loop.criteria))


def _apply_turn_ended(loop: Loop, e: ev.TurnEnded) -> Loop:
    loop, spend = (
        advance_clock(loop, e.at, e.counts_as_iteration),
        loop.spend,
    )  # after an API failure nobody works until the next sign of life
    cursors = {c.file: c for c in (*spend.cursors, *e.cursors)}
    spend = loop.spend.but(
        iterations=spend.iterations + e.counts_as_iteration,
        dollars=spend.dollars + e.dollars,
        cursors=tuple(cursors.values())[-500:],
        unpriced=tuple(sorted({*spend.unpriced, *e.unpriced}))[:8],
        unread_bytes=e.unread_bytes,
    )
    guidance = loop.guidance if loop.prompt_queued or not e.counts_as_iteration else ""
    lease = loop.lease.but(session_ended=loop.lease.session_ended and not e.counts_as_iteration)
    waits = bool(loop.prompt_queued and loop.plan and loop.plan.lanes)  # another lane ends before the next one hears it
    return loop.but(
        spend=spend, tree=e.tree, head=e.head, guidance=guidance, prompt_queued=waits, turn_continued=False, lease=lease
    )


def _apply_lease_taken(loop: Loop, e: ev.LeaseTaken) -> Loop:
    """After a runner that may have died hours ago, the clock begins anew: nobody worked since its last event."""
    if loop.headless_run:
        loop = _without_lanes(loop).but(running_since=0.0)
    return loop.but(lease=Lease(e.holder, e.pid, loop.lease.fence + 1), check_round=None)


def _without_lanes(loop: Loop) -> Loop:
    """Those of a runner that is gone: what they cost was settled before."""
    return loop.but(plan=loop.plan.but(lanes=())) if loop.plan and loop.plan.lanes else loop


def _apply_lease_released(loop: Loop, e: ev.LeaseReleased) -> Loop:
    """Nobody works from now on; and nobody knows since when a runner that was killed does not."""
    loop = _without_lanes(loop).but(running_since=0.0) if loop.headless_run else advance_clock(loop, e.at, False)
    return loop.but(lease=Lease("", 0, loop.lease.fence + 1), check_round=None)


def _apply_person_spoke(loop: Loop, e: ev.PersonSpoke) -> Loop:
    """A word is a sign of life for an agent that only talked. What a discovery loop counts as idle it does not change."""
    idle = loop.streak.idle if loop.backlog else 0
    loop = advance_clock(loop, e.at, loop.status == "running").but(streak=loop.streak.but(idle=idle, toolless=0))
    return loop.but(turn_continued=False, prompt_queued=False, lease=loop.lease.but(session_ended=False))


def _apply_claim_made(loop: Loop, e: ev.ClaimMade) -> Loop:
    return _change_criteria(loop, (e.claim.name,), lambda c: c.but(claim=e.claim))


def _apply_done_claimed(loop: Loop, e: ev.DoneClaimed) -> Loop:
    """The exit restates every standing claim and binds it to this tree."""

    def bind(c: Criterion) -> Criterion:
        checked = c.check and c.check.allowed
        if checked or not (c.claim and c.claim.met) or (c.proof and c.proof.by == "person"):
            return c
        kind, words = c.claim.kind, c.claim.evidence
        return c.but(proof=Evidence(c.name, True, kind=kind, by="agent", detail=words, tree=e.tree, at=e.at))

    criteria = tuple(map(bind, loop.criteria))
    return loop.but(exit_claimed=True, criteria=criteria, pending_claims=loop.pending_claims.but(exit=False))


def _apply_claim_refuted(loop: Loop, e: ev.ClaimRefuted) -> Loop:
    loop = _change_criteria(loop, e.names, lambda c: c.but(claim=Claim(c.name, False)))
    return loop.but(exit_claimed=False, refuted_claims=loop.refuted_claims + 1)


def _apply_check_ran(loop: Loop, e: ev.CheckRan) -> Loop:
    name, turn = e.evidence.criterion, loop.check_round

    def prove(c: Criterion) -> Criterion:
        return c.but(proof=e.evidence, flaky=c.flaky or _is_flaky(c.proof, e.evidence)) if c.name == name else c

    if turn:
        moved = e.tree_after != (turn.tree_now or turn.tree)
        turn = turn.but(
            ran=(*turn.ran, name),
            tree_now=e.tree_after,
            file_changing_checks=(*turn.file_changing_checks, name) if moved else turn.file_changing_checks,
            changed_files=e.changed_files if moved else turn.changed_files,
        )
    criteria, forbidden, last = (tuple(map(prove, group)) for group in (loop.criteria, loop.must_not, loop.final_checks))
    return loop.but(criteria=criteria, must_not=forbidden, final_checks=last, check_round=turn)


def _is_flaky(before: Evidence | None, now: Evidence) -> bool:
    """Another result on the same tree. What could not be run before, or moved files itself, is another matter."""
    told = ("exit", "timeout")
    same = before and before.by == "loop" and now.tree and before.tree == now.tree
    return bool(same and before and before.passed != now.passed and before.outcome in told and now.outcome in told)


def _apply_step_finished(loop: Loop, e: ev.StepFinished) -> Loop:
    steps = tuple(s.but(done=True, note=e.note) if s.name == e.name else s for s in loop.steps)
    lately = (*loop.streak.recent_step_kinds, e.name.split(" ")[0].lower())[-3:]
    return loop.but(steps=steps, streak=loop.streak.but(recent_step_kinds=lately), checkpoint_at=e.at)


def _apply_gate_answered(loop: Loop, e: ev.GateAnswered) -> Loop:
    keep, said = loop.keep_mirror and not e.delete_mirror, f"{loop.guidance}\n{e.guidance}".strip()[-2000:]
    return _with_status(loop, "running", gate=None, running_since=e.at, guidance=said, keep_mirror=keep)


def _apply_criteria_confirmed(loop: Loop, e: ev.CriteriaConfirmed) -> Loop:
    def confirm(c: Criterion) -> Criterion:
        kind = c.claim.kind if c.claim and c.claim.kind else "observation"
        return c.but(proof=Evidence(c.name, True, kind=kind, by="person", tree=loop.tree, at=e.at))

    return _change_criteria(loop, e.names, confirm)


def _apply_criteria_changed(loop: Loop, e: ev.CriteriaChanged) -> Loop:
    known = {c.name: c for c in loop.criteria}
    kept = tuple(known[c.name] if c.name in known and known[c.name].check == c.check else c for c in e.criteria)
    return loop.but(criteria=kept, exit_claimed=False, streak=loop.streak.but(stuck=0, unmet=()))


def _apply_check_allowed(loop: Loop, e: ev.CheckAllowed) -> Loop:
    def change(c: Criterion) -> Criterion:
        if c.name != e.name:
            return c
        same = c.check and e.check and e.check.allowed and c.check.command == e.check.command
        return c.but(check=e.check, proof=c.proof if same else None)

    return loop.but(criteria=tuple(map(change, loop.criteria)), must_not=tuple(map(change, loop.must_not)))


def _apply_limits_raised(loop: Loop, e: ev.LimitsRaised) -> Loop:
    had = loop.limits
    raised = had.but(dollars=had.dollars + e.dollars, iterations=had.iterations + e.iterations, minutes=had.minutes + e.minutes)
    return loop.but(limits=raised)


def _apply_loop_resumed(loop: Loop, e: ev.LoopResumed) -> Loop:
    """Only the streak that tripped is re-armed; spend and iterations never fall."""
    nothing: dict[str, dict[str, object]] = {
        "stuck": {"stuck": 0},
        "same-error": {"same_error": 0, "error_signature": ""},
        "same-file": {"same_file": 0},
        "idle": {"idle": 0},
        "cap": {"toolless": 0},
        "transient": {"transient": 0},
        "trouble": {"blocking_error": ""},
    }
    streak = loop.streak.but(**nothing.get(e.rearmed_breaker, {}))
    if loop.run and e.rearmed_breaker == "limit":
        loop = loop.but(run=loop.run.but(waited_seconds=0.0))
    if loop.plan:
        loop = loop.but(plan=loop.plan.with_retries_reset(loop.cause))
    return _with_status(loop, "running", cause="", why="", gate=None, running_since=e.at, streak=streak, check_round=None)


def _apply_mirror_corrected(loop: Loop, e: ev.MirrorCorrected) -> Loop:
    loop = _change_criteria(loop, e.detailed, lambda c: c.but(detailed=True))
    return loop.but(extra_json=e.extra_json or loop.extra_json)


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "LoopStarted": lambda _, e: e.loop,
    "LeaseTaken": _apply_lease_taken,
    "LeaseReleased": _apply_lease_released,
    "SessionEnded": lambda loop, e: advance_clock(loop, e.at, False).but(lease=loop.lease.but(session_ended=True)),
    "PersonSpoke": _apply_person_spoke,
    "ContextCompacted": lambda loop, e: loop,
    "ForeignSessionSeen": lambda loop, e: loop.but(foreign_sessions=(*loop.foreign_sessions, e.session)[-16:]),
    "TurnEnded": _apply_turn_ended,
    "ClaimMade": _apply_claim_made,
    "EstimateRecorded": lambda loop, e: loop.but(**{k: v for k, v in e.__dict__.items() if v not in (None, "")}),
    "DoneClaimed": _apply_done_claimed,
    "DoneTakenBack": lambda loop, e: loop.but(exit_claimed=False, pending_claims=loop.pending_claims.but(exit=False)),
    "ClaimsQueued": lambda loop, e: loop.but(pending_claims=loop.pending_claims.merged_with(e.claims)),
    "CriteriaMismatchSeen": lambda loop, e: loop.but(mismatched_criteria=e.names),
    "ClaimRefuted": _apply_claim_refuted,
    "CheckRoundStarted": lambda loop, e: loop.but(
        check_round=e.check_round, rounds_started=e.check_round.number, tree=e.check_round.tree, pending_claims=PendingClaims()
    ),
    "CheckRoundEnded": lambda loop, e: loop.but(check_round=None),
    "CheckRan": _apply_check_ran,
    "CheckResultDropped": lambda loop, e: loop,
    "StepAdded": lambda loop, e: loop.but(steps=(*loop.steps, Step(e.name))),
    "StepFinished": _apply_step_finished,
    "StepZeroRecorded": lambda loop, e: loop.but(workflow=loop.workflow.but(step_zero_note=e.text)),
    "StreakCounted": lambda loop, e: loop.but(streak=e.streak),
    "ErrorSeen": lambda loop, e: loop.but(errors=(*loop.errors, e.text)[-20:]),
    "BreakerTripped": lambda loop, e: loop,
    "GateOpened": lambda loop, e: _with_status(advance_clock(loop, e.at, False), "asking", gate=e.gate, check_round=None),
    "GateAnswered": _apply_gate_answered,
    "GuidanceGiven": lambda loop, e: loop.but(guidance=f"{loop.guidance}\n{e.text}".strip()[-2000:], prompt_queued=True),
    "PromptQueued": lambda loop, e: loop.but(prompt_queued=True),
    "GatesLifted": lambda loop, e: loop.but(gates_enabled=False),
    "CriteriaConfirmed": _apply_criteria_confirmed,
    "LimitsRaised": _apply_limits_raised,
    "CriteriaChanged": _apply_criteria_changed,
    "CheckAllowed": _apply_check_allowed,
    "TamperingSeen": lambda loop, e: loop,
    "MirrorCorrected": _apply_mirror_corrected,
    "MirrorRebuilt": lambda loop, e: loop,
    "OrderRefused": lambda loop, e: loop,
    "TurnContinued": lambda loop, e: loop.but(turn_continued=True),
    "LoopPaused": lambda loop, e: _with_status(
        advance_clock(loop, e.at, False), "paused", cause=e.cause, why=e.why, gate=None, check_round=None
    ),
    "LoopResumed": _apply_loop_resumed,
    "LoopFinished": lambda loop, e: _with_status(
        advance_clock(loop, e.at, False), "finished", verdict=e.verdict, gate=None, check_round=None, ended_at=e.at
    ),
    "LoopCancelled": lambda loop, e: _with_status(
        advance_clock(loop, e.at, False), "cancelled", gate=None, check_round=None, ended_at=e.at, keep_mirror=e.keep_mirror
    ),
}
