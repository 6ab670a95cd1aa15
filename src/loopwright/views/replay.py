"""Replay: decide a recorded loop again under other limits.

The agent's turns are taken from the record; only the point where the loop stops can differ. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from ..core import events as ev
from ..core.clock import advance_clock
from ..core.evolve import evolve
from ..core.loop import Loop
from ..core.pausing.breakers import BREAKERS, tripped
from ..core.prompts.messages import RAISE_FLAGS
from ..core.record import Record
from ..core.runner.events import TurnStarted

# The breaker that each limit belongs to. The other limits change what the agent is told or what a
# runner waits for, and the record cannot show the effect.
BREAKER_OF_LIMIT = {
    "iterations": "iterations",
    "dollars": "budget",
    "minutes": "clock",
    "stuck": "stuck",
    "same_error": "same-error",
    "same_file": "same-file",
    "idle": "idle",
    "transient": "transient",
}


class ReplayResult(Record):
    """Where the loop ends under the other limits.

    `diverged_at` is the iteration at which it leaves the record; 0 if it never does.
    `outcome_known` is False if it would continue and the record does not say how.
    """

    loop: Loop
    diverged_at: int = 0
    outcome_known: bool = True


def replay_moves(moves: Iterable[tuple[Record, ...]], limits: dict[str, Any]) -> ReplayResult:
    """Replay a journal with these limits fixed; without any, the loop as it was recorded."""
    events = chain.from_iterable(moves)
    started = next((e for e in events if isinstance(e, ev.LoopStarted)), None)
    assert started is not None, "BUG: a journal begins with a start"
    loop = _with_limits(started.loop, limits)
    diverged_at = 0
    # A recorded pause does not happen, and the record holds no turn since.
    is_past_record = False
    for event in events:
        if limits and isinstance(event, ev.TurnContinued | TurnStarted):
            stopped = _loop_if_stopped(loop, event)
            if stopped:
                return ReplayResult(stopped, _current_iteration(loop))
        if limits and isinstance(event, ev.LoopPaused) and event.cause in BREAKERS:
            breaker = tripped(loop)
            if breaker is None:
                diverged_at = diverged_at or _current_iteration(loop)
                is_past_record = True
                loop = advance_clock(loop, event.at, False)
                continue
            result = _result_of_pause(loop, event, breaker, limits, diverged_at)
            if result:
                return result
        if is_past_record and isinstance(event, ev.LoopCancelled):
            break
        loop = _with_limits(evolve(loop, event), limits)
        if isinstance(event, ev.TurnEnded) and event.counts_as_iteration:
            is_past_record = False
    return ReplayResult(loop, diverged_at, outcome_known=not is_past_record)


def _result_of_pause(
    loop: Loop,
    event: ev.LoopPaused,
    breaker: tuple[str, str],
    limits: dict[str, Any],
    diverged_at: int,
) -> ReplayResult | None:
    """The end of the replay at a recorded pause; None if a person continues as recorded."""
    cause, why = breaker
    paused = _paused_loop(loop, cause, why)
    if cause != event.cause:
        return ReplayResult(paused, diverged_at or _current_iteration(loop))
    if cause in {BREAKER_OF_LIMIT[name] for name in limits}:
        return ReplayResult(paused, diverged_at)
    return None


def _with_limits(loop: Loop, limits: dict[str, Any]) -> Loop:
    return loop.but(limits=loop.limits.but(**limits)) if limits else loop


def _current_iteration(loop: Loop) -> int:
    return max(1, loop.spend.iterations)


def _loop_if_stopped(loop: Loop, event: ev.TurnContinued | TurnStarted) -> Loop | None:
    """The paused loop if a breaker trips before this turn, else None."""
    if isinstance(event, ev.TurnContinued):
        breaker = tripped(loop)
        return _paused_loop(loop, *breaker) if breaker else None
    loop = advance_clock(loop, event.at, True)
    for name in RAISE_FLAGS:
        if why := BREAKERS[name](loop):
            return _paused_loop(loop, name, why)
    return None


def _paused_loop(loop: Loop, cause: str, why: str) -> Loop:
    return evolve(loop, ev.LoopPaused(cause, why, loop.clock.running_since))
