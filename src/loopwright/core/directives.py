"""Directives: what we tell the outside. `message` is for the person and is shown once; empty means silence."""

from __future__ import annotations

from .criteria import Check
from .loop import Loop, Verdict
from .record import Record


class Continue(Record):
    """Go on with this prompt."""

    prompt: str
    message: str = ""


class Stop(Record):
    """Let go. `reason` is the seeds' word for why."""

    reason: str = ""
    message: str = ""
    verdict: Verdict | None = None


class Ask(Record):
    """Let go and wait for a person."""

    question: str
    message: str = ""


class Wait(Record):
    """Let go until then: the agent cannot work before."""

    until: float
    why: str
    message: str = ""


class RunCheck(Record):
    check: Check
    criterion: str
    round: int
    fence: int
    tree: str
    message: str = ""


class CompareWithBaseline(Record):
    """All is met: hold the tree against that of the start."""

    round: int
    fence: int
    tree: str
    message: str = ""


class MergeLane(Record):
    """The task's checks pass on what would be merged: bring it into the main checkout."""

    task: str
    commit: str
    message: str = ""


Reply = (
    Continue | Stop | Ask | Wait | MergeLane
)  # what a driver is told; a check is run before it hears of it


Directive = Reply | RunCheck | CompareWithBaseline


class Move(Record):
    """One step of a loop. Events and loop are written before the directive is acted on."""

    loop: Loop
    events: tuple[Record, ...]
    directive: Directive
