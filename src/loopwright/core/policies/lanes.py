"""What a runner reports about the lanes of a plan, and what a person changes in the plan."""

from __future__ import annotations

from .. import events as ev
from ..directives import Continue, Directive, Stop
from ..draft import Draft
from ..loop import plan_of
from ..plan import events as pl
from ..plan.plan import EXECUTE, VERIFY
from ..prompts.plan_person import plan_edited_text
from ..proof.state import CheckRound
from ..signals import Committed, LaneMerged, LaneReady, PlanEdited, UnplannedSeen
from . import check_rounds, verification
from .plan import decide_next_tasks, fail_task


def handle_lane_signal(
    draft: Draft, signal: LaneMerged | LaneReady | UnplannedSeen | PlanEdited | Committed
) -> Directive:
    if isinstance(signal, PlanEdited):
        return _handle_plan_edited(draft, signal)
    if isinstance(signal, LaneMerged):
        return _handle_lane_merged(draft, signal)
    if isinstance(signal, LaneReady):
        return _handle_lane_ready(draft, signal)
    if isinstance(signal, UnplannedSeen):
        draft.record(pl.UnplannedRecorded(signal.changes))
    else:
        draft.record(pl.CommitMade(signal.name, signal.commit))
    return Continue("")


def _handle_lane_merged(draft: Draft, signal: LaneMerged) -> Directive:
    """The work of a lane is merged into the main checkout, or git refused it."""
    loop = draft.loop
    plan = plan_of(loop)
    is_open = plan.has_work(signal.task) and signal.task not in plan.done
    if loop.lease.holder != signal.session or loop.status != "running" or not is_open:
        return Continue("")
    if plan_of(loop).gap(signal.task) and not signal.blocked:
        return _handle_gap_merged(draft, signal)
    if signal.blocked:  # another attempt of the agent would not help
        draft.record(pl.LandingBlocked(signal.task, signal.commit, signal.problem))
        return Continue("")
    if signal.problem:
        fail_task(draft, signal.task, signal.problem)
    else:
        commit = "" if signal.unchanged else signal.commit
        is_unshown = plan_of(loop).is_unshown(signal.task)
        draft.record(pl.TaskFinished(signal.task, commit, is_unshown))
    return decide_next_tasks(draft, None, signal.at, signal.tree)


def _handle_gap_merged(draft: Draft, signal: LaneMerged) -> Directive:
    """The fix of a gap is in main, or git refused it: then another round tries it again."""
    if not signal.problem:
        if not signal.unchanged:
            draft.record(pl.CommitMade(signal.task, signal.commit))
        draft.record(pl.GapClosed(signal.task))
    return verification.continue_after_gap(draft, signal.at, signal.tree)


def _handle_plan_edited(draft: Draft, signal: PlanEdited) -> Directive:
    """Take over the tasks of the person. A plan that was verified is executed again."""
    if signal.plan:
        changed = pl.PlanChanged(signal.plan, signal.what, signal.moved, signal.reopened)
        draft.record(changed)
        draft.record(ev.CriteriaChanged(signal.criteria))
    for name in signal.retry:
        draft.record(pl.TaskReopened(name))
    plan = plan_of(draft.loop)
    if plan.stage == VERIFY and len(plan.done) < len(plan.tasks):
        if draft.loop.check_round:
            draft.record(ev.CheckRoundEnded())
        draft.record(pl.StageEntered(EXECUTE))
    draft.record(ev.PromptQueued())
    return Stop(message=plan_edited_text(signal.what))


def _handle_lane_ready(draft: Draft, signal: LaneReady) -> Directive:
    """Check the work of an earlier turn again, on the commit that would land now."""
    loop = draft.loop
    if loop.lease.holder != signal.session or loop.status != "running":
        return Continue("")
    check_round = CheckRound(
        number=loop.rounds_started + 1,
        tree=signal.tree,
        only_criteria=plan_of(loop).proving_criteria(signal.task),
        gap_lane=signal.task if plan_of(loop).gap(signal.task) else "",
        tasks=(signal.task,),
        lane_commit=signal.commit,
        is_active=True,
    )
    return check_rounds.start_check_round(draft, check_round, signal.at)
