"""What an agent turned green without the work: for the person, before a night."""

from __future__ import annotations

from ..findings import Finding
from ..record import Record
from .answers import GreenTry


class WayToGreen(Record):
    """A try that turned checks green, and what the final proof would say to it."""

    attempt: GreenTry
    green: tuple[str, ...]
    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    flaw: str  # why its stronger check is no good; "" if it is


class Hardening(Record):
    """What came of all tries."""

    tries: int
    ways: tuple[WayToGreen, ...] = ()
    dollars: float = 0.0
    problem: str = ""
