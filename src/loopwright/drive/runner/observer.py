"""Who looks on while a runner works. This one sees nothing; the command line has those that print."""

from __future__ import annotations

from ...agents.base import TurnOutput
from ...core.directives import Reply
from ...core.loop import Loop
from ...core.signals import TurnOver


class RunObserver:
    def on_run_starting(self, rows: list[str], loop: Loop) -> None:
        """Before the start: what it can cost at most."""

    def on_turn_started(self, loop: Loop) -> None:
        """A turn starts."""

    def on_output_line(self, heard: TurnOutput, told: str) -> None:
        """The agent did or said something; `told` is that in words, or empty."""

    def on_checks_started(self) -> None:
        """The turn is over, and what it left is being judged."""

    def on_turn_ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        """What came of the turn."""

    def on_waiting(self, seconds: float, why: str) -> None:
        """Called about once a second while nobody works."""

    def show_message(self, text: str) -> None:
        """A word to the person."""
