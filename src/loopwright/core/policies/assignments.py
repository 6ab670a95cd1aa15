"""Assign work of a plan: tasks or gaps to a session, one to a runner's turn, a task to a lane."""

from __future__ import annotations

from .. import events as ev
from ..criteria import Criterion
from ..directives import Continue, Directive, Stop
from ..draft import Draft
from ..limits import turn_dollars
from ..loop import Loop, plan_of
from ..plan import events as pl
from ..plan.plan import VERIFY, Lane
from ..plan.schedule import ready_tasks
from ..prompts import messages
from ..prompts import plan as assignments
from ..signals import TurnStarting


def asks_person(loop: Loop) -> bool:
    """Does the loop ask a person between tasks? Not in yolo mode and not under a runner."""
    return loop.gates_enabled and not loop.headless_run


def assign_and_continue(draft: Draft) -> Directive:
    """Assign the next tasks or gaps and continue the agent with them."""
    assign_work(draft)
    draft.record(ev.TurnContinued())
    prompt = assignments.continue_prompt(draft.loop)
    return Continue(prompt, messages.iteration_note(draft.loop, ""))


def assign_work(draft: Draft) -> None:
    """Assign all work that may run together to a session, and one piece of it to a runner."""
    loop, plan = draft.loop, plan_of(draft.loop)
    most = 1 if loop.headless_run else None
    if plan.stage == VERIFY:
        in_lanes = uses_lanes(loop) and len(plan.queue) > 1
        names = plan.assigned if in_lanes else plan.assigned or plan.queue[:most]
    elif uses_lanes(loop):
        names = ()
    else:
        # In place no order is faster than another, so what tasks took so far does not count.
        names = tuple(task.id for task in ready_tasks(plan.but(durations=())))[:most]
    if names != plan.assigned:
        draft.record(pl.WorkAssigned(names))


def uses_lanes(loop: Loop) -> bool:
    return bool(loop.headless_run and loop.headless_run.lanes)


def start_lane(draft: Draft, signal: TurnStarting, agent: str) -> Directive:
    """Start a task in its own worktree, with its share of the dollars that are left."""
    loop, plan, worktree = draft.loop, plan_of(draft.loop), signal.worktree
    assert worktree is not None, "BUG: a lane has a worktree"
    assert loop.run is not None, "BUG: only a runner starts a lane"
    reserved = sum(lane.reserved_dollars for lane in plan.lanes)
    dollars_left = loop.limits.dollars - loop.spend.dollars - reserved
    turns_left = loop.limits.iterations - loop.spend.iterations - len(plan.lanes)
    ready = set(plan.queue) if plan.stage == VERIFY else {task.id for task in ready_tasks(plan)}
    if dollars_left <= 0 or turns_left <= 0 or worktree.task not in ready:
        return Stop("not now")
    if plan.worktree_of(worktree.task) != worktree:
        draft.record(pl.WorktreePrepared(worktree))
    share = dollars_left / max(1, min(loop.run.lanes - len(plan.lanes), len(ready)))
    most = min(share, turn_dollars(loop.limits, dollars_left))
    lane = Lane(
        task=worktree.task,
        started_at=signal.at,
        agent=agent,
        reserved_dollars=min(signal.max_dollars or most, dollars_left),
        turn_number=loop.run.turns_started + 1,
    )
    if plan.stage == VERIFY:
        draft.record(pl.GapTaken(worktree.task))
    draft.record(pl.LaneStarted(lane))
    return Continue(assignments.lane_prompt(draft.loop, worktree.task))


def is_failing(loop: Loop, c: Criterion) -> bool:
    """Does our own run fail? A check that may not run yet, is missing or disputed does not fail."""
    return c.may_run and not loop.is_met(c) and c.name not in loop.disputed_criteria
