"""Events: facts in the past tense, one or more in a journal line. `evolve.py` applies them.

Here are those of an ordinary Stop. The others are in rare_events.py: to make a class takes longer
than to read a line of the journal, so they are made when one of them is used.
"""

from __future__ import annotations

from .criteria import Claim, Evidence
from .limits import Cursor, Streak
from .loop import CheckRound, Loop
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .rare_events import (
        BreakerTripped as BreakerTripped,
    )
    from .rare_events import (
        CheckAllowed as CheckAllowed,
    )
    from .rare_events import (
        CheckResultDropped as CheckResultDropped,
    )
    from .rare_events import (
        ChecksWaived as ChecksWaived,
    )
    from .rare_events import (
        ClaimRefuted as ClaimRefuted,
    )
    from .rare_events import (
        ClaimsQueued as ClaimsQueued,
    )
    from .rare_events import (
        ContextCompacted as ContextCompacted,
    )
    from .rare_events import (
        CriteriaChanged as CriteriaChanged,
    )
    from .rare_events import (
        CriteriaConfirmed as CriteriaConfirmed,
    )
    from .rare_events import (
        CriteriaMismatchSeen as CriteriaMismatchSeen,
    )
    from .rare_events import (
        DoneClaimed as DoneClaimed,
    )
    from .rare_events import (
        DoneTakenBack as DoneTakenBack,
    )
    from .rare_events import (
        ErrorSeen as ErrorSeen,
    )
    from .rare_events import (
        EstimateRecorded as EstimateRecorded,
    )
    from .rare_events import (
        ForeignSessionSeen as ForeignSessionSeen,
    )
    from .rare_events import (
        GateAnswered as GateAnswered,
    )
    from .rare_events import (
        GateOpened as GateOpened,
    )
    from .rare_events import (
        GatesLifted as GatesLifted,
    )
    from .rare_events import (
        GuidanceGiven as GuidanceGiven,
    )
    from .rare_events import (
        LeaseReleased as LeaseReleased,
    )
    from .rare_events import (
        LeaseTaken as LeaseTaken,
    )
    from .rare_events import (
        LimitsRaised as LimitsRaised,
    )
    from .rare_events import (
        LoopCancelled as LoopCancelled,
    )
    from .rare_events import (
        LoopFinished as LoopFinished,
    )
    from .rare_events import (
        LoopPaused as LoopPaused,
    )
    from .rare_events import (
        LoopResumed as LoopResumed,
    )
    from .rare_events import (
        MirrorCorrected as MirrorCorrected,
    )
    from .rare_events import (
        MirrorRebuilt as MirrorRebuilt,
    )
    from .rare_events import (
        OrderRefused as OrderRefused,
    )
    from .rare_events import (
        PersonSpoke as PersonSpoke,
    )
    from .rare_events import (
        PersonTalked as PersonTalked,
    )
    from .rare_events import (
        PromptQueued as PromptQueued,
    )
    from .rare_events import (
        ProtocolNeeded as ProtocolNeeded,
    )
    from .rare_events import (
        ProtocolSent as ProtocolSent,
    )
    from .rare_events import (
        RefusalTold as RefusalTold,
    )
    from .rare_events import (
        SessionEnded as SessionEnded,
    )
    from .rare_events import (
        StepAdded as StepAdded,
    )
    from .rare_events import (
        StepZeroRecorded as StepZeroRecorded,
    )
    from .rare_events import (
        TamperingSeen as TamperingSeen,
    )
    from .rare_events import (
        TimeSkipped as TimeSkipped,
    )
    from .rare_events import (
        TurnReleased as TurnReleased,
    )


class LoopStarted(Record):
    loop: Loop


class TurnEnded(Record):
    """A turn is over: its cost and the tree it left."""

    at: float
    tree: str
    dollars: float = 0.0
    cursors: tuple[Cursor, ...] = ()
    unpriced: tuple[str, ...] = ()
    unread_bytes: int = 0
    counts_as_iteration: bool = True  # False after an API failure
    head: str = ""
    kept_commit: str = ""  # the commit that holds this tree, beside the branches
    prompt_id: str = ""  # the client's id of the turn


class ClaimMade(Record):
    claim: Claim


class CheckRoundStarted(Record):
    check_round: CheckRound


class CheckRoundEnded(Record):
    pass


class CheckRan(Record):
    """A check ran and left `tree_after`; `changed_files` names the files that it changed."""

    evidence: Evidence
    tree_after: str = ""
    changed_files: str = ""


class StepFinished(Record):
    name: str
    at: float
    note: str = ""


class StreakCounted(Record):
    streak: Streak


class TurnContinued(Record):
    """The agent continues. If a person speaks before its next stop, they interrupted it."""


if not TYPE_CHECKING:

    def __getattr__(name):
        """An event of rare_events.py, under the name that it has here for everyone who uses it."""
        from . import rare_events

        return getattr(rare_events, name)
