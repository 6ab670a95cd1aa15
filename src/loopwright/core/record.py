"""Records: frozen values with named fields, and their conversion to JSON values and back.

They replace dataclasses, whose import takes three times as long as the interpreter's own start: the
hook that uses these values is on the user's critical path.
"""

from __future__ import annotations

from _blake2 import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda cls: cls


KINDS: dict[str, type[Record]] = {}
# Values, events and signals that not every Stop needs, by the module that defines them. The module
# is imported when one of them is used or a journal names it, so that no other Stop pays for it.
KINDS_BY_MODULE = {
    "events": (
        "LoopStarted TurnEnded ClaimMade CheckRoundStarted CheckRoundEnded CheckRan "
        "CheckResultDropped StepFinished StreakCounted TurnContinued"
    ),
    "session.events": (
        "LeaseTaken LeaseReleased SessionEnded PersonSpoke ContextCompacted ProtocolNeeded "
        "ProtocolSent ForeignSessionSeen TurnReleased"
    ),
    "replies.events": (
        "EstimateRecorded DoneClaimed DoneTakenBack ClaimsQueued CriteriaMismatchSeen "
        "ClaimRefuted StepAdded StepZeroRecorded"
    ),
    "person.events": (
        "GateOpened QuestionShown GateAnswered PersonTalked GuidanceGiven PromptQueued "
        "GatesLifted ChecksWaived CriteriaConfirmed CriteriaChanged IndependentChecksChanged "
        "CheckAllowed LimitsRaised "
        "OrderRefused RefusalTold"
    ),
    "pausing.events": (
        "ErrorSeen BreakerTripped LoopPaused LoopResumed LoopFinished LoopCancelled TimeSkipped"
    ),
    "mirror_events": "TamperingSeen MirrorCorrected MirrorRebuilt",
    "discovery.backlog": "Backlog",
    "discovery.events": (
        "ItemsFound ItemsDone ItemsDropped ItemsReordered FocusSet NotesReplaced NoteAdded "
        "CycleCompleted ModeChosen"
    ),
    "runner.run": "Run RunnerReport Attempt",
    "runner.sandbox": "SandboxReport",
    "runner.events": (
        "RunnerStarted SandboxProbed TurnStarted TurnReported TurnBroken AgentCrashed AgentLimited "
        "WaitStarted WindowReserved"
    ),
    "plan.plan": (
        "Plan Task TaskCheck PlannedFile Link MustHave Gap HistoryEntry TaskFailure Lane "
        "TaskWorktree LaneResult ProgressMark UnplannedChange"
    ),
    "plan.events": (
        "WorkAssigned TaskFinished TaskFailed WorkParked IssueSeen StageEntered GapsFound "
        "FixRoundStarted GapFixFailed GapClosed LaneStarted LaneEnded WorktreePrepared CommitMade "
        "LandingBlocked UnplannedRecorded PlanChanged TaskReopened TaskTimed GapTaken"
    ),
    "findings": "Finding",
    "proof.demands": "Demand Demands DemandProof",
    "proof.demand_events": "DemandsNamed DemandsAsked DemandsTold",
    "proof.strength": "Strength StrengthItem Unmeasured MeasuredStrength",
    "proof.strength_events": "StrengthMeasured ThinWorkTold",
    "proof.disputes": "Dispute",
    "proof.dispute_events": "CriterionDisputed DisputeWithdrawn CriterionRuled FinalChecksAnswered",
    "proof.clean_checkout": "RoomCheck RoomRun",
    "proof.events": (
        "BaselineCompared FindingsAccepted ProofsVoided FilesRewound RoomCalibrated RoomAnnounced "
        "RoomRunEnded NewPackagesDecided ProofFinished ResultAccepted AcceptanceRevoked "
        "ChecksMeasured"
    ),
    "session.signals": "ClientEvent",
    "person.signals": "Answered Ordered MirrorLost",
    "runner.signals": "RunnerAttached TurnStarting",
    "plan.signals": "LaneMerged LaneReady PlanEdited UnplannedSeen Committed",
    "discovery.signals": "BacklogEdited",
    "proof.signals": (
        "BaselineComparison TreeHashed CleanCheckoutResult StartMeasurement CalibrationResult "
        "StrengthResult"
    ),
}
KIND_MODULES = {kind: module for module, kinds in KINDS_BY_MODULE.items() for kind in kinds.split()}


