"""Events: facts in the past tense, one or more in a journal line.

Here are those of a turn and its checks; `evolve.py` says what they change. The events of other
subjects are beside what they are about, each with what it changes: `KINDS_BY_MODULE` of record.py
lists them. To make a class takes longer than to read a line of the journal, so a module of events
is imported when one of them is used.
"""

from __future__ import annotations

from .criteria import Claim, Evidence
from .limits import Cursor, Streak
from .loop import Loop
from .proof.state import CheckRound
from .record import KIND_MODULES, Record, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    # For type checkers. At run time __getattr__ below finds these events.
    from .mirror_events import *  # noqa: F403
    from .pausing.events import *  # noqa: F403
    from .person.events import *  # noqa: F403
    from .replies.events import *  # noqa: F403
    from .session.events import *  # noqa: F403


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


class CheckResultDropped(Record):
    criterion: str
    why: str


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
        """An event of another module: `events` has those of every kind of loop."""
        if name not in KIND_MODULES:  # an import also looks for __path__
            raise AttributeError(name)
        return kind_of(name)
