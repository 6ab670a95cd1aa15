"""A draft: the loop while signals are handled. Each decision is an event, applied at once."""

from __future__ import annotations

from .event import Event
from .loop import Loop
from .proof.state import CheckRound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from .directives import Directive
    from .signals import TurnOver

    class Policy(Protocol):
        """A kind of loop: a module of `policies/` with these three functions."""

        def read_turn(
            self, draft: Draft, turn: TurnOver, before: Loop, /
        ) -> CheckRound | Directive:
            """The agent wants to stop: the round of checks that follows, or a directive instead."""

        def decide_after_checks(
            self, draft: Draft, check_round: CheckRound, at: float, /
        ) -> Directive:
            """Every check that was due has run: what follows?"""

        def handle_refutation(self, draft: Draft, at: float, /) -> Directive:
            """The checks support the claim, but a finding or a final check refutes it."""


class Draft:
    """A loop and its new events. `policy_of` is passed in to avoid an import cycle."""

    def __init__(self, loop: Loop, policy_of: Callable[[Loop], Policy]) -> None:
        self.loop = loop
        self.events: list[Event] = []
        self._policy_of = policy_of

    @property
    def policy(self) -> Policy:
        return self._policy_of(self.loop)

    def record(self, event: Event) -> None:
        """Add the event and apply it to the loop."""
        self.loop = event.apply(self.loop)
        self.events.append(event)