@dataclass_transform(frozen_default=True)
class Record:
    """A value: its annotations are its fields, class attributes are their defaults."""

    FIELDS: ClassVar[tuple[str, ...]] = ()
    NAMES: ClassVar[frozenset[str]] = frozenset()
    DEFAULTS: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, is_kind: bool = True) -> None:
        own = vars(cls)
        cls.FIELDS = tuple(own.get("__annotations__", ()))
        cls.NAMES = frozenset(cls.FIELDS)
        cls.DEFAULTS = {field: own[field] for field in cls.FIELDS if field in own}
        # Only records of core are in a journal; `is_kind` is False for the base of other records.
        if is_kind and cls.__module__.startswith(f"{__package__}."):
            assert cls.__name__ not in KINDS, f"BUG: two kinds of record are called {cls.__name__}"
            KINDS[cls.__name__] = cls

    if not TYPE_CHECKING:

        def __init__(self, *args, **named):
            values = self.__dict__
            values.update(self.DEFAULTS)
            values.update(zip(self.FIELDS, args, strict=False))
            values.update(named)
            if (
                values.keys() != self.NAMES
                or len(args) > len(values)
                or not named.keys().isdisjoint(self.FIELDS[: len(args)])
            ):
                self._complain(args, named)

        def _complain(self, args, named):
            """Raise a TypeError that names the field: a wrong call is a bug in Loopwright."""
            name = type(self).__name__
            twice = sorted(set(named) & set(self.FIELDS[: len(args)]))
            if twice or len(args) > len(self.FIELDS):
                raise TypeError(f"{name}: given twice, or too many: {twice or args}")
            if unknown := sorted(set(named) - self.NAMES):
                raise TypeError(f"{name} has no {unknown}")
            missing = sorted(self.NAMES - set(self.__dict__))
            raise TypeError(f"{name} needs {', '.join(map(repr, missing))}")

    def but(self, **changes: Any) -> Self:
        """The same value with some fields changed."""
        copy = object.__new__(type(self))
        values = copy.__dict__
        values.update(self.__dict__)
        values.update(changes)
        if len(values) != len(self.FIELDS):
            unknown = sorted(set(changes) - set(self.FIELDS))
            raise TypeError(f"{type(self).__name__} has no {unknown}")
        return copy

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use .but({name}=...)")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *(self.__dict__[field] for field in self.FIELDS)))

    def __repr__(self) -> str:
        fields = []
        for field in self.FIELDS:
            value = self.__dict__[field]
            if value != self.DEFAULTS.get(field, KINDS):
                fields.append(f"{field}={value!r}")
        return f"{type(self).__name__}({', '.join(fields)})"


def encode(value: object) -> Any:
    """A record as a JSON value: a dict with the name of its class under "is".

    Only empty fields are left out. A default such as 10 iterations may change in a later version,
    and old journals must keep their meaning.
    """
    if isinstance(value, Record):
        plain: dict[str, Any] = {"is": type(value).__name__}
        for field in value.FIELDS:
            part = value.__dict__[field]
            if part or part != value.DEFAULTS.get(field, KINDS):
                plain[field] = encode(part)
        return plain
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    return value


def decode(plain: Any) -> Any:
    """The record of an encoded JSON value."""
    if isinstance(plain, dict):
        # Without the constructor and its checks of a call: a Stop decodes about a hundred records.
        kind = KINDS.get(plain["is"]) or kind_of(plain["is"])
        record = object.__new__(kind)
        values = record.__dict__
        values.update(kind.DEFAULTS)
        values.update(plain)
        del values["is"]
        if values.keys() != kind.NAMES:
            del plain["is"]
            return kind(**plain)  # raises an error that names the field
        for field, part in plain.items():
            if (type(part) is dict or type(part) is list) and field != "is":
                values[field] = decode(part)
        return record
    if isinstance(plain, list):
        return tuple([decode(part) if type(part) in (dict, list) else part for part in plain])
    return plain


def kind_of(name: str) -> type[Record]:
    """The class of this name. Its module is imported if that has not happened yet."""
    if name not in KINDS and name in KIND_MODULES:
        __import__(f"{__package__}.{KIND_MODULES[name]}")
    return KINDS[name]


def digest(data: bytes) -> str:
    """The digest of bytes, as the journal, the mirror and the tree use it."""
    return blake2b(data, digest_size=16).hexdigest()
