"""What every coding agent offers the runner: two pure functions, and the values they speak in."""

from __future__ import annotations

from collections.abc import Callable

from ..core.record import Record
from ..core.signals import Outcome


class Heard(Record):
    """What an agent's output told us about one turn."""

    text: str = ""
    dollars: float = 0.0
    tools: int = 0
    outcomes: tuple[Outcome, ...] = ()
    edits: tuple[tuple[str, int], ...] = ()
    failure: str = ""


class Agent(Record):
    """`command(turn)` is the argv of one turn; the prompt goes to its stdin. `read(heard, line)` takes one line of output."""

    name: str
    command: Callable[[int], tuple[str, ...]]
    read: Callable[[Heard, str], Heard]
