"""Events of a plan, and what each changes."""

from __future__ import annotations

from ..loop import Loop, plan_of
from ..record import Record
from .plan import Gap, HistoryEntry, Lane, Plan, TaskFailure, TaskWorktree, UnplannedChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..runner.run import Run

MAX_ISSUES, MAX_HISTORY = 50, 200


class WorkAssigned(Record):
    """What the agent works on next: tasks, or keys of gaps."""

    names: tuple[str, ...]


class TaskFinished(Record):
    """The agent claimed the task, and all checks of it that may run pass."""

    task: str
    commit: str = ""
    is_unshown: bool = False  # no check and no file is about it: only the agent says so


class TaskFailed(Record):
    task: str
    error: str
    analysis: str = ""
    fix: str = ""


class WorkParked(Record):
    """A task, or a gap by its key, has no retries left. The others continue."""

    name: str


class IssueSeen(Record):
    """NEW ISSUE: something that the agent found outside its task."""

    text: str


class StageEntered(Record):
    stage: str


class GapsFound(Record):
    """A whole verification is over: its gaps, and its line in the history."""

    gaps: tuple[Gap, ...]
    history_entry: HistoryEntry


class FixRoundStarted(Record):
    """A fix round starts: every gap that is not parked is tried once."""


class GapFixFailed(Record):
    """A fix was tried, and the gap is still open."""

    key: str


class GapClosed(Record):
    key: str


class GapTaken(Record):
    """A lane fixes this gap now."""

    key: str


class LaneStarted(Record):
    """A lane starts. Its reserve is recorded before any of it is spent."""

    lane: Lane


class LaneEnded(Record):
    task: str
    at: float = 0.0


class WorktreePrepared(Record):
    worktree: TaskWorktree


class CommitMade(Record):
    """This commit holds the work of a task or the fix of a gap."""

    name: str
    commit: str


class LandingBlocked(Record):
    """The work of a task is proven, and only a person can let it land."""

    task: str
    commit: str
    why: str


class PlanChanged(Record):
    """A person changed the plan after the start: its tasks, must-haves, links and marks."""

    plan: Plan
    what: str = ""
    moved: tuple[tuple[str, str], ...] = ()  # tasks that are the same under another id: old, new
    reopened: tuple[str, ...] = ()  # ids that mean other work now, so their progress is void


class TaskTimed(Record):
    """How long a turn for this task took; a turn in a lane is timed by LaneEnded."""

    task: str
    seconds: float


class TaskReopened(Record):
    """A task is to be done once more, whether it was done or parked."""

    task: str


class UnplannedRecorded(Record):
    changes: tuple[UnplannedChange, ...]


def _without(names: tuple[str, ...], gone: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != gone)


def _landings_without(plan: Plan, *gone: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in plan.landings if pair[0] not in gone)


def _apply_task_finished(plan: Plan, e: TaskFinished) -> Plan:
    return plan.but(
        done=(*plan.done, e.task),
        unshown=(*plan.unshown, e.task) if e.is_unshown else plan.unshown,
        assigned=_without(plan.assigned, e.task),
        parked=_without(plan.parked, e.task),
        commits=(*plan.commits, (e.task, e.commit)) if e.commit else plan.commits,
        landings=_landings_without(plan, e.task),
    )


def _apply_task_failed(plan: Plan, e: TaskFailed) -> Plan:
    failure = TaskFailure(
        task=e.task,
        times=plan.failure_of(e.task).times + 1,
        error=e.error,
        analysis=e.analysis,
        fix=e.fix,
    )
    others = tuple(earlier for earlier in plan.failures if earlier.task != e.task)
    return plan.but(
        failures=(*others, failure),
        assigned=_without(plan.assigned, e.task),
        landings=_landings_without(plan, e.task),
    )


def _apply_gaps_found(plan: Plan, e: GapsFound) -> Plan:
    gone = {gap.key for gap in plan.gaps} - {gap.key for gap in e.gaps}
    return plan.but(
        gaps=e.gaps,
        queue=(),
        assigned=(),
        parked=tuple(name for name in plan.parked if name not in gone),
        landings=_landings_without(plan, *gone),
        history=(*plan.history, e.history_entry)[-MAX_HISTORY:],
    )


def _apply_fix_round_started(plan: Plan, e: FixRoundStarted) -> Plan:
    return plan.but(fix_rounds=plan.fix_rounds + 1, queue=tuple(gap.key for gap in plan.open_gaps))


def _apply_work_assigned(plan: Plan, e: WorkAssigned) -> Plan:
    return plan.but(assigned=e.names, queue=tuple(key for key in plan.queue if key not in e.names))


def _apply_gap_fix_failed(plan: Plan, e: GapFixFailed) -> Plan:
    gaps = (gap.but(tries=gap.tries + 1) if gap.key == e.key else gap for gap in plan.gaps)
    return plan.but(gaps=tuple(gaps), landings=_landings_without(plan, e.key))


def _apply_gap_closed(plan: Plan, e: GapClosed) -> Plan:
    gaps = tuple(gap for gap in plan.gaps if gap.key != e.key)
    return plan.but(
        gaps=gaps,
        parked=_without(plan.parked, e.key),
        queue=_without(plan.queue, e.key),
        landings=_landings_without(plan, e.key),
    )


