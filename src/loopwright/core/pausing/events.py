"""Events about errors, pauses and ends, and about time that does not count."""

from __future__ import annotations

from ..clock import advance_clock, skip_time
from ..loop import Loop, Pause
from ..proof.state import Verdict
from ..record import Record
from ..status import with_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

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


class ErrorSeen(Record):
    text: str


class BreakerTripped(Record):
    name: str
    why: str


class LoopPaused(Record):
    cause: str
    why: str
    at: float


class LoopResumed(Record):
    at: float
    rearmed_breaker: str = ""


class LoopFinished(Record):
    verdict: Verdict
    at: float


class LoopCancelled(Record):
    at: float
    keep_mirror: bool = True


class TimeSkipped(Record):
    """Seconds by the wall clock in which the machine slept, or by which that clock was set."""

    seconds: float


def _apply_error_seen(loop: Loop, e: ErrorSeen) -> Loop:
    return loop.with_dialogue(errors=(*loop.dialogue.errors, e.text)[-MAX_ERRORS:])


def _apply_loop_paused(loop: Loop, e: LoopPaused) -> Loop:
    loop = advance_clock(loop, e.at, running=False)
    loop = loop.but(paused_round=loop.check_round or loop.paused_round)
    return with_status(loop, "paused", pause=Pause(e.cause, e.why), gate=None, check_round=None)


def _apply_loop_resumed(loop: Loop, e: LoopResumed) -> Loop:
    """Only the counter that tripped is set back; spend and iterations never fall."""
    streak = loop.streak.but(**REARMED.get(e.rearmed_breaker, {}))
    if loop.run and e.rearmed_breaker == "limit":
        loop = loop.but(run=loop.run.but(waited_seconds=0.0))
    if loop.plan:
        loop = loop.but(plan=loop.plan.with_retries_reset(loop.pause.cause))
    loop = loop.with_dialogue(person_turn_since=0.0)
    return with_status(
        loop,
        "running",
        pause=Pause(),
        gate=None,
        clock=loop.clock.but(running_since=e.at),
        streak=streak,
        check_round=None,
    )


def _apply_loop_finished(loop: Loop, e: LoopFinished) -> Loop:
    return _end(loop, "finished", e.at).but(verdict=e.verdict)


def _apply_loop_cancelled(loop: Loop, e: LoopCancelled) -> Loop:
    loop = _end(loop, "cancelled", e.at)
    return loop.but(settings=loop.settings.but(keep_mirror=e.keep_mirror))


def _end(loop: Loop, status: str, at: float) -> Loop:
    loop = advance_clock(loop, at, running=False)
    clock = loop.clock.but(ended_at=at)
    return with_status(loop, status, gate=None, check_round=None, clock=clock)


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "ErrorSeen": _apply_error_seen,
    "BreakerTripped": lambda loop, e: loop,
    "LoopPaused": _apply_loop_paused,
    "LoopResumed": _apply_loop_resumed,
    "LoopFinished": _apply_loop_finished,
    "LoopCancelled": _apply_loop_cancelled,
    "TimeSkipped": lambda loop, e: skip_time(loop, e.seconds),
}
