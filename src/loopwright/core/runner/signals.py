"""Signals of a runner: it takes the loop over, or starts a turn."""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..plan.plan import TaskWorktree
    from .sandbox import SandboxReport


class RunnerAttached(Record):
    """A runner takes over the loop. It may use these agents, in this order."""

    at: float
    session: str  # runner:<pid>
    pid: int
    agents: tuple[str, ...]
    base_commit: str = ""  # the commit that it starts from
    lanes: int = 0  # how many tasks run in parallel, each in a worktree; 0: in place, in sequence
    strict: bool = False  # the first task that has no retries left pauses the loop
    leave: float = 0.0  # the share of a usage window that stays unused
    branch: str = ""  # the branch that is checked out; "": none
    sandbox: SandboxReport | None = None  # what a probe found inside; None: there is none
    by_dependencies: bool = False  # tasks do not wait for earlier waves
    order: str = ""  # "eager": tasks wait for no wave; "waves": for all; "": as the start says
    keeps_crashes: bool = False  # it continues the wait after a crash that another runner began
    tree: str = ""  # of the files, where checks that were cut off are finished


class TurnStarting(Record):
    """A runner is about to start a turn and may spend `max_dollars` (0: all that is left)."""

    at: float
    session: str
    max_dollars: float = 0.0
    worktree: TaskWorktree | None = None  # the worktree of the task that the turn is for
