"""Events of a plan, and what each changes."""

from __future__ import annotations

from ..event import Event
from ..loop import Loop, plan_of
from .plan import Gap, HistoryEntry, Lane, Plan, TaskFailure, TaskWorktree, UnplannedChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_ISSUES, MAX_HISTORY = 50, 200


class PlanEvent(Event, is_kind=False):
    """An event that changes the plan."""

    def apply(self, loop: Loop) -> Loop:
        return loop.but(plan=self.change(plan_of(loop)))

    def change(self, plan: Plan) -> Plan:
        raise NotImplementedError


class WorkAssigned(PlanEvent):
    """What the agent works on next: tasks, or keys of gaps."""

    names: tuple[str, ...]

    def change(self, plan: Plan) -> Plan:
        return plan.but(
            assigned=self.names, queue=tuple(key for key in plan.queue if key not in self.names)
        )


class TaskFinished(PlanEvent):
    """The agent claimed the task, and all checks of it that may run pass."""

    task: str
    commit: str = ""
    is_unshown: bool = False  # no check and no file is about it: only the agent says so

    def change(self, plan: Plan) -> Plan:
        return plan.but(
            done=(*plan.done, self.task),
            unshown=(*plan.unshown, self.task) if self.is_unshown else plan.unshown,
            assigned=_without(plan.assigned, self.task),
            parked=_without(plan.parked, self.task),
            commits=(*plan.commits, (self.task, self.commit)) if self.commit else plan.commits,
            landings=_landings_without(plan, self.task),
        )


class TaskFailed(PlanEvent):
    task: str
    error: str
    analysis: str = ""
    fix: str = ""

    def change(self, plan: Plan) -> Plan:
        failure = TaskFailure(
            task=self.task,
            times=plan.failure_of(self.task).times + 1,
            error=self.error,
            analysis=self.analysis,
            fix=self.fix,
        )
        others = tuple(earlier for earlier in plan.failures if earlier.task != self.task)
        return plan.but(
            failures=(*others, failure),
            assigned=_without(plan.assigned, self.task),
            landings=_landings_without(plan, self.task),
        )


class WorkParked(PlanEvent):
    """A task, or a gap by its key, has no retries left. The others continue."""

    name: str

    def change(self, plan: Plan) -> Plan:
        return plan.but(parked=(*plan.parked, self.name))


class IssueSeen(PlanEvent):
    """NEW ISSUE: something that the agent found outside its task."""

    text: str

    def change(self, plan: Plan) -> Plan:
        return plan.but(issues=(*plan.issues, self.text)[-MAX_ISSUES:])


class StageEntered(PlanEvent):
    stage: str

    def change(self, plan: Plan) -> Plan:
        return plan.but(stage=self.stage, assigned=(), queue=())


class GapsFound(PlanEvent):
    """A whole verification is over: its gaps, and its line in the history."""

    gaps: tuple[Gap, ...]
    history_entry: HistoryEntry

    def change(self, plan: Plan) -> Plan:
        gone = {gap.key for gap in plan.gaps} - {gap.key for gap in self.gaps}
        return plan.but(
            gaps=self.gaps,
            queue=(),
            assigned=(),
            parked=tuple(name for name in plan.parked if name not in gone),
            landings=_landings_without(plan, *gone),
            history=(*plan.history, self.history_entry)[-MAX_HISTORY:],
        )


class FixRoundStarted(PlanEvent):
    """A fix round starts: every gap that is not parked is tried once."""

    def change(self, plan: Plan) -> Plan:
        return plan.but(
            fix_rounds=plan.fix_rounds + 1, queue=tuple(gap.key for gap in plan.open_gaps)
        )


class GapFixFailed(PlanEvent):
    """A fix was tried, and the gap is still open."""

    key: str

    def change(self, plan: Plan) -> Plan:
        gaps = (gap.but(tries=gap.tries + 1) if gap.key == self.key else gap for gap in plan.gaps)
        return plan.but(gaps=tuple(gaps), landings=_landings_without(plan, self.key))


class GapClosed(PlanEvent):
    key: str

    def change(self, plan: Plan) -> Plan:
        gaps = tuple(gap for gap in plan.gaps if gap.key != self.key)
        return plan.but(
            gaps=gaps,
            parked=_without(plan.parked, self.key),
            queue=_without(plan.queue, self.key),
            landings=_landings_without(plan, self.key),
        )


class GapTaken(PlanEvent):
    """A lane fixes this gap now."""

    key: str

    def change(self, plan: Plan) -> Plan:
        return plan.but(queue=_without(plan.queue, self.key))


