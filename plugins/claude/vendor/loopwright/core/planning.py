"""What happens to a plan: its events, and what each changes. (The values themselves: plan.py.)"""

from __future__ import annotations

from .loop import Loop
from .plan import Failed, Gap, Lane, Place, Plan, Round, plan_of
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST_ISSUES, MOST_ROUNDS = 50, 200


class Assigned(Record):
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


class Parked(Record):
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
    round: Round


class FixBegan(Record):
    """One more round: every gap that is not parked is to be mended once."""


class GapTried(Record):
    """A fix was tried, and the gap is still there."""

    key: str


class GapClosed(Record):
    key: str


class LaneBegan(Record):
    """The reserve is written down before a cent of it is spent."""

    lane: Lane


class LaneOver(Record):
    task: str


class PlaceLaid(Record):
    place: Place


class CommitMade(Record):
    """The work of a task, or the fix of a gap, is in this commit."""

    name: str
    commit: str


def _finished(plan: Plan, e: TaskFinished) -> Plan:
    commits = (*plan.commits, (e.task, e.commit)) if e.commit else plan.commits
    assigned = tuple(name for name in plan.assigned if name != e.task)
    parked = tuple(name for name in plan.parked if name != e.task)
    return plan.but(done=(*plan.done, e.task), assigned=assigned, parked=parked, commits=commits)


def _failed(plan: Plan, e: TaskFailed) -> Plan:
    now = Failed(e.task, plan.failure(e.task).times + 1, e.error, e.analysis, e.fix)
    others = tuple(failed for failed in plan.failed if failed.task != e.task)
    return plan.but(failed=(*others, now), assigned=tuple(name for name in plan.assigned if name != e.task))


def _found(plan: Plan, e: GapsFound) -> Plan:
    gone = {gap.key for gap in plan.gaps} - {gap.key for gap in e.gaps}
    parked = tuple(name for name in plan.parked if name not in gone)
    return plan.but(gaps=e.gaps, queue=(), assigned=(), parked=parked, history=(*plan.history, e.round)[-MOST_ROUNDS:])


def _fix_began(plan: Plan, e: FixBegan) -> Plan:
    return plan.but(round=plan.round + 1, queue=tuple(gap.key for gap in plan.open_gaps))


def _assigned(plan: Plan, e: Assigned) -> Plan:
    return plan.but(assigned=e.names, queue=tuple(key for key in plan.queue if key not in e.names))


def _tried(plan: Plan, e: GapTried) -> Plan:
    return plan.but(gaps=tuple(gap.but(tries=gap.tries + 1) if gap.key == e.key else gap for gap in plan.gaps))


def _closed(plan: Plan, e: GapClosed) -> Plan:
    parked = tuple(name for name in plan.parked if name != e.key)
    return plan.but(gaps=tuple(gap for gap in plan.gaps if gap.key != e.key), parked=parked)


def _over(plan: Plan, e: LaneOver) -> Plan:
    return plan.but(lanes=tuple(lane for lane in plan.lanes if lane.task != e.task))


def _laid(plan: Plan, e: PlaceLaid) -> Plan:
    others = tuple(place for place in plan.places if place.task != e.place.task)
    return plan.but(places=(*others, e.place))


CHANGES: dict[str, Callable[[Plan, Any], Plan]] = {
    "Assigned": _assigned,
    "TaskFinished": _finished,
    "TaskFailed": _failed,
    "Parked": lambda plan, e: plan.but(parked=(*plan.parked, e.name)),
    "IssueSeen": lambda plan, e: plan.but(issues=(*plan.issues, e.text)[-MOST_ISSUES:]),
    "StageEntered": lambda plan, e: plan.but(stage=e.stage, assigned=(), queue=()),
    "GapsFound": _found,
    "FixBegan": _fix_began,
    "GapTried": _tried,
    "GapClosed": _closed,
    "LaneBegan": lambda plan, e: plan.but(lanes=(*plan.lanes, e.lane)),
    "LaneOver": _over,
    "PlaceLaid": _laid,
    "CommitMade": lambda plan, e: plan.but(commits=(*plan.commits, (e.name, e.commit))),
}


def evolve(loop: Loop, event: Record) -> Loop:
    """The loop after an event of its plan. A turn of a lane is one that the runner has begun."""
    changed = loop.but(plan=CHANGES[type(event).__name__](plan_of(loop), event))
    if isinstance(event, LaneBegan) and changed.run:
        from .engine import tick
        from .running import waited

        run = waited(changed.run, event.lane.at).but(agent=event.lane.agent, turns=event.lane.number)
        changed = tick(changed, event.lane.at, True).but(run=run, prompt_waits=False)
    return changed
