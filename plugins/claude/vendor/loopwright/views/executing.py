"""A plan at a glance: where each task stands, what verification found. Pure; for status, the live view and the report."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.plan import VERIFY, Failed, Plan, Task, plan_of
from ..core.schedule import blocked, waves
from ..core.signals import TurnOver
from ..core.wording import clip, counted
from .waves import MARKS, PARKED, state


def rows(loop: Loop) -> list[str]:
    """For `loop status`: the tasks by wave, then the gaps."""
    plan = plan_of(loop)
    found = [f"phase {plan.phase}, {plan.stage}: {len(plan.done)}/{len(plan.tasks)} tasks{_rounds(plan)}"]
    stuck = blocked(plan)
    for wave, tasks in waves(plan):
        found.append(f"wave {wave}:")
        found += [f"  {_task(plan, task, task.id in stuck)}" for task in tasks]
    if plan.gaps:
        found += [f"{counted(len(plan.gaps), 'gap')}:", *(f"  {_gap(plan, gap.key)} {clip(gap.text, 90)}" for gap in plan.gaps)]
    return [*found, *(f"new issue: {clip(issue, 100)}" for issue in plan.issues[-5:])]


def _rounds(plan: Plan) -> str:
    return f", round {plan.round}/{plan.rounds}" if plan.stage == VERIFY else ""


def _task(plan: Plan, task: Task, stuck: bool) -> str:
    stands = state(plan, task)
    times = plan.failure(task.id).times
    tried = f" (failed {times}x)" if times else ""
    commit = dict(plan.commits).get(task.id, "")
    word = " parked" if stands == PARKED else " blocked" if stuck else ""
    return f"{MARKS[stands]} {task.id} {clip(task.title, 70)}{word}{tried}{f' {commit[:10]}' if commit else ''}"


def _gap(plan: Plan, key: str) -> str:
    return f"{'⏸' if key in plan.parked else '✗'} {key}"


def _failure(plan: Plan, failed: Failed) -> str:
    why = clip(" ".join(failed.error.split()), 160)
    return f"✗ task {failed.task} failed ({failed.times} of {plan.retries + 1}): {why}"


def turn(before: Loop, after: Loop) -> list[str]:
    """What one turn came to, in lines."""
    old, new = plan_of(before), plan_of(after)
    found = [f"✓ task {name} complete" for name in new.done if name not in old.done]
    found += [_failure(new, one) for one in new.failed if one.times > old.failure(one.task).times]
    found += [f"⏸ {name} parked" for name in new.parked if name not in old.parked]
    keys = {gap.key for gap in new.gaps}
    found += [f"✓ gap closed: {gap.key}" for gap in old.gaps if gap.key not in keys]
    if len(new.history) > len(old.history):
        found += [f"verification: {new.history[-1].result}", *(f"✗ gap {key}" for key in new.history[-1].gaps)]
    found += [f"new issue: {issue}" for issue in new.issues[len(old.issues) :]]
    return found


def seconds(turn: TurnOver, before: Loop) -> float:
    """How long the turn of a lane took."""
    task = turn.lane.task if turn.lane else ""
    return turn.at - next((lane.at for lane in plan_of(before).lanes if lane.task == task), turn.at)
