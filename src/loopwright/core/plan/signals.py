"""Signals about a plan: its lanes, its commits, and changes of the plan itself."""

from __future__ import annotations

from ..criteria import Criterion
from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .plan import Plan, UnplannedChange


class LaneMerged(Record):
    """A lane is merged, and the main checkout has this tree; or `problem` says why not."""

    at: float
    session: str
    task: str
    commit: str = ""
    problem: str = ""
    tree: str = ""
    blocked: bool = False  # only a person can solve the problem; the work itself is proven
    unchanged: bool = False  # the lane changed nothing: main passed the checks already


class LaneReady(Record):
    """A lane holds the work of an earlier turn, merged with main in this commit and not landed."""

    at: float
    session: str
    task: str
    commit: str
    tree: str = ""


class PlanEdited(Record):
    """A person changed the plan after the start: other tasks, or tasks to do once more."""

    at: float
    plan: Plan | None = None  # the new tasks, must-haves, links and marks; None: as they are
    criteria: tuple[Criterion, ...] = ()  # all criteria, with those of the new tasks
    retry: tuple[str, ...] = ()
    what: str = ""  # the change in words, for the journal and the person
    moved: tuple[tuple[str, str], ...] = ()  # tasks that are the same under another id: old, new
    reopened: tuple[str, ...] = ()  # ids that mean other work now, so their progress is void


class UnplannedSeen(Record):
    """A runner saw changes that no task of the plan makes."""

    at: float
    changes: tuple[UnplannedChange, ...]


class Committed(Record):
    """A runner committed the work of a task, or the fix of a gap."""

    at: float
    name: str
    commit: str