class LaneStarted(PlanEvent):
    """A lane starts. Its reserve is recorded before any of it is spent."""

    lane: Lane

    def change(self, plan: Plan) -> Plan:
        return plan.but(lanes=(*plan.lanes, self.lane))

    def apply(self, loop: Loop) -> Loop:
        """A lane that starts is also a turn that its runner starts."""
        from ..clock import advance_clock
        from ..runner.run import with_wait_ended

        loop, lane = super().apply(loop), self.lane
        if not loop.run:
            return loop
        run = with_wait_ended(loop.run, lane.started_at)
        run = run.but(agent=lane.agent, turns_started=lane.turn_number)
        loop = advance_clock(loop, lane.started_at, running=True)
        return loop.but(run=run, dialogue=loop.dialogue.but(prompt_queued=False))


class LaneEnded(PlanEvent):
    task: str
    at: float = 0.0

    def change(self, plan: Plan) -> Plan:
        ended = next((lane for lane in plan.lanes if lane.task == self.task), None)
        plan = plan.but(lanes=tuple(lane for lane in plan.lanes if lane.task != self.task))
        if not ended or self.at <= ended.started_at:
            return plan
        return _with_duration(plan, self.task, self.at - ended.started_at)


class WorktreePrepared(PlanEvent):
    worktree: TaskWorktree

    def change(self, plan: Plan) -> Plan:
        others = tuple(other for other in plan.worktrees if other.task != self.worktree.task)
        return plan.but(worktrees=(*others, self.worktree))


class CommitMade(PlanEvent):
    """This commit holds the work of a task or the fix of a gap."""

    name: str
    commit: str

    def change(self, plan: Plan) -> Plan:
        return plan.but(commits=(*plan.commits, (self.name, self.commit)))


class LandingBlocked(PlanEvent):
    """The work of a task is proven, and only a person can let it land."""

    task: str
    commit: str
    why: str

    def change(self, plan: Plan) -> Plan:
        others = tuple(pair for pair in plan.landings if pair[0] != self.task)
        return plan.but(landings=(*others, (self.task, self.commit)))


class PlanChanged(PlanEvent):
    """A person changed the plan after the start: its tasks, must-haves, links and marks."""

    plan: Plan
    what: str = ""
    moved: tuple[tuple[str, str], ...] = ()  # tasks that are the same under another id: old, new
    reopened: tuple[str, ...] = ()  # ids that mean other work now, so their progress is void

    def change(self, plan: Plan) -> Plan:
        """Keep the progress of the tasks that are still in the plan."""
        plan = _with_moved_tasks(plan, dict(self.moved), frozenset(self.reopened))
        names = {task.id for task in self.plan.tasks}
        gap_keys = {gap.key for gap in plan.gaps}

        def in_plan(pairs: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in pairs if name in names or name in gap_keys)

        return plan.but(
            tasks=self.plan.tasks,
            must_haves=self.plan.must_haves,
            links=self.plan.links,
            marks=self.plan.marks,
            text_digest=self.plan.text_digest,
            skipped=self.plan.skipped,
            skipped_tasks=self.plan.skipped_tasks,
            added=self.plan.added,
            done=tuple(dict.fromkeys((*in_plan(plan.done), *in_plan(self.plan.done)))),
            parked=in_plan(plan.parked),
            assigned=in_plan(plan.assigned),
            failures=tuple(failure for failure in plan.failures if failure.task in names),
            landings=tuple(pair for pair in plan.landings if pair[0] in names),
        )


class TaskTimed(PlanEvent):
    """How long a turn for this task took; a turn in a lane is timed by LaneEnded."""

    task: str
    seconds: float

    def change(self, plan: Plan) -> Plan:
        return _with_duration(plan, self.task, self.seconds)


class TaskReopened(PlanEvent):
    """A task is to be done once more, whether it was done or parked."""

    task: str

    def change(self, plan: Plan) -> Plan:
        return plan.but(
            done=_without(plan.done, self.task),
            unshown=_without(plan.unshown, self.task),
            parked=_without(plan.parked, self.task),
            failures=tuple(failure for failure in plan.failures if failure.task != self.task),
            landings=_landings_without(plan, self.task),
        )


class UnplannedRecorded(PlanEvent):
    changes: tuple[UnplannedChange, ...]

    def change(self, plan: Plan) -> Plan:
        new = tuple(change for change in self.changes if change not in plan.unplanned)
        return plan.but(unplanned=(*plan.unplanned, *new)[-MAX_HISTORY:])


def _without(names: tuple[str, ...], gone: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != gone)


def _landings_without(plan: Plan, *gone: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in plan.landings if pair[0] not in gone)


def _with_duration(plan: Plan, task: str, seconds: float) -> Plan:
    others = tuple(pair for pair in plan.durations if pair[0] != task)
    return plan.but(durations=(*others, (task, round(seconds, 1))))


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
