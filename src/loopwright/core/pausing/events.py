"""Events about errors, pauses and ends, and about time that does not count."""

from __future__ import annotations

from ..clock import advance_clock, skip_time
from ..event import Event
from ..loop import Loop, Pause
from ..proof.state import Verdict
from ..status import with_status

MAX_ERRORS = 20
# The counters that a resume sets back, by the breaker that had tripped.
REARMED: dict[str, dict[str, object]] = {
    "stuck": {"stuck": 0, "stuck_half": False},
    "same-error": {"same_error": 0, "error_signature": ""},
    "same-file": {"same_file": 0},
    "idle": {"idle": 0},
    "cap": {"toolless": 0, "held": 0},
    "transient": {"transient": 0},
    "trouble": {"blocking_error": ""},
}


class ErrorSeen(Event):
    text: str

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(errors=(*loop.dialogue.errors, self.text)[-MAX_ERRORS:])


class BreakerTripped(Event):
    name: str
    why: str


class LoopPaused(Event):
    cause: str
    why: str
    at: float

    def apply(self, loop: Loop) -> Loop:
        loop = advance_clock(loop, self.at, running=False)
        loop = loop.but(paused_round=loop.check_round or loop.paused_round)
        return with_status(
            loop, "paused", pause=Pause(self.cause, self.why), gate=None, check_round=None
        )


class LoopResumed(Event):
    at: float
    rearmed_breaker: str = ""

    def apply(self, loop: Loop) -> Loop:
        """Only the counter that tripped is set back; spend and iterations never fall."""
        streak = loop.streak.but(**REARMED.get(self.rearmed_breaker, {}))
        if loop.run and self.rearmed_breaker == "limit":
            loop = loop.but(run=loop.run.but(waited_seconds=0.0))
        if loop.plan:
            loop = loop.but(plan=loop.plan.with_retries_reset(loop.pause.cause))
        loop = loop.with_dialogue(person_turn_since=0.0)
        return with_status(
            loop,
            "running",
            pause=Pause(),
            gate=None,
            clock=loop.clock.but(running_since=self.at),
            streak=streak,
            check_round=None,
        )


class LoopFinished(Event):
    verdict: Verdict
    at: float

    def apply(self, loop: Loop) -> Loop:
        return _end(loop, "finished", self.at).but(verdict=self.verdict)


class LoopCancelled(Event):
    at: float
    keep_mirror: bool = True

    def apply(self, loop: Loop) -> Loop:
        loop = _end(loop, "cancelled", self.at)
        return loop.but(settings=loop.settings.but(keep_mirror=self.keep_mirror))


class TimeSkipped(Event):
    """Seconds by the wall clock in which the machine slept, or by which that clock was set."""

    seconds: float

    def apply(self, loop: Loop) -> Loop:
        return skip_time(loop, self.seconds)


def _end(loop: Loop, status: str, at: float) -> Loop:
    loop = advance_clock(loop, at, running=False)
    clock = loop.clock.but(ended_at=at)
    return with_status(loop, status, gate=None, check_round=None, clock=clock)
