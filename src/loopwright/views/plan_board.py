"""A plan at a glance: where each task stands, what verification found. Pure; for status, the live view and the report."""

from __future__ import annotations

from ..core.loop import Loop, plan_of
from ..core.plan.plan import VERIFY, Plan, Task, TaskFailure
from ..core.plan.schedule import blocked_tasks, tasks_by_wave
from ..core.prompts.phrases import clip_text, count_phrase
from ..core.signals import TurnOver
from .plan_waves import PARKED, TASK_MARKS, task_state


def rows(loop: Loop) -> list[str]:
    """For `loop status`: the tasks by wave, then the gaps."""
    plan = plan_of(loop)
    found = [
        f"phase {plan.phase}, {plan.stage}: {len(plan.done)}/{len(plan.tasks)} tasks{_round_suffix(plan)}"
    ]
    stuck = blocked_tasks(plan)
    for wave, tasks in tasks_by_wave(plan):
        found.append(f"wave {wave}:")
        found += [f"  {_task_line(plan, task, task.id in stuck)}" for task in tasks]
    if plan.gaps:
        found += [
            f"{count_phrase(len(plan.gaps), 'gap')}:",
            *(f"  {_gap_line(plan, gap.key)} {clip_text(gap.text, 90)}" for gap in plan.gaps),
        ]
    return [*found, *(f"new issue: {clip_text(issue, 100)}" for issue in plan.issues[-5:])]


def _round_suffix(plan: Plan) -> str:
    return f", round {plan.fix_rounds}/{plan.max_fix_rounds}" if plan.stage == VERIFY else ""


def _task_line(plan: Plan, task: Task, stuck: bool) -> str:
    stands = task_state(plan, task)
    times = plan.failure_of(task.id).times
    tried = f" (failed {times}x)" if times else ""
    commit = dict(plan.commits).get(task.id, "")
    word = " parked" if stands == PARKED else " blocked" if stuck else ""
    return f"{TASK_MARKS[stands]} {task.id} {clip_text(task.title, 70)}{word}{tried}{f' {commit[:10]}' if commit else ''}"


def _gap_line(plan: Plan, key: str) -> str:
    return f"{'⏸' if key in plan.parked else '✗'} {key}"


def _failure_line(plan: Plan, failed: TaskFailure) -> str:
    why = clip_text(" ".join(failed.error.split()), 160)
    return f"✗ task {failed.task} failed ({failed.times} of {plan.retries + 1}): {why}"


def turn_changes(before: Loop, after: Loop) -> list[str]:
    """What one turn came to, in lines."""
    old, new = plan_of(before), plan_of(after)
    found = [f"✓ task {name} complete" for name in new.done if name not in old.done]
    found += [
        _failure_line(new, one)
        for one in new.failures
        if one.times > old.failure_of(one.task).times
    ]
    found += [f"⏸ {name} parked" for name in new.parked if name not in old.parked]
    keys = {gap.key for gap in new.gaps}
    found += [f"✓ gap closed: {gap.key}" for gap in old.gaps if gap.key not in keys]
    if len(new.history) > len(old.history):
        found += [
            f"verification: {new.history[-1].result}",
            *(f"✗ gap {key}" for key in new.history[-1].gaps),
        ]
    found += [f"new issue: {issue}" for issue in new.issues[len(old.issues) :]]
    return found


def lane_seconds(turn: TurnOver, before: Loop) -> float:
    """How long the turn of a lane took."""
    task = turn.lane_result.task if turn.lane_result else ""
    return turn.at - next(
        (lane.started_at for lane in plan_of(before).lanes if lane.task == task), turn.at
    )