def _apply_lane_ended(plan: Plan, e: LaneEnded) -> Plan:
    ended = next((lane for lane in plan.lanes if lane.task == e.task), None)
    plan = plan.but(lanes=tuple(lane for lane in plan.lanes if lane.task != e.task))
    if not ended or e.at <= ended.started_at:
        return plan
    return _with_duration(plan, e.task, e.at - ended.started_at)


def _with_duration(plan: Plan, task: str, seconds: float) -> Plan:
    others = tuple(pair for pair in plan.durations if pair[0] != task)
    return plan.but(durations=(*others, (task, round(seconds, 1))))


def _apply_worktree_prepared(plan: Plan, e: WorktreePrepared) -> Plan:
    others = tuple(other for other in plan.worktrees if other.task != e.worktree.task)
    return plan.but(worktrees=(*others, e.worktree))


def _apply_landing_blocked(plan: Plan, e: LandingBlocked) -> Plan:
    others = tuple(pair for pair in plan.landings if pair[0] != e.task)
    return plan.but(landings=(*others, (e.task, e.commit)))


def _apply_plan_changed(plan: Plan, e: PlanChanged) -> Plan:
    """Keep the progress of the tasks that are still in the plan."""
    plan = _with_moved_tasks(plan, dict(e.moved), frozenset(e.reopened))
    names = {task.id for task in e.plan.tasks}
    gap_keys = {gap.key for gap in plan.gaps}

    def in_plan(pairs: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in pairs if name in names or name in gap_keys)

    return plan.but(
        tasks=e.plan.tasks,
        must_haves=e.plan.must_haves,
        links=e.plan.links,
        marks=e.plan.marks,
        text_digest=e.plan.text_digest,
        skipped=e.plan.skipped,
        skipped_tasks=e.plan.skipped_tasks,
        added=e.plan.added,
        done=tuple(dict.fromkeys((*in_plan(plan.done), *in_plan(e.plan.done)))),
        parked=in_plan(plan.parked),
        assigned=in_plan(plan.assigned),
        failures=tuple(failure for failure in plan.failures if failure.task in names),
        landings=tuple(pair for pair in plan.landings if pair[0] in names),
    )


def _with_moved_tasks(plan: Plan, moved: dict[str, str], reopened: frozenset[str]) -> Plan:
    """The progress under the new ids, without that of ids that mean other work now."""

    def stays(name: str) -> bool:
        return name in moved or name not in reopened

    def moved_names(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(moved.get(name, name) for name in names if stays(name))

    def moved_pairs(pairs: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
        return tuple((moved.get(name, name), value) for name, value in pairs if stays(name))

    return plan.but(
        done=moved_names(plan.done),
        unshown=moved_names(plan.unshown),
        parked=moved_names(plan.parked),
        assigned=moved_names(plan.assigned),
        commits=moved_pairs(plan.commits),
        durations=moved_pairs(plan.durations),
        landings=moved_pairs(plan.landings),
        failures=tuple(
            failure.but(task=moved.get(failure.task, failure.task))
            for failure in plan.failures
            if stays(failure.task)
        ),
    )


def _apply_task_reopened(plan: Plan, e: TaskReopened) -> Plan:
    return plan.but(
        done=_without(plan.done, e.task),
        unshown=_without(plan.unshown, e.task),
        parked=_without(plan.parked, e.task),
        failures=tuple(failure for failure in plan.failures if failure.task != e.task),
        landings=_landings_without(plan, e.task),
    )


def _apply_unplanned(plan: Plan, e: UnplannedRecorded) -> Plan:
    new = tuple(change for change in e.changes if change not in plan.unplanned)
    return plan.but(unplanned=(*plan.unplanned, *new)[-MAX_HISTORY:])


PLAN_CHANGES: dict[str, Callable[[Plan, Any], Plan]] = {
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
    "GapTaken": lambda plan, e: plan.but(queue=_without(plan.queue, e.key)),
    "LaneStarted": lambda plan, e: plan.but(lanes=(*plan.lanes, e.lane)),
    "LaneEnded": _apply_lane_ended,
    "WorktreePrepared": _apply_worktree_prepared,
    "LandingBlocked": _apply_landing_blocked,
    "PlanChanged": _apply_plan_changed,
    "TaskTimed": lambda plan, e: _with_duration(plan, e.task, e.seconds),
    "TaskReopened": _apply_task_reopened,
    "UnplannedRecorded": _apply_unplanned,
    "CommitMade": lambda plan, e: plan.but(commits=(*plan.commits, (e.name, e.commit))),
}


def _evolve_plan(loop: Loop, event: Record) -> Loop:
    loop = loop.but(plan=PLAN_CHANGES[type(event).__name__](plan_of(loop), event))
    if isinstance(event, LaneStarted) and loop.run:
        return _start_turn_of_lane(loop, loop.run, event.lane)
    return loop


def _start_turn_of_lane(loop: Loop, run: Run, lane: Lane) -> Loop:
    """A lane that starts is also a turn that its runner starts."""
    from ..clock import advance_clock
    from ..runner.run import with_wait_ended

    run = with_wait_ended(run, lane.started_at)
    run = run.but(agent=lane.agent, turns_started=lane.turn_number)
    loop = advance_clock(loop, lane.started_at, running=True)
    return loop.but(run=run, dialogue=loop.dialogue.but(prompt_queued=False))


EVOLUTIONS = dict.fromkeys(PLAN_CHANGES, _evolve_plan)
