"""Signals of a person: an answer, an order, or state.json changed by hand."""

from __future__ import annotations

from ..criteria import Criterion
from ..record import Record


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


class MirrorLost(Record):
    """state.json or the page was deleted, set to paused or cancelled by hand, or cannot be read."""

    at: float
    how: str  # deleted, paused, cancelled or unreadable
    aside_path: str = ""
    file: str = "state.json"
