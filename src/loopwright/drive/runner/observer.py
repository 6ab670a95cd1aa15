"""The callbacks of a runner. These do nothing; the command line has observers that print."""

from __future__ import annotations

from ...agents.base import TurnOutput
from ...core.directives import Reply
from ...core.loop import Loop
from ...core.signals import TurnOver


class RunObserver:
    """What a runner calls while it works."""

    def on_run_starting(self, rows: list[str], loop: Loop) -> None:
        """Before the start; `rows` say what the run can cost at most."""

    def on_turn_started(self, loop: Loop) -> None:
        """A turn starts."""

    def on_output_line(self, heard: TurnOutput, told: str) -> None:
        """The agent printed a line; `told` is the line in words for people, or empty."""

    def on_checks_started(self) -> None:
        """The turn is over, and its result is checked."""

    def on_turn_ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        """The turn is checked and recorded."""

    def on_waiting(self, until: float, why: str) -> None:
        """Called twice a second while the runner waits until this moment."""

    def show_message(self, text: str) -> None:
        """A message to the person."""
