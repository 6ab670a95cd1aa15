"""Who looks on while a runner works. This one sees nothing; the command line has those that print."""

from __future__ import annotations

from ..agents.base import Heard
from ..core.loop import Loop
from ..core.signals import Reply, TurnOver


class Watch:
    def plan(self, rows: list[str], loop: Loop) -> None:
        """Before the start: what it can cost at most."""

    def began(self, loop: Loop) -> None:
        """A turn starts."""

    def line(self, heard: Heard, told: str) -> None:
        """The agent did or said something; `told` is that in words, or empty."""

    def checks(self) -> None:
        """The turn is over, and what it left is being judged."""

    def ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        """What came of the turn."""

    def waits(self, seconds: float, why: str) -> None:
        """Called about once a second while nobody works."""

    def said(self, text: str) -> None:
        """A word to the person."""
