"""Events that most Stops neither read nor write. Use them through `events.py`."""

from __future__ import annotations

from .criteria import Check, Criterion
from .loop import Gate, PendingClaims, Verdict
from .record import Record


class LeaseTaken(Record):
    at: float
    holder: str
    pid: int = 0


class LeaseReleased(Record):
    at: float


class SessionEnded(Record):
    at: float


class PersonSpoke(Record):
    """A prompt: it begins a turn of the loop, or the person takes the turn for themselves."""

    at: float
    interrupted: bool = False
    takes_turn: bool = False
    begins_turn: bool = False
    prompt_id: str = ""  # the client's id of the turn that the prompt belongs to


class ContextCompacted(Record):
    at: float


class ProtocolNeeded(Record):
    """Another agent took over, or its context was compacted: it must learn how to reply."""


class ProtocolSent(Record):
    """A prompt with the whole reply protocol went to an agent that needed it."""


class ForeignSessionSeen(Record):
    session: str


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
    """The exit claim is void: it counts for one tree only, and another needs a new claim."""

    why: str


class ClaimsQueued(Record):
    """Claimed between two Stops; judged at the next."""

    claims: PendingClaims


class CriteriaMismatchSeen(Record):
    """The status block does not name the same criteria as the loop."""

    names: tuple[str, ...]


class ClaimRefuted(Record):
    """The claim is taken back, not ignored: an agent that said done too early must say it again."""

    names: tuple[str, ...]
    why: str


class CheckResultDropped(Record):
    criterion: str
    why: str


class StepAdded(Record):
    name: str


class StepZeroRecorded(Record):
    """Step 0: the libraries compared, the root cause, or what was deleted."""

    text: str


class ErrorSeen(Record):
    text: str


class BreakerTripped(Record):
    name: str
    why: str


class GateOpened(Record):
    gate: Gate
    at: float


class QuestionShown(Record):
    """The person sees the open question now. What they type in the same turn is no answer yet."""

    at: float
    prompt_id: str = ""  # of the turn in which it was shown


class GateAnswered(Record):
    gate: str
    text: str
    at: float
    guidance: str = ""  # what the answer says beyond yes
    delete_mirror: bool = False  # delete state.json after the end


class PersonTalked(Record):
    """A person said neither yes nor no to an open gate: it keeps waiting."""

    text: str
    at: float
    guidance: str = ""  # what the agent has not heard yet


class GuidanceGiven(Record):
    """The person steers the agent, which receives the text with its next prompt."""

    text: str


class PromptQueued(Record):
    """A person continued the loop in a terminal: the agent learns it with its next prompt."""


class GatesLifted(Record):
    pass


class ChecksWaived(Record):
    """The person chose to work without the checks that may not run: it is never proven."""

    at: float


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
    forged: bool = False  # it was given in the person's name, and not by the client


class RefusalTold(Record):
    """The person was told which orders were given in their name and refused."""


class TurnReleased(Record):
    """A stop was allowed that is not the end of a turn: plan mode, or background work."""


class TimeSkipped(Record):
    """Seconds by the wall clock in which the machine slept, or by which that clock was set."""

    seconds: float


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
