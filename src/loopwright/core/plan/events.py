"""What happens to a plan: its events, and what each changes. (The values themselves: plan.py.)"""

from __future__ import annotations

from ..loop import Loop, plan_of
from ..record import Record
from .plan import Gap, HistoryEntry, Lane, Plan, TaskFailure, TaskWorktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_ISSUES, MAX_HISTORY = 50, 200


class WorkAssigned(Record):
    """What the agent works on from now: tasks, or gaps by their keys."""

    names: tuple[str, ...]


class TaskFinished(Record):
    """Claimed, and what can be checked of it holds."""

    task: str
    commit: str = ""


class TaskFailed(Record):
    task: str
    error: str
    analysis: str = ""
    fix: str = ""


class WorkParked(Record):
    """Out of retries: a task, or a gap by its key. The rest goes on."""

    name: str


class IssueSeen(Record):
    """NEW ISSUE: found beside the task."""

    text: str


class StageEntered(Record):
    stage: str


class GapsFound(Record):
    """A whole verification: what is missing, and the line that it adds to the history."""

    gaps: tuple[Gap, ...]
    history_entry: HistoryEntry


class FixRoundStarted(Record):
    """One more round: every gap that is not parked is to be mended once."""


class GapFixFailed(Record):
    """A fix was tried, and the gap is still there."""

    key: str


class GapClosed(Record):
    key: str


class LaneStarted(Record):
    """The reserve is written down before a cent of it is spent."""

    lane: Lane


class LaneEnded(Record):
    task: str


class WorktreePrepared(Record):
    worktree: TaskWorktree


class CommitMade(Record):
    """The work of a task, or the fix of a gap, is in this commit."""

    name: str
    commit: str


def _apply_task_finished(plan: Plan, e: TaskFinished) -> Plan:
    commits = (*plan.commits, (e.task, e.commit)) if e.commit else plan.commits
    assigned = tuple(name for name in plan.assigned if name != e.task)
    parked = tuple(name for name in plan.parked if name != e.task)
    return plan.but(done=(*plan.done, e.task), assigned=assigned, parked=parked, commits=commits)


def _apply_task_failed(plan: Plan, e: TaskFailed) -> Plan:
    now = TaskFailure(e.task, plan.failure_of(e.task).times + 1, e.error, e.analysis, e.fix)
    others = tuple(failed for failed in plan.failures if failed.task != e.task)
    return plan.but(
        failures=(*others, now), assigned=tuple(name for name in plan.assigned if name != e.task)
    )


def _apply_gaps_found(plan: Plan, e: GapsFound) -> Plan:
    gone = {gap.key for gap in plan.gaps} - {gap.key for gap in e.gaps}
    parked = tuple(name for name in plan.parked if name not in gone)
    return plan.but(
        gaps=e.gaps,
        queue=(),
        assigned=(),
        parked=parked,
        history=(*plan.history, e.history_entry)[-MAX_HISTORY:],
    )


def _apply_fix_round_started(plan: Plan, e: FixRoundStarted) -> Plan:
    return plan.but(fix_rounds=plan.fix_rounds + 1, queue=tuple(gap.key for gap in plan.open_gaps))


def _apply_work_assigned(plan: Plan, e: WorkAssigned) -> Plan:
    return plan.but(assigned=e.names, queue=tuple(key for key in plan.queue if key not in e.names))


def _apply_gap_fix_failed(plan: Plan, e: GapFixFailed) -> Plan:
    return plan.but(
        gaps=tuple(gap.but(tries=gap.tries + 1) if gap.key == e.key else gap for gap in plan.gaps)
    )


def _apply_gap_closed(plan: Plan, e: GapClosed) -> Plan:
    parked = tuple(name for name in plan.parked if name != e.key)
    return plan.but(gaps=tuple(gap for gap in plan.gaps if gap.key != e.key), parked=parked)


def _apply_lane_ended(plan: Plan, e: LaneEnded) -> Plan:
    return plan.but(lanes=tuple(lane for lane in plan.lanes if lane.task != e.task))


def _apply_worktree_prepared(plan: Plan, e: WorktreePrepared) -> Plan:
    others = tuple(place for place in plan.worktrees if place.task != e.worktree.task)
    return plan.but(worktrees=(*others, e.worktree))


EVOLUTIONS: dict[str, Callable[[Plan, Any], Plan]] = {
    "WorkAssigned": _apply_work_assigned,
    "TaskFinished": _apply_task_finished,
    "TaskFailed": _apply_task_failed,
    "WorkParked": lambda plan, e: plan.but(parked=(*plan.parked, e.name)),
    "IssueSeen": lambda plan, e: plan.but(issues=(*plan.issues, e.text)[-MAX_ISSUES:]),
    "StageEntered": lambda plan, e: plan.but(stage=e.stage, assigned=(), queue=()),
    "GapsFound": _apply_gaps_found,
    "FixRoundStarted": _apply_fix_round_started,
    "GapFixFailed": _apply_gap_fix_failed,
    "GapClosed": _apply_gap_closed,
    "LaneStarted": lambda plan, e: plan.but(lanes=(*plan.lanes, e.lane)),
    "LaneEnded": _apply_lane_ended,
    "WorktreePrepared": _apply_worktree_prepared,
    "CommitMade": lambda plan, e: plan.but(commits=(*plan.commits, (e.name, e.commit))),
}


def evolve_plan(loop: Loop, event: Record) -> Loop:
    """The loop after an event of its plan. A turn of a lane is one that the runner has begun."""
    changed = loop.but(plan=EVOLUTIONS[type(event).__name__](plan_of(loop), event))
    if isinstance(event, LaneStarted) and changed.run:
        from ..clock import advance_clock
        from ..runner.run import with_wait_ended

        run = with_wait_ended(changed.run, event.lane.started_at).but(
            agent=event.lane.agent, turns_started=event.lane.turn_number
        )
        changed = advance_clock(changed, event.lane.started_at, running=True)
        changed = changed.but(run=run, dialogue=changed.dialogue.but(prompt_queued=False))
    return changed
