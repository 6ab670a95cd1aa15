"""Verification, from the goal back to what is missing: every check on one tree, gaps, rounds of fixing; then the end."""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..criteria import Criterion
from ..directives import Directive
from ..draft import Draft
from ..loop import CheckRound, Loop, plan_of
from ..plan import events as pl
from ..plan.plan import E2E, VERIFY, Gap, HistoryEntry, criterion_names
from ..prompts import messages, plan_person
from ..replies.reports import Reports
from ..signals import TurnOver
from . import frame, spec
from .assigning import asks_person, assign_and_continue, is_failing
from .closing import TREE_MOVED_REASON, run_final_proof


def start_verification(draft: Draft, tree: str, at: float) -> Directive:
    """Everything that must hold is looked at, on this tree."""
    draft.record(pl.StageEntered(VERIFY))
    reported = tuple(gap for gap in plan_of(draft.loop).gaps if not gap.criterion)
    return frame.start_check_round(
        draft,
        CheckRound(
            draft.loop.rounds_started + 1,
            tree,
            only_criteria=criteria_before_e2e(draft.loop),
            reported_gaps=reported,
            is_active=True,
        ),
        at,
    )


def read_fix_turn(
    draft: Draft, turn: TurnOver, reports: Reports, following: CheckRound
) -> CheckRound:
    """A session is given all gaps at once, a runner one after the other: then its own check is enough until the last."""
    plan, given = plan_of(draft.loop), following.tasks
    if turn.reported_gaps is not None:
        reported = tuple(
            gap
            for gap in turn.reported_gaps
            if gap.key not in {ours.key for ours in plan.gaps if ours.criterion}
        )
    else:
        reported = tuple(
            gap
            for gap in plan.gaps
            if not gap.criterion and not _is_reported_closed(gap, given, reports)
        )
    following = following.but(reported_gaps=reported)
    if plan.queue and draft.loop.headless_run:
        return following.but(
            only_criteria=tuple(gap.criterion for gap in plan.gaps if gap.key in given)
        )
    return following.but(only_criteria=criteria_before_e2e(draft.loop))


def _is_reported_closed(gap: Gap, given: tuple[str, ...], reports: Reports) -> bool:
    """No check stands behind a gap that an agent reported: the word of who worked on it is all there is."""
    return gap.key in given and any(
        gap.file in text or (not text and len(given) == 1) for text in reports.closed_gaps
    )


def criteria_before_e2e(loop: Loop) -> tuple[str, ...]:
    return tuple(c.name for c in loop.criteria if c.name != E2E)


def decide_after_verification(draft: Draft, turn: CheckRound, at: float) -> Directive:
    """What was given out is closed, or was tried in vain; after the last one the whole is verified again."""
    loop, plan = draft.loop, plan_of(draft.loop)
    if plan.queue and loop.headless_run:
        _judge_gaps(draft, turn)
        draft.record(pl.WorkAssigned(()))
        if tripped := breakers.tripped(draft.loop):
            return breakers.pause_loop(draft, *tripped, at)
        return assign_and_continue(draft)
    missing = [c for c in loop.criteria if c.name != E2E and is_failing(loop, c)]
    last = [c for c in loop.criteria if c.name == E2E and is_failing(loop, c)]
    if not missing and last and E2E not in turn.ran:
        return frame.start_check_round(
            draft, frame.next_round(turn, loop.rounds_started + 1).but(only_criteria=(E2E,)), at
        )
    _judge_gaps(draft, turn)
    return _conclude_verification(draft, turn, missing or last, at)


def _judge_gaps(draft: Draft, turn: CheckRound) -> None:
    for gap in plan_of(draft.loop).gaps:
        if gap.key in turn.tasks:
            _judge_gap(draft, gap, gap.key in {left.key for left in turn.reported_gaps})


def _judge_gap(draft: Draft, gap: Gap, reported: bool) -> None:
    criterion = next((c for c in draft.loop.criteria if c.name == gap.criterion), None)
    if not reported and (criterion is None or not is_failing(draft.loop, criterion)):
        draft.record(pl.GapClosed(gap.key))
        return
    draft.record(pl.GapFixFailed(gap.key))
    if gap.tries + 1 >= plan_of(draft.loop).retries and gap.key not in plan_of(draft.loop).parked:
        draft.record(pl.WorkParked(gap.key))


