"""Events about who drives the loop: its lease, its session, and the prompts of a person there."""

from __future__ import annotations

from ..clock import advance_clock, stop_clock
from ..event import Event
from ..loop import Lease, Loop

MAX_FOREIGN_SESSIONS = 16


class LeaseTaken(Event):
    at: float
    holder: str
    pid: int = 0

    def apply(self, loop: Loop) -> Loop:
        """The runner before may have died hours ago, so its last stretch is not counted."""
        if loop.headless_run:
            loop = _without_lanes(stop_clock(loop))
        same_client = self.holder == loop.lease.holder or (self.pid and self.pid == loop.lease.pid)
        if not same_client:  # the person gave the loop to another driver
            loop = loop.with_dialogue(person_turn_since=0.0)
        return loop.but(lease=Lease(self.holder, self.pid, loop.lease.fence + 1), check_round=None)


class LeaseReleased(Event):
    at: float

    def apply(self, loop: Loop) -> Loop:
        """We cannot know when a killed runner stopped, so its last stretch is not counted."""
        if loop.headless_run:
            loop = _without_lanes(stop_clock(loop))
        else:
            loop = advance_clock(loop, self.at, running=False)
        return loop.but(lease=Lease("", 0, loop.lease.fence + 1), check_round=None)


class SessionEnded(Event):
    at: float

    def apply(self, loop: Loop) -> Loop:
        loop = advance_clock(loop, self.at, running=False)
        return loop.but(lease=loop.lease.but(session_ended=True, ended_at=self.at))


class PersonSpoke(Event):
    """A prompt: it begins a turn of the loop, or the person takes the turn for themselves."""

    at: float
    interrupted: bool = False
    takes_turn: bool = False
    begins_turn: bool = False
    prompt_id: str = ""  # the client's id of the turn that the prompt belongs to

    def apply(self, loop: Loop) -> Loop:
        """A prompt ends a streak of talk; what a discovery loop counts as idle stays."""
        loop = advance_clock(
            loop, self.at, running=loop.status == "running" and not self.takes_turn
        )
        idle = loop.streak.idle if loop.backlog else 0
        loop = loop.but(
            streak=loop.streak.but(idle=idle, toolless=0),
            lease=loop.lease.but(session_ended=False, ended_at=0.0),
        )
        since = loop.dialogue.person_turn_since or self.at
        return loop.with_dialogue(
            turn_continued=self.begins_turn,
            prompt_queued=False,
            person_turn_since=since if self.takes_turn else 0.0,
            prompt_id=self.prompt_id or loop.dialogue.prompt_id,
        )


class ContextCompacted(Event):
    at: float


class ProtocolNeeded(Event):
    """Another agent took over, or its context was compacted: it must learn how to reply."""

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(protocol_due=True)


class ProtocolSent(Event):
    """A prompt with the whole reply protocol went to an agent that needed it."""

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(protocol_due=False)


class ForeignSessionSeen(Event):
    session: str

    def apply(self, loop: Loop) -> Loop:
        sessions = (*loop.dialogue.foreign_sessions, self.session)
        return loop.with_dialogue(foreign_sessions=sessions[-MAX_FOREIGN_SESSIONS:])


class TurnReleased(Event):
    """A stop was allowed that is not the end of a turn: plan mode, or background work."""

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(turn_continued=False)


def _without_lanes(loop: Loop) -> Loop:
    """Without the lanes of a runner that is gone: what they cost was settled before."""
    if loop.plan and loop.plan.lanes:
        return loop.but(plan=loop.plan.but(lanes=()))
    return loop
