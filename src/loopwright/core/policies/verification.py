"""Verification of a plan: run every check on one tree, turn failures into gaps, fix them in rounds.

The end-to-end check runs after all others pass. When nothing is missing, the final proof runs and
the loop finishes.
"""

from __future__ import annotations

from .. import events as ev
from ..criteria import Criterion
from ..directives import Continue, Directive, MergeLane
from ..draft import Draft
from ..loop import Loop, plan_of
from ..pausing import breakers
from ..plan import events as pl
from ..plan.plan import (
    E2E,
    GAPS_FOUND,
    PASSED,
    UNPROVEN,
    VERIFY,
    Gap,
    HistoryEntry,
    Plan,
    criterion_names,
)
from ..prompts import plan_person
from ..proof.state import CheckRound
from ..replies.reports import Reports
from ..signals import TurnOver
from . import check_rounds, spec
from .assignments import asks_person, assign_and_continue, is_failing
from .final_proof import TREE_MOVED_REASON, run_final_proof


def start_verification(draft: Draft, tree: str, at: float) -> Directive:
    """Check every criterion of the plan on this tree."""
    draft.record(pl.StageEntered(VERIFY))
    loop = draft.loop
    check_round = CheckRound(
        number=loop.rounds_started + 1,
        tree=tree,
        only_criteria=criteria_before_e2e(loop),
        reported_gaps=tuple(gap for gap in plan_of(loop).gaps if gap.needs_report),
        is_active=True,
    )
    return check_rounds.start_check_round(draft, check_round, at)


def read_fix_turn(
    draft: Draft, turn: TurnOver, reports: Reports, following: CheckRound
) -> CheckRound:
    """The round after a turn that fixed gaps.

    A session fixes all gaps at once. A runner fixes one after the other: only the check of that gap
    runs, until the queue is empty.
    """
    plan, assigned = plan_of(draft.loop), following.tasks
    only_criteria = criteria_before_e2e(draft.loop)
    if plan.queue and draft.loop.headless_run:
        only_criteria = tuple(gap.criterion for gap in plan.gaps if gap.key in assigned)
    reported = _still_reported_gaps(plan.gaps, turn, reports, assigned)
    return following.but(reported_gaps=reported, only_criteria=only_criteria)


def read_gap_lane(
    turn: TurnOver, reports: Reports, following: CheckRound, plan: Plan
) -> CheckRound:
    """The round after a turn that fixed one gap in a worktree of its own."""
    result = turn.lane_result
    assert result is not None, "BUG: a lane has a result"
    gap = plan.gap(result.task)
    assert gap is not None, "BUG: the gap of a lane is known"
    is_usable = bool(result.commit) and not turn.problem
    if gap.needs_report:
        is_usable = is_usable and _is_reported_closed(gap, (gap.key,), reports)
    return following.but(
        only_criteria=plan.proving_criteria(gap.key) if is_usable else (),
        tasks=(gap.key,),
        gap_lane=gap.key,
        lane_commit=result.commit if is_usable else "",
    )


