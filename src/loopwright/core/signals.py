"""Signals: what the outside reports to the core. Time arrives with them; the core has no clock.

Here are those of a turn, its checks and its claims. The others are beside what they are about, in
the `signals.py` of each folder, and are found here too. To make a class takes longer than to read
a line of the journal, so such a module is imported when one of its signals is used.
"""

# ruff: noqa: F405 - the names of the star import
from __future__ import annotations

from .criteria import Claim, Evidence
from .limits import Cursor
from .loop import Step
from .record import KIND_MODULES, Record, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    # For type checkers. At run time __getattr__ below finds the signals of the star imports.
    from .discovery.signals import *  # noqa: F403
    from .person.signals import *  # noqa: F403
    from .plan.plan import Gap, LaneResult
    from .plan.signals import *  # noqa: F403
    from .proof.signals import *  # noqa: F403
    from .runner.run import RunnerReport
    from .runner.signals import *  # noqa: F403
    from .session.signals import *  # noqa: F403


class ToolOutcome(Record):
    """How one tool call of the agent ended; `error` is empty when it went well."""

    key: str
    error: str = ""
    result: str = ""  # a digest of what it returned; "": the output does not tell


class Claims(Record):
    """Everything an agent can claim at once, in a message or by a command."""

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
    disputes: tuple[str, ...] = ()  # each as <criterion>: <why>
    shows: tuple[str, ...] = ()  # each as <number of a demand>: <test>


class Claimed(Record):
    """`loop claim`, or an edit of state.json."""

    at: float
    claims: Claims
    detailed: tuple[str, ...] = ()  # criteria written as objects
    tampered_fields: tuple[str, ...] = ()  # limits raised, counters lowered
    corrected_fields: tuple[str, ...] = ()  # numbers that only Loopwright writes
    extra_json: str = ""


class TurnOver(Record):
    """The agent has stopped: the facts of its turn."""

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
    # How many answers in a row without a tool call the client lets us continue; 0: any number.
    toolless_cap: int = 0
    # How many answers to one prompt the client lets us hold, whatever is between; 0: any number.
    hold_cap: int = 0
    begins_turn: bool = False  # the first answer to the person's prompt
    host: str = ""  # the client, unless it is Claude Code
    api_failure: str = ""  # the API failed instead of answering
    busy: bool = False  # background work or a wake-up is pending
    plan_mode: bool = False
    head: str = ""  # what is committed and staged, if the loop needs it
    runner_report: RunnerReport | None = None  # what only the runner that started the turn knows
    lane_result: LaneResult | None = None  # of a task in a worktree of its own
    # Refutes the turn whatever its checks say: files outside the task's scope, or a failed merge.
    problem: str = ""
    # The gaps that an agent wrote into VERIFICATION.md; None: nothing new.
    reported_gaps: tuple[Gap, ...] | None = None
    kept_commit: str = ""  # the commit that holds the tree, if it is new
    prompt_id: str = ""  # the client's id of the turn
    tree_problem: str = ""  # why nothing is judged on this tree: it is unknown, or cannot land
    attended: bool = True  # False: a one-shot run, which takes no free lease
    holder_gone: bool = False  # the client that holds the lease is dead


class Checked(Record):
    """A check ran; `tree` is the tree after it."""

    at: float
    evidence: Evidence
    round: int
    fence: int
    tree: str
    changed_files: str = ""
    tree_problem: str = ""


class ClockSkipped(Record):
    """The wall clock went further than the time awake; less than 0: it was set back."""

    at: float
    seconds: float


if TYPE_CHECKING:
    Signal = (
        TurnOver
        | Checked
        | BaselineComparison
        | TreeHashed
        | CleanCheckoutResult
        | StrengthResult
        | StartMeasurement
        | CalibrationResult
        | Claimed
        | ClockSkipped
        | BacklogEdited
        | MirrorLost
        | Answered
        | Ordered
        | ClientEvent
        | RunnerAttached
        | TurnStarting
        | LaneMerged
        | LaneReady
        | UnplannedSeen
        | PlanEdited
        | Committed
    )
else:
    Signal = Record  # only annotations use it

    def __getattr__(name):
        """A signal of another module: `signals` has them all."""
        if name not in KIND_MODULES:  # an import also looks for __path__
            raise AttributeError(name)
        return kind_of(name)
