"""What crosses the border of the core: signals go in, a directive comes out. (What is remembered: events.py.)"""

from __future__ import annotations

from .criteria import Claim, Criterion, Evidence
from .limits import Cursor
from .loop import Step
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .findings import Finding
    from .plan.plan import Gap, LaneResult, TaskWorktree
    from .runner.run import RunnerReport

# --- Signals: what the outside tells us. Time arrives here; the core has no clock. ---


class ToolOutcome(Record):
    """How one tool call of the agent ended; `error` is empty when it went well."""

    key: str
    error: str = ""


class Claims(Record):
    """All an agent can say at once, whichever way it says it."""

    criteria: tuple[Claim, ...] = ()
    exit: bool | None = None
    steps: tuple[Step, ...] = ()
    step_zero_note: str = ""
    blocked: str = ""
    ask: str = ""
    must_not: tuple[str, ...] = ()
    confidence: int | None = None
    points: int | None = None
    alternative: str = ""
    risk: str = ""


class TurnOver(Record):
    """The agent has stopped talking."""

    at: float
    session: str
    text: str = ""
    tree: str = ""
    pid: int = 0
    transcript: str = ""  # where the facts below can be read
    dollars: float = 0.0
    cursors: tuple[Cursor, ...] = ()
    unpriced: tuple[str, ...] = ()
    unread_bytes: int = 0
    tool_outcomes: tuple[ToolOutcome, ...] = ()
    edits: tuple[tuple[str, int], ...] = ()
    tool_calls: int | None = None  # None: no transcript to read it from
    toolless_cap: int = (
        0  # how many answers without a tool call the client lets us hold in a row; 0: any number
    )
    api_failure: str = ""  # the API failed instead of answering
    busy: bool = False  # background work or a wake-up is pending
    plan_mode: bool = False
    head: str = ""  # what is committed and staged, where the loop asks for it
    runner_report: RunnerReport | None = None  # by a runner: what only who started the turn knows
    lane_result: LaneResult | None = None  # of a task in a worktree of its own
    problem: str = ""  # what speaks against the turn, whatever its checks say: files that are not the task's, a merge
    reported_gaps: tuple[Gap, ...] | None = (
        None  # what an agent wrote into VERIFICATION.md; None: nothing new
    )
    kept_commit: str = ""  # the commit that holds the tree, where it is a new one


class Checked(Record):
    """A check was run; `tree` is what it left behind."""

    at: float
    evidence: Evidence
    round: int
    fence: int
    tree: str
    changed_files: str = ""


class BaselineComparison(Record):
    """The tree, hashed anew from its content and held against that of the start."""

    at: float
    round: int
    fence: int
    tree: str
    findings: tuple[Finding, ...] = ()
    raced_checks: tuple[
        str, ...
    ] = ()  # criteria whose check ran while, or before, files were written again
    written_files: str = ""  # these
    kept_commit: str = ""  # the commit that holds the tree


class Claimed(Record):
    """`loop claim`, or an edit of state.json."""

    at: float
    claims: Claims
    detailed: tuple[str, ...] = ()  # criteria written as objects
    tampered_fields: tuple[str, ...] = ()  # limits raised, counters lowered
    corrected_fields: tuple[str, ...] = ()  # numbers that are ours to write
    extra_json: str = ""


class BacklogEdited(Record):
    """`loop backlog`, or an edit of the page: what was found, done, taken out or written down."""

    at: float
    found: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    item_order: tuple[str, ...] = ()  # the open items, as somebody has arranged them
    focus: str | None = None
    notes: str | None = None  # all of them, as the page has them
    new_note: str = ""  # one more
    notes_on_page: tuple[str, ...] = ()  # notes by command that were there to be edited
    tampered_fields: tuple[str, ...] = ()


class MirrorLost(Record):
    """state.json or the page was deleted, set to paused or cancelled by hand, or cannot be read."""

    at: float
    how: str  # deleted, paused, cancelled or unreadable
    aside_path: str = ""
    file: str = "state.json"


class Answered(Record):
    at: float
    text: str
    tree: str = ""
    agent_informed: bool = (
        False  # the agent is told right away: the answer came from its own session
    )


class Ordered(Record):
    """The person's word, one of orders.ORDERS: pause, cancel, continue, accept, rewind and so on."""

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
    arguments: tuple[
        str, ...
    ] = ()  # findings by their keys; of a rewind: iteration, commit, and what was saved


class ClientEvent(Record):
    """The client told us of a prompt, a session that begins or ends, or a compaction."""

    at: float
    event: str  # start, prompt, end or compact
    session: str
    pid: int = 0
    source: str = ""
    text: str = ""  # the prompt
    tree: str = ""


class RunnerAttached(Record):
    """A runner takes the loop over. It may use these agents, the first one first."""

    at: float
    session: str  # runner:<pid>
    pid: int
    agents: tuple[str, ...]
    base_commit: str = ""  # the commit that it begins on
    lanes: int = 0  # tasks of a plan that it runs side by side, each in a worktree; 0: one after the other, in place
    strict: bool = False  # the first task that is out of retries pauses the loop


class TurnStarting(Record):
    """A runner is about to start a turn, and would spend at most so much on it (0: all that is left)."""

    at: float
    session: str
    max_dollars: float = 0.0
    worktree: TaskWorktree | None = None  # the worktree of the task that the turn is for


class LaneMerged(Record):
    """The work of a lane is in the main checkout, whose tree is this now; or why not."""

    at: float
    session: str
    task: str
    commit: str = ""
    problem: str = ""
    tree: str = ""


class Committed(Record):
    """A runner committed the work of a task, or the fix of a gap."""

    at: float
    name: str
    commit: str


Signal = (
    TurnOver
    | Checked
    | BaselineComparison
    | Claimed
    | BacklogEdited
    | MirrorLost
    | Answered
    | Ordered
    | ClientEvent
    | RunnerAttached
    | TurnStarting
    | LaneMerged
    | Committed
)

# --- Directives: what we tell the outside. `say` is told to the person, once; empty means silence. ---
