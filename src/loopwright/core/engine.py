"""The engine: `advance` handles signals and returns the next loop, its events and a directive.

It decides from these values alone: no clock, no files, no randomness. Every change is an event.
"""

from __future__ import annotations

from .directives import Directive, Move, Stop
from .draft import Draft
from .evolve import evolve
from .loop import Loop
from .signals import Checked, Signal, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .draft import Policy


def advance(loop: Loop, *signals: Signal) -> Move:
    """The move that follows from the signals."""
    draft = Draft(loop, evolve, policy_of)
    directive: Directive = Stop()
    for signal in signals:
        directive = _join_directives(directive, handle_signal(draft, signal))
    return Move(draft.loop, tuple(draft.events), directive)


def policy_of(loop: Loop) -> Policy:
    """The module that decides for this kind of loop."""
    match loop.policy:
        case "discovery":
            from .policies import discovery

            return discovery
        case "plan":
            from .policies import plan

            return plan
    from .policies import spec

    return spec


def handle_signal(draft: Draft, signal: Signal) -> Directive:
    """Handle one signal and return the directive. Only the modules it needs are imported."""
    match signal:
        case TurnOver():
            from .policies.frame import handle_turn_over

            return handle_turn_over(draft, signal)
        case Checked():
            from .policies.frame import handle_checked

            return handle_checked(draft, signal)
    from .signal_handlers import handle_rare_signal

    return handle_rare_signal(draft, signal)


def _join_directives(first: Directive, second: Directive) -> Directive:
    """The second directive counts, and carries the messages of both."""
    if second == Stop():
        return first
    return second.but(message=f"{first.message}\n{second.message}".strip())
