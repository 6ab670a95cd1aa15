"""The engine: `advance` handles signals and returns the next loop, its events and a directive.

It decides from these values alone: no clock, no files, no randomness. Every change is an event.
"""

from __future__ import annotations

from .directives import Directive, Move, Stop
from .draft import Draft
from .loop import Loop
from .signals import Checked, Signal, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .draft import Policy


def advance(loop: Loop, *signals: Signal) -> Move:
    """The move that follows from the signals."""
    draft = Draft(loop, policy_of)
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
            from .policies.turn_over import handle_turn_over

            return handle_turn_over(draft, signal)
        case Checked():
            from .policies.check_rounds import handle_checked

            return handle_checked(draft, signal)
    return _handle_other_signal(draft, signal)


def _handle_other_signal(draft: Draft, signal: Signal) -> Directive:
    """A signal that an ordinary Stop does not get."""
    from .signals import (
        BacklogEdited,
        BaselineComparison,
        CalibrationResult,
        Claimed,
        CleanCheckoutResult,
        ClockSkipped,
        Committed,
        LaneMerged,
        LaneReady,
        PlanEdited,
        RunnerAttached,
        StartMeasurement,
        StrengthResult,
        TreeHashed,
        TurnStarting,
        UnplannedSeen,
    )

    match signal:
        case (
            BaselineComparison()
            | TreeHashed()
            | CleanCheckoutResult()
            | StrengthResult()
            | CalibrationResult()
        ):
            from .policies.final_proof import handle_result

            return handle_result(draft, signal)
        case StartMeasurement():
            from .policies.permission import handle_start_measurement

            return handle_start_measurement(draft, signal)
        case Claimed():
            from .replies.claims import handle_claimed

            return handle_claimed(draft, signal)
        case ClockSkipped():
            from .pausing.events import TimeSkipped

            draft.record(TimeSkipped(signal.seconds))
            return Stop()
        case BacklogEdited():
            from .policies.discovery import handle_backlog_edited

            return handle_backlog_edited(draft, signal)
        case RunnerAttached():
            from .policies.runner import handle_runner_attached

            return handle_runner_attached(draft, signal)
        case TurnStarting():
            from .policies.runner import handle_turn_starting

            return handle_turn_starting(draft, signal)
        case LaneMerged() | LaneReady() | UnplannedSeen() | PlanEdited() | Committed():
            from .policies.lanes import handle_lane_signal

            return handle_lane_signal(draft, signal)
    from .person.orders import handle_person_or_client

    return handle_person_or_client(draft, signal)


def _join_directives(first: Directive, second: Directive) -> Directive:
    """The second directive counts, and carries the messages of both."""
    if second == Stop():
        return first
    return second.but(message=f"{first.message}\n{second.message}".strip())