def _conclude_verification(
    draft: Draft, turn: CheckRound, missing: list[Criterion], at: float
) -> Directive:
    """The whole is looked at: passed, or so many gaps."""
    from ..plan.gaps import gap_of, merge_gaps

    plan = plan_of(draft.loop)
    tries = {gap.key: gap.tries for gap in plan.gaps}
    found = {
        gap.key: gap.but(tries=tries.get(gap.key, 0))
        for gap in merge_gaps((*map(gap_of, missing), *turn.reported_gaps))
    }
    gaps = tuple(found.values())
    result = HistoryEntry(plan.fix_rounds, VERIFY, "gaps_found" if gaps else "passed", tuple(found))
    if result != (plan.history or (None,))[-1] or gaps != plan.gaps:
        draft.record(pl.GapsFound(gaps, result))
    if turn.is_first_decision:
        streak = (
            draft.loop.streak
        )  # gaps are bounded by their tries and rounds; what is only claimed, by being stuck
        idle = 0 if turn.is_active else streak.idle + 1
        draft.record(
            ev.StreakCounted(
                streak.but(stuck=0 if gaps or turn.claimed else streak.stuck + 1, idle=idle)
            )
        )
    return _fix_or_pause(draft, at) if gaps else _finish_verified(draft, turn, at)


def handle_refutation(draft: Draft, at: float) -> Directive:
    """Every check passes, and something else speaks against it: that is a gap as good as any."""
    from ..plan.gaps import objection_gaps

    gaps = objection_gaps(draft.loop)
    if not gaps:
        return breakers.pause_loop(draft, "moving", TREE_MOVED_REASON, at)
    round = HistoryEntry(
        plan_of(draft.loop).fix_rounds, VERIFY, "gaps_found", tuple(gap.key for gap in gaps)
    )
    draft.record(pl.GapsFound(gaps, round))
    return _fix_or_pause(draft, at)


def _fix_or_pause(draft: Draft, at: float) -> Directive:
    plan = plan_of(draft.loop)
    if not plan.auto_loop:
        return breakers.pause_loop(draft, "gaps", plan_person.auto_loop_off_reason(plan), at)
    if plan.fix_rounds >= plan.max_fix_rounds:
        return breakers.pause_loop(draft, "rounds", plan_person.out_of_rounds_reason(plan), at)
    if not plan.open_gaps:
        return breakers.pause_loop(draft, "parked", plan_person.parked_gaps_reason(plan), at)
    if tripped := breakers.tripped(draft.loop):
        return breakers.pause_loop(draft, *tripped, at)
    if asks_person(draft.loop):
        asked = breakers.ask_person(draft, "fix", plan_person.fix_question(plan), at)
        return asked.but(message=f"{asked.message}\n{plan_person.gap_list(plan)}")
    return start_fix_round(draft)


def start_fix_round(draft: Draft) -> Directive:
    draft.record(pl.FixRoundStarted())
    return assign_and_continue(draft)


def _finish_verified(draft: Draft, turn: CheckRound, at: float) -> Directive:
    """Nothing is missing that we can see. What no check can show is claimed with evidence, or confirmed by a person."""
    loop = draft.loop
    if undone := _settle_open_tasks(draft):
        return breakers.pause_loop(draft, "parked", plan_person.undone_tasks_reason(undone), at)
    if waiting := [
        c.name for c in loop.criteria if c.check and not c.check.allowed and not loop.is_met(c)
    ]:
        return breakers.pause_loop(
            draft, "allow", plan_person.not_allowed_reason(tuple(waiting)), at
        )
    if not turn.confirmed and (loop.unmet_criteria or loop.assumed_criteria):
        if tripped := breakers.tripped(loop):
            return breakers.pause_loop(draft, *tripped, at)
        return assign_and_continue(draft)
    if standing_in_the_way := run_final_proof(draft, turn, at):
        return standing_in_the_way
    if not turn.confirmed:
        draft.record(ev.DoneClaimed(loop.tree, at))
        if asks_person(loop) and any(
            c.proof and c.proof.by == "agent" for c in draft.loop.criteria
        ):
            return breakers.ask_person(draft, "G3", messages.G3_QUESTION, at)
    return spec.finish_loop(draft, turn, at)


def _settle_open_tasks(draft: Draft) -> tuple[str, ...]:
    """Verified with tasks still open: those whose own checks hold are done by that; of the others nobody can tell."""
    loop, plan = draft.loop, plan_of(draft.loop)
    left = []
    for task in plan.tasks:
        proven = [
            c
            for c in loop.criteria
            if c.name in criterion_names(task) and c.check and c.check.allowed and loop.is_met(c)
        ]
        if task.id not in plan.done and proven:
            draft.record(pl.TaskFinished(task.id))
        elif task.id not in plan.done:
            left.append(task.id)
    return tuple(left)
