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
    # For type checkers. At run time __getattr__ below finds the rare events.
    from .rare_events import *  # noqa: F403


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
        if name.startswith("__"):  # `from .events import …` looks for __path__
            raise AttributeError(name)
        from . import rare_events

        return getattr(rare_events, name)
