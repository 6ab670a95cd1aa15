"""The engine. advance: a loop and what happened → the next loop, the events to remember, and what to tell the agent.

`evolve` alone rebuilds a loop from its journal: whatever changes a loop is an event.
"""

from __future__ import annotations

from . import events as ev
from .loop import TRANSITIONS, Claim, Criterion, Evidence, Lease, Loop, Step, Taken
from .record import LATER, Record
from .signals import (
    Began,
    Came,
    Checked,
    Claimed,
    Committed,
    Compared,
    Directive,
    Landed,
    Move,
    Signal,
    Stop,
    Tended,
    TurnOver,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def advance(loop: Loop, *signals: Signal) -> Move:
    """Everything that is decided here is decided from these values alone: no clock, no files, no chance."""
    draft = ev.Draft(loop, evolve)
    directive: Directive = Stop()
    for signal in signals:
        directive = _join(directive, hear(draft, signal))
    return Move(draft.loop, tuple(draft.events), directive)


def hear(draft: ev.Draft, signal: Signal) -> Directive:
    """One signal: what it makes happen, and what to tell the agent. (Only what the signal needs is imported.)"""
    if isinstance(signal, TurnOver | Checked):
        from .policies import spec

        return spec.turn_over(draft, signal) if isinstance(signal, TurnOver) else spec.checked(draft, signal)
    if isinstance(signal, Compared):
        from .policies.closing import compared

        return compared(draft, signal)
    if isinstance(signal, Claimed):
        from .claims import claimed

        return claimed(draft, signal)
    if isinstance(signal, Tended):
        from .policies.discovery import tended

        return tended(draft, signal)
    if isinstance(signal, Came | Began):
        from . import running

        return running.came(draft, signal) if isinstance(signal, Came) else running.began(draft, signal)
    if isinstance(signal, Landed | Committed):
        from .policies import plan

        return plan.landed(draft, signal) if isinstance(signal, Landed) else plan.committed(draft, signal)
    from . import orders

    return orders.hear(draft, signal)


def _join(first: Directive, then: Directive) -> Directive:
    """The later directive stands; what the earlier one had to say to the person is not lost."""
    return first if then == Stop() else then.but(say=f"{first.say}\n{then.say}".strip())


def evolve(loop: Loop, event: Record) -> Loop:
    """The loop after the event."""
    match LATER.get(type(event).__name__):
        case "backlog":
            from . import backlog

            return backlog.evolve(loop, event)
        case "running":
            from . import running

            return running.evolve(loop, event)
        case "planning":
            from . import planning

            return planning.evolve(loop, event)
        case "ratchet":
            from . import ratchet

            return ratchet.evolve(loop, event)
    return EVOLUTIONS[type(event).__name__](loop, event)


def _to(loop: Loop, status: str, **changes: object) -> Loop:
    assert status in TRANSITIONS[loop.status] or status == loop.status, f"BUG: {loop.status} to {status}"
    return loop.but(status=status, **changes)


def tick(loop: Loop, at: float, running: bool) -> Loop:
    """Move the clock. It stands still while paused, and a clock set back adds nothing."""
    passed = max(0.0, at - loop.since) if loop.since else 0.0
    return loop.but(spend=loop.spend.but(seconds=loop.spend.seconds + passed), since=at if running else 0.0)


def _named(loop: Loop, names: tuple[str, ...], change: Callable[[Criterion], Criterion]) -> Loop:
    return loop.but(criteria=tuple(change(c) if c.name in names else c for c in loop.criteria))


def _turn_ended(loop: Loop, e: ev.TurnEnded) -> Loop:
    loop, spend = tick(loop, e.at, e.counts), loop.spend  # after an API failure nobody works until the next sign of life
    cursors = {c.file: c for c in (*spend.cursors, *e.cursors)}
    spend = loop.spend.but(
        iterations=spend.iterations + e.counts,
        dollars=spend.dollars + e.dollars,
        cursors=tuple(cursors.values())[-500:],
        unpriced=tuple(sorted({*spend.unpriced, *e.unpriced}))[:8],
        behind=e.behind,
    )
    guidance = loop.guidance if loop.prompt_waits or not e.counts else ""
    lease = loop.lease.but(ended=loop.lease.ended and not e.counts)
    waits = bool(loop.prompt_waits and loop.plan and loop.plan.lanes)  # another lane ends before the next one hears it
    return loop.but(spend=spend, tree=e.tree, head=e.head, guidance=guidance, prompt_waits=waits, held=False, lease=lease)


def _lease_taken(loop: Loop, e: ev.LeaseTaken) -> Loop:
    """After a runner that may have died hours ago, the clock begins anew: nobody worked since its last event."""
    if loop.headless:
        loop = _without_lanes(loop).but(since=0.0)
    return loop.but(lease=Lease(e.holder, e.pid, loop.lease.fence + 1), turn=None)


def _without_lanes(loop: Loop) -> Loop:
    """Those of a runner that is gone: what they cost was settled before."""
    return loop.but(plan=loop.plan.but(lanes=())) if loop.plan and loop.plan.lanes else loop


def _lease_given(loop: Loop, e: ev.LeaseGiven) -> Loop:
    """Nobody works from now on; and nobody knows since when a runner that was killed does not."""
    loop = _without_lanes(loop).but(since=0.0) if loop.headless else tick(loop, e.at, False)
    return loop.but(lease=Lease("", 0, loop.lease.fence + 1), turn=None)


def _person_spoke(loop: Loop, e: ev.PersonSpoke) -> Loop:
    """A word is a sign of life for an agent that only talked. What a discovery loop counts as idle it does not change."""
    idle = loop.streak.idle if loop.backlog else 0
    loop = tick(loop, e.at, loop.status == "running").but(streak=loop.streak.but(idle=idle, toolless=0))
    return loop.but(held=False, prompt_waits=False, lease=loop.lease.but(ended=False))


def _claim_made(loop: Loop, e: ev.ClaimMade) -> Loop:
    return _named(loop, (e.claim.name,), lambda c: c.but(claim=e.claim))


def _done_claimed(loop: Loop, e: ev.DoneClaimed) -> Loop:
    """The exit restates every standing claim and binds it to this tree."""

    def bind(c: Criterion) -> Criterion:
        checked = c.check and c.check.allowed
        if checked or not (c.claim and c.claim.met) or (c.proof and c.proof.by == "person"):
            return c
        kind, words = c.claim.kind, c.claim.evidence
        return c.but(proof=Evidence(c.name, True, kind=kind, by="agent", detail=words, tree=e.tree, at=e.at))

    criteria = tuple(map(bind, loop.criteria))
    return loop.but(exit_claimed=True, criteria=criteria, waiting=loop.waiting.but(exit=False))


def _refuted(loop: Loop, e: ev.ClaimRefuted) -> Loop:
    loop = _named(loop, e.names, lambda c: c.but(claim=Claim(c.name, False)))
    return loop.but(exit_claimed=False, refuted=loop.refuted + 1)


def _check_ran(loop: Loop, e: ev.CheckRan) -> Loop:
    name, turn = e.evidence.criterion, loop.turn

    def prove(c: Criterion) -> Criterion:
        return c.but(proof=e.evidence, flaky=c.flaky or _differs(c.proof, e.evidence)) if c.name == name else c

    if turn:
        moved = e.left != (turn.now or turn.tree)
        turn = turn.but(
            ran=(*turn.ran, name),
            now=e.left,
            movers=(*turn.movers, name) if moved else turn.movers,
            moved=e.moved if moved else turn.moved,
        )
    criteria, forbidden, last = (tuple(map(prove, group)) for group in (loop.criteria, loop.forbidden, loop.last))
    return loop.but(criteria=criteria, forbidden=forbidden, last=last, turn=turn)


def _differs(before: Evidence | None, now: Evidence) -> bool:
    """Another result on the same tree. What could not be run before, or moved files itself, is another matter."""
    told = ("exit", "timeout")
    same = before and before.by == "loop" and now.tree and before.tree == now.tree
    return bool(same and before and before.passed != now.passed and before.outcome in told and now.outcome in told)


def _step_finished(loop: Loop, e: ev.StepFinished) -> Loop:
    steps = tuple(s.but(done=True, note=e.note) if s.name == e.name else s for s in loop.steps)
    lately = (*loop.streak.steps, e.name.split(" ")[0].lower())[-3:]
    return loop.but(steps=steps, streak=loop.streak.but(steps=lately), checkpoint_at=e.at)


def _answered(loop: Loop, e: ev.GateAnswered) -> Loop:
    keep, said = loop.keep_mirror and not e.delete, f"{loop.guidance}\n{e.guidance}".strip()[-2000:]
    return _to(loop, "running", gate=None, since=e.at, guidance=said, keep_mirror=keep)


def _proof_given(loop: Loop, e: ev.ProofGiven) -> Loop:
    def confirm(c: Criterion) -> Criterion:
        kind = c.claim.kind if c.claim and c.claim.kind else "observation"
        return c.but(proof=Evidence(c.name, True, kind=kind, by="person", tree=loop.tree, at=e.at))

    return _named(loop, e.names, confirm)


def _criteria_changed(loop: Loop, e: ev.CriteriaChanged) -> Loop:
    known = {c.name: c for c in loop.criteria}
    kept = tuple(known[c.name] if c.name in known and known[c.name].check == c.check else c for c in e.criteria)
    return loop.but(criteria=kept, exit_claimed=False, streak=loop.streak.but(stuck=0, unmet=()))


def _check_allowed(loop: Loop, e: ev.CheckAllowed) -> Loop:
    def change(c: Criterion) -> Criterion:
        if c.name != e.name:
            return c
        same = c.check and e.check and e.check.allowed and c.check.command == e.check.command
        return c.but(check=e.check, proof=c.proof if same else None)

    return loop.but(criteria=tuple(map(change, loop.criteria)), forbidden=tuple(map(change, loop.forbidden)))


def _limits_raised(loop: Loop, e: ev.LimitsRaised) -> Loop:
    had = loop.limits
    raised = had.but(dollars=had.dollars + e.dollars, iterations=had.iterations + e.iterations, minutes=had.minutes + e.minutes)
    return loop.but(limits=raised)


def _resumed(loop: Loop, e: ev.LoopResumed) -> Loop:
    """Only the streak that tripped is re-armed; spend and iterations never fall."""
    nothing: dict[str, dict[str, object]] = {
        "stuck": {"stuck": 0},
        "same-error": {"same_error": 0, "error": ""},
        "same-file": {"same_file": 0},
        "idle": {"idle": 0},
        "cap": {"toolless": 0},
        "transient": {"transient": 0},
        "trouble": {"trouble": ""},
    }
    streak = loop.streak.but(**nothing.get(e.rearmed, {}))
    if loop.run and e.rearmed == "limit":
        loop = loop.but(run=loop.run.but(waited=0.0))
    if loop.plan:
        loop = loop.but(plan=loop.plan.rearmed(loop.cause))
    return _to(loop, "running", cause="", why="", gate=None, since=e.at, streak=streak, turn=None)


def _corrected(loop: Loop, e: ev.MirrorCorrected) -> Loop:
    loop = _named(loop, e.detailed, lambda c: c.but(detailed=True))
    return loop.but(extra=e.extra or loop.extra)


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "LoopStarted": lambda _, e: e.loop,
    "LeaseTaken": _lease_taken,
    "LeaseGiven": _lease_given,
    "SessionEnded": lambda loop, e: tick(loop, e.at, False).but(lease=loop.lease.but(ended=True)),
    "PersonSpoke": _person_spoke,
    "ContextCompacted": lambda loop, e: loop,
    "StrangerSeen": lambda loop, e: loop.but(strangers=(*loop.strangers, e.session)[-16:]),
    "TurnEnded": _turn_ended,
    "ClaimMade": _claim_made,
    "NotesTaken": lambda loop, e: loop.but(**{k: v for k, v in e.__dict__.items() if v not in (None, "")}),
    "DoneClaimed": _done_claimed,
    "DoneTakenBack": lambda loop, e: loop.but(exit_claimed=False, waiting=loop.waiting.but(exit=False)),
    "ClaimsWaiting": lambda loop, e: loop.but(waiting=loop.waiting.and_then(e.taken)),
    "MismatchSeen": lambda loop, e: loop.but(mismatch=e.names),
    "ClaimRefuted": _refuted,
    "RoundBegan": lambda loop, e: loop.but(turn=e.turn, rounds=e.turn.round, tree=e.turn.tree, waiting=Taken()),
    "RoundEnded": lambda loop, e: loop.but(turn=None),
    "CheckRan": _check_ran,
    "CheckDropped": lambda loop, e: loop,
    "StepAdded": lambda loop, e: loop.but(steps=(*loop.steps, Step(e.name))),
    "StepFinished": _step_finished,
    "GateRecorded": lambda loop, e: loop.but(workflow=loop.workflow.but(recorded=e.text)),
    "StreakCounted": lambda loop, e: loop.but(streak=e.streak),
    "ErrorSeen": lambda loop, e: loop.but(errors=(*loop.errors, e.text)[-20:]),
    "BreakerTripped": lambda loop, e: loop,
    "GateOpened": lambda loop, e: _to(tick(loop, e.at, False), "asking", gate=e.gate, turn=None),
    "GateAnswered": _answered,
    "GuidanceGiven": lambda loop, e: loop.but(guidance=f"{loop.guidance}\n{e.text}".strip()[-2000:], prompt_waits=True),
    "PromptWaits": lambda loop, e: loop.but(prompt_waits=True),
    "GatesLifted": lambda loop, e: loop.but(gates=False),
    "ProofGiven": _proof_given,
    "LimitsRaised": _limits_raised,
    "CriteriaChanged": _criteria_changed,
    "CheckAllowed": _check_allowed,
    "TamperingSeen": lambda loop, e: loop,
    "MirrorCorrected": _corrected,
    "MirrorRebuilt": lambda loop, e: loop,
    "OrderRefused": lambda loop, e: loop,
    "TurnContinued": lambda loop, e: loop.but(held=True),
    "LoopPaused": lambda loop, e: _to(tick(loop, e.at, False), "paused", cause=e.cause, why=e.why, gate=None, turn=None),
    "LoopResumed": _resumed,
    "LoopFinished": lambda loop, e: _to(
        tick(loop, e.at, False), "finished", verdict=e.verdict, gate=None, turn=None, ended_at=e.at
    ),
    "LoopCancelled": lambda loop, e: _to(
        tick(loop, e.at, False), "cancelled", gate=None, turn=None, ended_at=e.at, keep_mirror=e.keep
    ),
}
