"""Events: facts in the past tense, one or more to a journal line. `engine.evolve` says what each changes."""

from __future__ import annotations

from .criteria import Check, Claim, Criterion, Evidence
from .limits import Cursor, Streak
from .loop import CheckRound, Gate, Loop, PendingClaims, Verdict
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


class LoopStarted(Record):
    loop: Loop


class LeaseTaken(Record):
    at: float
    holder: str
    pid: int = 0


class LeaseReleased(Record):
    at: float


class SessionEnded(Record):
    at: float


class PersonSpoke(Record):
    at: float
    interrupted: bool = False


class ContextCompacted(Record):
    at: float


class ForeignSessionSeen(Record):
    session: str


class TurnEnded(Record):
    """One iteration is over: what it cost and what it left."""

    at: float
    tree: str
    dollars: float = 0.0
    cursors: tuple[Cursor, ...] = ()
    unpriced: tuple[str, ...] = ()
    unread_bytes: int = 0
    counts_as_iteration: bool = True  # an API failure is no iteration
    head: str = ""
    kept_commit: str = ""  # the commit that holds this tree, beside the branches


class ClaimMade(Record):
    claim: Claim


class EstimateRecorded(Record):
    """The agent's own estimate, for the footer."""

    confidence: int | None = None
    points: int | None = None
    alternative: str = ""
    risk: str = ""


class DoneClaimed(Record):
    tree: str = ""
    at: float = 0.0


class DoneTakenBack(Record):
    """The exit is claimed for one tree. On another it must be claimed again."""

    why: str


class ClaimsQueued(Record):
    """Claimed between two Stops; judged at the next."""

    claims: PendingClaims


class CriteriaMismatchSeen(Record):
    """The status block names other criteria than the loop has."""

    names: tuple[str, ...]


class ClaimRefuted(Record):
    """The claim is taken back, not ignored: an agent that said done too early must say it again."""

    names: tuple[str, ...]
    why: str


class CheckRoundStarted(Record):
    check_round: CheckRound


class CheckRoundEnded(Record):
    pass


class CheckRan(Record):
    """`tree_after` is the tree afterwards, `changed_files` names the files that the check itself changed."""

    evidence: Evidence
    tree_after: str = ""
    changed_files: str = ""


class CheckResultDropped(Record):
    criterion: str
    why: str


class StepAdded(Record):
    name: str


class StepFinished(Record):
    name: str
    at: float
    note: str = ""


class StepZeroRecorded(Record):
    """Step 0: the libraries compared, the root cause, or what was deleted."""

    text: str


class StreakCounted(Record):
    streak: Streak


class ErrorSeen(Record):
    text: str


class BreakerTripped(Record):
    name: str
    why: str


class GateOpened(Record):
    gate: Gate
    at: float


class GateAnswered(Record):
    gate: str
    text: str
    at: float
    guidance: str = ""  # what the answer says beyond yes
    delete_mirror: bool = False  # state.json is not wanted after the end


class GuidanceGiven(Record):
    """A word of the person while the agent works; it hears it with its next prompt."""

    text: str


class PromptQueued(Record):
    """The loop goes on, said in a terminal: the agent hears of it at the next prompt of its session."""


class GatesLifted(Record):
    pass


class CriteriaConfirmed(Record):
    """A person confirmed what no check could show."""

    names: tuple[str, ...]
    at: float


class LimitsRaised(Record):
    dollars: float = 0.0
    iterations: int = 0
    minutes: float = 0.0


class CriteriaChanged(Record):
    criteria: tuple[Criterion, ...]


class CheckAllowed(Record):
    name: str
    check: Check | None  # None: denied, the check is gone


class TamperingSeen(Record):
    fields: tuple[str, ...]


class MirrorCorrected(Record):
    fields: tuple[str, ...] = ()
    detailed: tuple[str, ...] = ()
    extra_json: str = ""


class MirrorRebuilt(Record):
    aside_path: str


class OrderRefused(Record):
    order: str
    why: str


class TurnContinued(Record):
    """The agent was told to go on. If a person speaks before its next stop, they interrupted it."""


class LoopPaused(Record):
    cause: str
    why: str
    at: float


class LoopResumed(Record):
    at: float
    rearmed_breaker: str = ""


class LoopFinished(Record):
    verdict: Verdict
    at: float


class LoopCancelled(Record):
    at: float
    keep_mirror: bool = True
