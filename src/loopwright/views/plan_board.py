"""The state of a plan: its tasks and gaps, for status, the live view and the report. Pure."""

from __future__ import annotations

from ..core.loop import Loop, plan_of
from ..core.plan.plan import VERIFY, Gap, Plan, Task, TaskFailure
from ..core.plan.schedule import blocked_tasks, tasks_by_wave
from ..core.prompts.phrases import clip_text, count_phrase
from ..core.prompts.plan_person import unplanned_text
from ..core.signals import TurnOver
from .plan_estimate import remaining_text
from .plan_waves import PARKED, TASK_MARKS, task_state
from .rows import names_not_in, prefix_rows

MAX_UNPLANNED = 10


def rows(loop: Loop) -> list[str]:
    """For `loop status`: the tasks by wave, then the gaps."""
    plan = plan_of(loop)
    done = f"{len(plan.done)}/{len(plan.tasks)} tasks"
    lines = [f"phase {plan.phase}, {plan.stage}: {done}{_round_suffix(plan)}"]
    lines += filter(None, [remaining_text(loop)])
    blocked = blocked_tasks(plan)
    for wave, tasks in tasks_by_wave(plan):
        lines.append(f"wave {wave}:")
        lines += [f"  {_task_line(plan, task, task.id in blocked)}" for task in tasks]
    if plan.gaps:
        lines.append(f"{count_phrase(len(plan.gaps), 'gap')}:")
        lines += [f"  {_gap_line(plan, gap)}" for gap in plan.gaps]
    lines += [f"new issue: {clip_text(issue, 100)}" for issue in plan.issues[-5:]]
    lines += [f"proven, cannot land yet: task {task}" for task, _ in plan.landings]
    lines += [unplanned_text(change) for change in plan.unplanned[-MAX_UNPLANNED:]]
    return lines


def _round_suffix(plan: Plan) -> str:
    return f", round {plan.fix_rounds}/{plan.max_fix_rounds}" if plan.stage == VERIFY else ""


def _task_line(plan: Plan, task: Task, blocked: bool) -> str:
    state = task_state(plan, task)
    line = f"{TASK_MARKS[state]} {task.id} {clip_text(task.title, 70)}"
    if state == PARKED:
        line += " parked"
    elif blocked:
        line += " blocked"
    if failures := plan.failure_of(task.id).times:
        line += f" (failed {failures}x)"
    if commit := dict(plan.commits).get(task.id):
        line += f" {commit[:10]}"
    return line


def _gap_line(plan: Plan, gap: Gap) -> str:
    return f"{'⏸' if gap.key in plan.parked else '✗'} {gap.key} {clip_text(gap.text, 90)}"


def _failure_line(plan: Plan, failure: TaskFailure) -> str:
    error = clip_text(" ".join(failure.error.split()), 160)
    return f"✗ task {failure.task} failed ({failure.times} of {plan.retries + 1}): {error}"


def turn_changes(before: Loop, after: Loop) -> list[str]:
    """What one turn changed, in lines."""
    old, new = plan_of(before), plan_of(after)
    lines = [f"✓ task {name} complete" for name in names_not_in(new.done, old.done)]
    lines += [_failure_line(new, failure) for failure in _new_failures(old, new)]
    lines += [f"⏸ {name} parked" for name in names_not_in(new.parked, old.parked)]
    lines += prefix_rows("✓ gap closed: ", names_not_in(_gap_keys(old), _gap_keys(new)))
    if len(new.history) > len(old.history):
        latest = new.history[-1]
        lines.append(f"verification: {latest.result}")
        lines += prefix_rows("✗ gap ", latest.gaps)
    lines += prefix_rows("new issue: ", new.issues[len(old.issues) :])
    return lines


def _new_failures(old: Plan, new: Plan) -> list[TaskFailure]:
    """The tasks that failed once more since the old plan."""
    return [
        failure for failure in new.failures if failure.times > old.failure_of(failure.task).times
    ]


def _gap_keys(plan: Plan) -> list[str]:
    return [gap.key for gap in plan.gaps]


def lane_seconds(turn: TurnOver, before: Loop) -> float:
    """How long the turn of a lane took."""
    task = turn.lane_result.task if turn.lane_result else ""
    starts = (lane.started_at for lane in plan_of(before).lanes if lane.task == task)
    return turn.at - next(starts, turn.at)
