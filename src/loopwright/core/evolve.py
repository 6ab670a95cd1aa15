"""evolve: what each event changes. It alone rebuilds a loop from its journal.

Here are the events of a turn and its checks. Every other module of events has its own table.
"""

from __future__ import annotations

from sys import modules

from . import events as ev
from .clock import advance_clock
from .criteria import Criterion, Evidence, PendingClaims, change_criteria
from .loop import Loop
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_CURSORS, MAX_UNPRICED = 500, 8
CONCLUSIVE = ("exit", "timeout")  # outcomes of a check that say something about the tree


def evolve(loop: Loop, event: Record) -> Loop:
    """The loop after the event. Each module of events has a table of what its events change."""
    name = type(event).__name__
    table = EVOLUTIONS
    if name not in table:
        table = modules[type(event).__module__].EVOLUTIONS
    return table[name](loop, event)


def _apply_turn_ended(loop: Loop, e: ev.TurnEnded) -> Loop:
    # After an API failure the clock is stopped until the next sign of life.
    loop = advance_clock(loop, e.at, running=e.counts_as_iteration)
    spend, dialogue = loop.spend, loop.dialogue
    cursors = {cursor.file: cursor for cursor in (*spend.cursors, *e.cursors)}
    spend = spend.but(
        iterations=spend.iterations + e.counts_as_iteration,
        dollars=spend.dollars + e.dollars,
        cursors=tuple(cursors.values())[-MAX_CURSORS:],
        unpriced=tuple(sorted({*spend.unpriced, *e.unpriced}))[:MAX_UNPRICED],
        unread_bytes=e.unread_bytes,
    )
    guidance = dialogue.guidance
    if e.counts_as_iteration and not dialogue.prompt_queued:
        guidance = ""  # the agent has had it
    # A lane that ends before the next one starts leaves the prompt in the queue.
    queued = bool(dialogue.prompt_queued and loop.plan and loop.plan.lanes)
    session_ended = loop.lease.session_ended and not e.counts_as_iteration
    demands = loop.demands
    if demands and demands.due and e.counts_as_iteration:
        demands = demands.but(due=False)  # the agent has answered
    strength = loop.strength
    if strength and strength.due and e.counts_as_iteration:
        strength = strength.but(due=False)
    return loop.but(
        demands=demands,
        strength=strength,
        spend=spend,
        paused_round=None if e.counts_as_iteration else loop.paused_round,
        tree=e.tree,
        head=e.head,
        lease=loop.lease.but(
            session_ended=session_ended, ended_at=loop.lease.ended_at if session_ended else 0.0
        ),
        dialogue=dialogue.but(
            guidance=guidance,
            prompt_queued=queued,
            turn_continued=False,
            prompt_id=e.prompt_id or dialogue.prompt_id,
        ),
    )


def _apply_claim_made(loop: Loop, e: ev.ClaimMade) -> Loop:
    claimed = change_criteria(loop.criteria, (e.claim.name,), lambda c: c.but(claim=e.claim))
    return loop.but(criteria=claimed)


def _apply_check_round_started(loop: Loop, e: ev.CheckRoundStarted) -> Loop:
    return loop.but(
        check_round=e.check_round,
        rounds_started=e.check_round.number,
        tree=e.check_round.tree,
        paused_round=None,
        pending_claims=PendingClaims(),
    )


def _apply_check_ran(loop: Loop, e: ev.CheckRan) -> Loop:
    name = e.evidence.criterion

    def prove(c: Criterion) -> Criterion:
        if c.name != name:
            return c
        is_mixed = 0 < e.evidence.passes < e.evidence.runs
        flaky = c.flaky or is_mixed or _is_flaky(c.proof, e.evidence)
        return c.but(proof=e.evidence, flaky=flaky)

    check_round = loop.check_round
    if check_round:
        tree_before = check_round.tree_now or check_round.tree
        if e.tree_after != tree_before:
            check_round = check_round.but(
                file_changing_checks=(*check_round.file_changing_checks, name),
                changed_files=e.changed_files,
            )
        check_round = check_round.but(
            ran=(*check_round.ran, name),
            rerun=tuple(other for other in check_round.rerun if other != name),
            tree_now=e.tree_after,
        )
    return loop.but(
        criteria=tuple(map(prove, loop.criteria)),
        must_not=tuple(map(prove, loop.must_not)),
        final_checks=tuple(map(prove, loop.final_checks)),
        unrequired_checks=tuple(map(prove, loop.unrequired_checks)),
        check_round=check_round,
    )


def _is_flaky(before: Evidence | None, now: Evidence) -> bool:
    """Another result on the same tree. Checks that could not run or changed files do not count."""
    if not before or before.by != "loop" or not now.tree or before.tree != now.tree:
        return False
    conclusive = before.outcome in CONCLUSIVE and now.outcome in CONCLUSIVE
    return conclusive and before.passed != now.passed


def _apply_step_finished(loop: Loop, e: ev.StepFinished) -> Loop:
    steps = tuple(
        step.but(done=True, note=e.note) if step.name == e.name else step for step in loop.steps
    )
    kind = e.name.split(" ")[0].lower()
    recent = (*loop.streak.recent_step_kinds, kind)[-3:]
    return loop.but(
        steps=steps,
        streak=loop.streak.but(recent_step_kinds=recent),
        clock=loop.clock.but(checkpoint_at=e.at),
    )


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "LoopStarted": lambda _, e: e.loop,
    "TurnEnded": _apply_turn_ended,
    "ClaimMade": _apply_claim_made,
    "CheckRoundStarted": _apply_check_round_started,
    "CheckRoundEnded": lambda loop, e: loop.but(check_round=None),
    "CheckRan": _apply_check_ran,
    "CheckResultDropped": lambda loop, e: loop,
    "StepFinished": _apply_step_finished,
    "StreakCounted": lambda loop, e: loop.but(streak=e.streak),
    "TurnContinued": lambda loop, e: loop.with_dialogue(turn_continued=True),
}
