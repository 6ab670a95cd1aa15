"""Events about who drives the loop: its lease, its session, and the prompts of a person there."""

from __future__ import annotations

from ..clock import advance_clock, stop_clock
from ..loop import Lease, Loop
from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_FOREIGN_SESSIONS = 16


class LeaseTaken(Record):
    at: float
    holder: str
    pid: int = 0


class LeaseReleased(Record):
    at: float


class SessionEnded(Record):
    at: float


class PersonSpoke(Record):
    """A prompt: it begins a turn of the loop, or the person takes the turn for themselves."""

    at: float
    interrupted: bool = False
    takes_turn: bool = False
    begins_turn: bool = False
    prompt_id: str = ""  # the client's id of the turn that the prompt belongs to


class ContextCompacted(Record):
    at: float


class ProtocolNeeded(Record):
    """Another agent took over, or its context was compacted: it must learn how to reply."""


class ProtocolSent(Record):
    """A prompt with the whole reply protocol went to an agent that needed it."""


class ForeignSessionSeen(Record):
    session: str


class TurnReleased(Record):
    """A stop was allowed that is not the end of a turn: plan mode, or background work."""


def _apply_lease_taken(loop: Loop, e: LeaseTaken) -> Loop:
    """The runner before may have died hours ago, so its last stretch is not counted."""
    if loop.headless_run:
        loop = _without_lanes(stop_clock(loop))
    same_client = e.holder == loop.lease.holder or (e.pid and e.pid == loop.lease.pid)
    if not same_client:  # the person gave the loop to another driver
        loop = loop.with_dialogue(person_turn_since=0.0)
    return loop.but(lease=Lease(e.holder, e.pid, loop.lease.fence + 1), check_round=None)


def _apply_lease_released(loop: Loop, e: LeaseReleased) -> Loop:
    """We cannot know when a killed runner stopped, so its last stretch is not counted."""
    if loop.headless_run:
        loop = _without_lanes(stop_clock(loop))
    else:
        loop = advance_clock(loop, e.at, running=False)
    return loop.but(lease=Lease("", 0, loop.lease.fence + 1), check_round=None)


def _without_lanes(loop: Loop) -> Loop:
    """Without the lanes of a runner that is gone: what they cost was settled before."""
    if loop.plan and loop.plan.lanes:
        return loop.but(plan=loop.plan.but(lanes=()))
    return loop


def _apply_session_ended(loop: Loop, e: SessionEnded) -> Loop:
    loop = advance_clock(loop, e.at, running=False)
    return loop.but(lease=loop.lease.but(session_ended=True, ended_at=e.at))


def _apply_person_spoke(loop: Loop, e: PersonSpoke) -> Loop:
    """A prompt ends a streak of talk. It does not change what a discovery loop counts as idle."""
    loop = advance_clock(loop, e.at, running=loop.status == "running" and not e.takes_turn)
    idle = loop.streak.idle if loop.backlog else 0
    loop = loop.but(
        streak=loop.streak.but(idle=idle, toolless=0),
        lease=loop.lease.but(session_ended=False, ended_at=0.0),
    )
    since = loop.dialogue.person_turn_since or e.at
    return loop.with_dialogue(
        turn_continued=e.begins_turn,
        prompt_queued=False,
        person_turn_since=since if e.takes_turn else 0.0,
        prompt_id=e.prompt_id or loop.dialogue.prompt_id,
    )


def _apply_foreign_session_seen(loop: Loop, e: ForeignSessionSeen) -> Loop:
    sessions = (*loop.dialogue.foreign_sessions, e.session)
    return loop.with_dialogue(foreign_sessions=sessions[-MAX_FOREIGN_SESSIONS:])


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "LeaseTaken": _apply_lease_taken,
    "LeaseReleased": _apply_lease_released,
    "SessionEnded": _apply_session_ended,
    "PersonSpoke": _apply_person_spoke,
    "ContextCompacted": lambda loop, e: loop,
    "ProtocolNeeded": lambda loop, e: loop.with_dialogue(protocol_due=True),
    "ProtocolSent": lambda loop, e: loop.with_dialogue(protocol_due=False),
    "ForeignSessionSeen": _apply_foreign_session_seen,
    "TurnReleased": lambda loop, e: loop.with_dialogue(turn_continued=False),
}
