"""What is given out: the next tasks or gaps to the agent of a session, one of them to a runner's turn, a task to each lane."""

from __future__ import annotations

from .. import events as ev
from ..criteria import Criterion
from ..directives import Continue, Directive, Stop
from ..draft import Draft
from ..loop import Loop, plan_of
from ..plan import events as pl
from ..plan.plan import VERIFY, Lane
from ..plan.schedule import ready_tasks
from ..prompts import messages
from ..prompts import plan as assignments
from ..signals import TurnStarting


def asks_person(loop: Loop) -> bool:
    """Interactive: between tasks a person is asked. Yolo, or under a runner: nobody is."""
    return loop.gates_enabled and not loop.headless_run


def assign_and_continue(draft: Draft) -> Directive:
    """The next tasks are given out, or the next gaps, and the agent is told."""
    assign_work(draft)
    draft.record(ev.TurnContinued())
    return Continue(
        assignments.continue_prompt(draft.loop), messages.iteration_note(draft.loop, "")
    )


def assign_work(draft: Draft) -> None:
    """A session gets all that may run together; a runner's turn is for one thing."""
    loop, plan = draft.loop, plan_of(draft.loop)
    one = 1 if loop.headless_run else None
    if plan.stage == VERIFY:
        given = plan.assigned or plan.queue[:one]
    else:
        given = tuple(task.id for task in ready_tasks(plan))[:one] if not uses_lanes(loop) else ()
    if given != plan.assigned:
        draft.record(pl.WorkAssigned(given))


def uses_lanes(loop: Loop) -> bool:
    return bool(loop.headless_run and loop.headless_run.lanes)


def start_lane(draft: Draft, signal: TurnStarting, agent: str) -> Directive:
    """A task begins in a worktree of its own, with its share of the money that is left."""
    loop, plan, place = draft.loop, plan_of(draft.loop), signal.worktree
    assert place is not None, "BUG: a lane has a place"
    assert loop.run is not None, "BUG: only a runner begins a lane"
    left = (
        loop.limits.dollars - loop.spend.dollars - sum(lane.reserved_dollars for lane in plan.lanes)
    )
    turns = loop.limits.iterations - loop.spend.iterations - len(plan.lanes)
    waiting = {task.id for task in ready_tasks(plan)}
    if left <= 0 or turns <= 0 or place.task not in waiting:
        return Stop("not now")
    if plan.worktree_of(place.task) != place:
        draft.record(pl.WorktreePrepared(place))
    share = left / max(1, min(loop.run.lanes - len(plan.lanes), len(waiting)))
    draft.record(
        pl.LaneStarted(
            Lane(
                place.task,
                signal.at,
                agent,
                min(signal.max_dollars or share, left),
                loop.run.turns_started + 1,
            )
        )
    )
    return Continue(assignments.lane_prompt(draft.loop, place.task))


def is_failing(loop: Loop, c: Criterion) -> bool:
    """Our own run says no. What waits for a person's `loop allow`, or can only be claimed, says nothing yet."""
    return bool(c.check and c.check.allowed and not loop.is_met(c))