def judge_gap_lane(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    """Let a fix that its check proves land; count a failed try for any other."""
    gap = plan_of(draft.loop).gap(check_round.gap_lane)
    assert gap is not None, "BUG: gaps change between rounds only"
    if check_round.lane_commit and not _has_failing_check(draft.loop, gap):
        return MergeLane(gap.key, check_round.lane_commit)
    _count_failed_fix(draft, gap)
    return continue_after_gap(draft, at)


def continue_after_gap(draft: Draft, at: float, tree: str = "") -> Directive:
    """Wait for the other lanes of the round; after the last one, verify everything again.

    `tree` is that of the main checkout. Without it the turn was in a lane, whose files are not what
    the plan has come to: the runner orders the verification of main.
    """
    plan = plan_of(draft.loop)
    if pause := breakers.pause_if_tripped(draft, at):
        return pause
    if plan.queue or plan.lanes or plan.landings or not tree:
        return Continue("")
    return start_verification(draft, tree, at)


def _still_reported_gaps(
    gaps: tuple[Gap, ...], turn: TurnOver, reports: Reports, assigned: tuple[str, ...]
) -> tuple[Gap, ...]:
    """The gaps that need a report and are still open, from VERIFICATION.md or the agent."""
    if turn.reported_gaps is not None:
        judged_by_us = {gap.key for gap in gaps if not gap.needs_report}
        return tuple(gap for gap in turn.reported_gaps if gap.key not in judged_by_us)
    reported = (gap for gap in gaps if gap.needs_report)
    return tuple(gap for gap in reported if not _is_reported_closed(gap, assigned, reports))


def _is_reported_closed(gap: Gap, assigned: tuple[str, ...], reports: Reports) -> bool:
    """Does the agent report this gap as closed? A gap without a check has no better evidence."""
    if gap.key not in assigned:
        return False
    is_only_one = len(assigned) == 1
    return any(gap.file in text or (is_only_one and not text) for text in reports.closed_gaps)


def criteria_before_e2e(loop: Loop) -> tuple[str, ...]:
    """All criteria but the end-to-end check, which says nothing while another one fails."""
    return tuple(c.name for c in loop.criteria if c.name != E2E)


def decide_after_verification(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    """Judge the gaps of the turn. After the last gap of a fix round, verify everything again."""
    loop, plan = draft.loop, plan_of(draft.loop)
    if plan.queue and loop.headless_run:
        _judge_gaps(draft, check_round)
        draft.record(pl.WorkAssigned(()))
        return breakers.pause_if_tripped(draft, at) or assign_and_continue(draft)
    failing = [c for c in loop.criteria if is_failing(loop, c)]
    failing_before_e2e = [c for c in failing if c.name != E2E]
    if failing and not failing_before_e2e and E2E not in check_round.ran:
        following = check_rounds.next_round(check_round, loop.rounds_started + 1)
        return check_rounds.start_check_round(draft, following.but(only_criteria=(E2E,)), at)
    _judge_gaps(draft, check_round)
    return _conclude_verification(draft, check_round, failing_before_e2e or failing, at)


def _judge_gaps(draft: Draft, check_round: CheckRound) -> None:
    """Close the gaps of this turn that are fixed. Count a failed try for the others."""
    still_reported = {gap.key for gap in check_round.reported_gaps}
    for gap in plan_of(draft.loop).gaps:
        if gap.key not in check_round.tasks:
            continue
        if gap.key in still_reported or _has_failing_check(draft.loop, gap):
            _count_failed_fix(draft, gap)
        else:
            draft.record(pl.GapClosed(gap.key))


def _has_failing_check(loop: Loop, gap: Gap) -> bool:
    criterion = next((c for c in loop.criteria if c.name == gap.criterion), None)
    return criterion is not None and is_failing(loop, criterion)


def _count_failed_fix(draft: Draft, gap: Gap) -> None:
    draft.record(pl.GapFixFailed(gap.key))
    plan = plan_of(draft.loop)
    if gap.tries + 1 >= plan.retries and gap.key not in plan.parked:
        draft.record(pl.WorkParked(gap.key))


def _conclude_verification(
    draft: Draft, check_round: CheckRound, failing: list[Criterion], at: float
) -> Directive:
    """Record the result of a whole verification, and fix its gaps or finish."""
    from ..plan.gaps import gap_of, merge_gaps

    plan = plan_of(draft.loop)
    tries = {gap.key: gap.tries for gap in plan.gaps}
    merged = merge_gaps((*map(gap_of, failing), *check_round.reported_gaps))
    gaps = tuple(gap.but(tries=tries.get(gap.key, 0)) for gap in merged)
    entry = _history_entry(draft.loop, gaps)
    if entry != (plan.history or (None,))[-1] or gaps != plan.gaps:
        draft.record(pl.GapsFound(gaps, entry))
    if check_round.is_first_decision:
        _count_verification(draft, check_round, gaps)
    if gaps:
        return _fix_or_pause(draft, at)
    return _finish_verified(draft, check_round, at)


def _history_entry(loop: Loop, gaps: tuple[Gap, ...]) -> HistoryEntry:
    result = UNPROVEN if loop.waiting_checks else PASSED
    if gaps:
        result = GAPS_FOUND
    keys = tuple(gap.key for gap in gaps)
    return HistoryEntry(plan_of(loop).fix_rounds, VERIFY, result, keys)


def _count_verification(draft: Draft, check_round: CheckRound, gaps: tuple[Gap, ...]) -> None:
    # Tries and rounds bound the gaps. The stuck counter bounds what can only be claimed.
    progress = bool(gaps or check_round.claimed)
    streak = breakers.count_stuck(draft.loop.streak, check_round, progress)
    idle = 0 if check_round.is_active else streak.idle + 1
    draft.record(ev.StreakCounted(streak.but(idle=idle)))


def handle_refutation(draft: Draft, at: float) -> Directive:
    """Every check passes, but a finding or a final check refutes that: it becomes a gap."""
    from ..plan.gaps import objection_gaps

    gaps = objection_gaps(draft.loop)
    if not gaps:
        return breakers.pause_loop(draft, "moving", TREE_MOVED_REASON, at)
    draft.record(pl.GapsFound(gaps, _history_entry(draft.loop, gaps)))
    return _fix_or_pause(draft, at)


def _fix_or_pause(draft: Draft, at: float) -> Directive:
    plan = plan_of(draft.loop)
    if not plan.auto_loop:
        return breakers.pause_loop(draft, "gaps", plan_person.auto_loop_off_reason(plan), at)
    if plan.fix_rounds >= plan.max_fix_rounds:
        return breakers.pause_loop(draft, "rounds", plan_person.out_of_rounds_reason(plan), at)
    if not plan.open_gaps:
        return breakers.pause_loop(draft, "parked", plan_person.parked_gaps_reason(plan), at)
    if pause := breakers.pause_if_tripped(draft, at):
        return pause
    if asks_person(draft.loop):
        ask = breakers.ask_person(draft, "fix", plan_person.fix_question(plan), at)
        return ask.but(message=f"{ask.message}\n{plan_person.gap_list(plan)}")
    return start_fix_round(draft)


def start_fix_round(draft: Draft) -> Directive:
    draft.record(pl.FixRoundStarted())
    return assign_and_continue(draft)


def _finish_verified(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    """No check fails. What no check can show must be claimed with evidence or confirmed."""
    if open_tasks := _settle_open_tasks(draft):
        why = plan_person.undone_tasks_reason(open_tasks)
        return breakers.pause_loop(draft, "parked", why, at)
    loop = draft.loop
    not_allowed = _unmet_without_permission(loop)
    if not_allowed and not loop.settings.unproven:
        return breakers.pause_loop(draft, "allow", plan_person.not_allowed_reason(not_allowed), at)
    if loop.disputed_criteria and (ask := spec.ask_about_disputes(draft, at)):
        return ask
    if not check_round.confirmed and (loop.unmet_criteria or loop.assumed_criteria):
        return breakers.pause_if_tripped(draft, at) or assign_and_continue(draft)
    if directive := run_final_proof(draft, check_round, at):
        return directive
    if not check_round.confirmed:
        draft.record(ev.DoneClaimed(loop.tree, at))
        if asks_person(loop) and _relies_on_agent(draft.loop):
            return spec.ask_to_finish(draft, at)
    return spec.finish_loop(draft, check_round, at)


def _unmet_without_permission(loop: Loop) -> tuple[str, ...]:
    """Unmet criteria whose check waits for `loop allow`."""
    waiting = (c for c in loop.criteria if c.awaits_permission)
    return tuple(c.name for c in waiting if not loop.is_met(c))


def _relies_on_agent(loop: Loop) -> bool:
    return any(c.is_verified_by("agent") for c in loop.criteria)


def _settle_open_tasks(draft: Draft) -> tuple[str, ...]:
    """Finish each open task with a passing check of its own, and return the other open tasks."""
    loop, plan = draft.loop, plan_of(draft.loop)
    proven = {c.name for c in loop.criteria if c.may_run and loop.is_met(c)}
    still_open = []
    for task in plan.tasks:
        if task.id in plan.done:
            continue
        if proven.isdisjoint(criterion_names(task)):
            still_open.append(task.id)
        else:
            draft.record(pl.TaskFinished(task.id))
    return tuple(still_open)
