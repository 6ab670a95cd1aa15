"""Signals that an ordinary Stop neither gets nor makes. Use them through `signals.py`."""

from __future__ import annotations

from .criteria import Criterion
from .findings import ExplainedTests
from .loop import Room
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .findings import Finding
    from .plan.plan import Plan, TaskWorktree, UnplannedChange
    from .proof.clean_checkout import RoomCheck, RoomRun
    from .runner.sandbox import SandboxReport


class BaselineComparison(Record):
    """The comparison with the baseline. `tree` was hashed again from the content of the files."""

    at: float
    round: int
    fence: int
    tree: str
    findings: tuple[Finding, ...] = ()
    raced_checks: tuple[str, ...] = ()  # criteria whose check ran before or while files changed
    written_files: str = ""  # the files that changed
    kept_commit: str = ""  # the commit that holds the tree
    tree_problem: str = ""
    explained_tests: ExplainedTests = ExplainedTests()


class TreeHashed(Record):
    """The files were hashed again, from their content, as the last act of the final proof."""

    at: float
    round: int
    fence: int
    tree: str
    tree_problem: str = ""


class RoomResult(Record):
    """A run of the final proof in a clean checkout has ended."""

    at: float
    round: int
    fence: int
    run: RoomRun


class StartMeasurement(Record):
    """Checks that were allowed after the start ran in place, on the tree of the start."""

    at: float
    criteria: tuple[Criterion, ...]  # as a start records them: proof, guard, counts
    room: Room  # as it is planned with these results


class CalibrationResult(Record):
    """The checks ran in a clean checkout of the tree of the start."""

    at: float
    status: str
    why: str = ""
    setup: str = ""
    checks: tuple[RoomCheck, ...] = ()
    round: int = 0  # of the final proof that waits for it; 0: it ran in the background
    fence: int = 0
    binding: str = ""
    packages: str = ""
    prepare_seconds: float = 0.0


class ClockSkipped(Record):
    """The wall clock went further than the time awake; less than 0: it was set back."""

    at: float
    seconds: float


class BacklogEdited(Record):
    """`loop backlog`, or an edit of the page: items found, done or removed, focus and notes."""

    at: float
    found: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    item_order: tuple[str, ...] = ()  # the open items in the order of the page
    focus: str | None = None
    notes: str | None = None  # all notes of the page
    new_note: str = ""  # a note to add
    notes_on_page: tuple[str, ...] = ()  # notes by command that the page already had
    tampered_fields: tuple[str, ...] = ()


class MirrorLost(Record):
    """state.json or the page was deleted, set to paused or cancelled by hand, or cannot be read."""

    at: float
    how: str  # deleted, paused, cancelled or unreadable
    aside_path: str = ""
    file: str = "state.json"


class Answered(Record):
    """A person answered the question of a gate."""

    at: float
    text: str
    tree: str = ""
    agent_informed: bool = False  # True if the answer came from the agent's own session


class Ordered(Record):
    """A command of the person, one of `orders.ORDERS`: pause, cancel, continue, accept, …"""

    at: float
    order: str
    by: str = "person"
    session: str = ""
    pid: int = 0
    dollars: float = 0.0
    iterations: int = 0
    minutes: float = 0.0
    criteria: tuple[Criterion, ...] = ()
    reason: str = ""
    keep_mirror: bool = True
    agent_informed: bool = False
    tree: str = ""
    # Keys of findings; of a rewind: iteration, commit and the commit with the saved files;
    # of a ruling: criterion and decision; of `continue`: orders.PROVE.
    arguments: tuple[str, ...] = ()


class ClientEvent(Record):
    """The client reports a prompt, the start or end of a session, or a compaction."""

    at: float
    event: str  # start, prompt, end or compact
    session: str
    pid: int = 0
    source: str = ""
    text: str = ""  # the prompt
    tree: str = ""
    attended: bool = True  # False: a one-shot run, which takes no free lease
    holder_gone: bool = False  # the client that holds the lease is dead
    # The client's id of the turn. A prompt that is typed while the agent works has that turn's id.
    prompt_id: str = ""


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
