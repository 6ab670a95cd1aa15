"""What is given out: the next tasks or gaps to the agent of a session, one of them to a runner's turn, a task to each lane."""

from __future__ import annotations

from .. import assignments, wording
from .. import events as ev
from .. import planning as pl
from ..loop import Criterion, Loop
from ..plan import VERIFY, Lane, plan_of
from ..schedule import ready
from ..signals import Began, Continue, Directive, Stop


def asks(loop: Loop) -> bool:
    """Interactive: between tasks a person is asked. Yolo, or under a runner: nobody is."""
    return loop.gates and not loop.headless


def go_on(draft: ev.Draft) -> Directive:
    """The next tasks are given out, or the next gaps, and the agent is told."""
    assign(draft)
    draft.say(ev.TurnContinued())
    return Continue(assignments.go_on(draft.loop), wording.note(draft.loop, ""))


def assign(draft: ev.Draft) -> None:
    """A session gets all that may run together; a runner's turn is for one thing."""
    loop, plan = draft.loop, plan_of(draft.loop)
    one = 1 if loop.headless else None
    if plan.stage == VERIFY:
        given = plan.assigned or plan.queue[:one]
    else:
        given = tuple(task.id for task in ready(plan))[:one] if not in_lanes(loop) else ()
    if given != plan.assigned:
        draft.say(pl.Assigned(given))


def in_lanes(loop: Loop) -> bool:
    return bool(loop.headless and loop.headless.lanes)


def lane_began(draft: ev.Draft, signal: Began, agent: str) -> Directive:
    """A task begins in a worktree of its own, with its share of the money that is left."""
    loop, plan, place = draft.loop, plan_of(draft.loop), signal.place
    assert place is not None, "BUG: a lane has a place"
    assert loop.run is not None, "BUG: only a runner begins a lane"
    left = loop.limits.dollars - loop.spend.dollars - sum(lane.reserve for lane in plan.lanes)
    turns = loop.limits.iterations - loop.spend.iterations - len(plan.lanes)
    waiting = {task.id for task in ready(plan)}
    if left <= 0 or turns <= 0 or place.task not in waiting:
        return Stop("not now")
    if plan.place(place.task) != place:
        draft.say(pl.PlaceLaid(place))
    share = left / max(1, min(loop.run.lanes - len(plan.lanes), len(waiting)))
    draft.say(pl.LaneBegan(Lane(place.task, signal.at, agent, min(signal.most or share, left), loop.run.turns + 1)))
    return Continue(assignments.of_a_lane(draft.loop, place.task))


def fails(loop: Loop, c: Criterion) -> bool:
    """Our own run says no. What waits for a person's `loop allow`, or can only be claimed, says nothing yet."""
    return bool(c.check and c.check.allowed and not loop.is_met(c))
