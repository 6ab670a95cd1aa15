"""Who handles the signals that an ordinary Stop does not get. Only what one needs is imported."""

from __future__ import annotations

from .directives import Directive, Stop
from .draft import Draft
from .signals import (
    BacklogEdited,
    BaselineComparison,
    CalibrationResult,
    Claimed,
    ClockSkipped,
    Committed,
    LaneMerged,
    LaneReady,
    PlanEdited,
    RoomResult,
    RunnerAttached,
    Signal,
    StartMeasurement,
    TreeHashed,
    TurnStarting,
    UnplannedSeen,
)


def handle_rare_signal(draft: Draft, signal: Signal) -> Directive:
    match signal:
        case BaselineComparison():
            from .policies.closing import handle_baseline_comparison

            return handle_baseline_comparison(draft, signal)
        case TreeHashed():
            from .policies.closing import handle_tree_hashed

            return handle_tree_hashed(draft, signal)
        case RoomResult() | CalibrationResult():
            from .policies.closing import handle_room_signal

            return handle_room_signal(draft, signal)
        case StartMeasurement():
            from .policies.permission import handle_start_measurement

            return handle_start_measurement(draft, signal)
        case Claimed():
            from .replies.claims import handle_claimed

            return handle_claimed(draft, signal)
        case ClockSkipped():
            from .events import TimeSkipped

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
