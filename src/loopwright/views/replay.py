"""Replay: a recorded loop, decided once more under other limits. What the agent did is taken as it was; only where it would have
been stopped, or not, can differ. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core import events as ev
from ..core.breakers import BREAKERS, tripped
from ..core.clock import advance_clock
from ..core.evolve import evolve
from ..core.loop import Loop
from ..core.prompts.messages import RAISE_FLAGS
from ..core.record import Record
from ..core.runner.events import TurnStarted

# What a limit decides, by the breaker that it belongs to. The others change what the agent is told, or what a runner waits for.
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
    """Where a loop came to. `parted` is the iteration at which it left the record, 0 if it never did."""

    loop: Loop
    diverged_at: int = 0
    outcome_known: bool = True  # False: it would have gone on, and the record does not say how


def replay_moves(moves: Iterable[tuple[Record, ...]], limits: dict[str, Any]) -> ReplayResult:
    """The named limits are final: nobody raises them. Without any, the record as it is."""
    loop: Loop | None = None
    parted, alone = 0, False  # alone: a pause did not happen, and no turn was recorded since
    for event in (event for events in moves for event in events):
        if loop is None:
            loop = _with_limits(event.loop, limits) if isinstance(event, ev.LoopStarted) else None
            continue
        if (
            limits
            and isinstance(event, ev.TurnContinued | TurnStarted)
            and (stopped := _loop_if_stopped(loop, event))
        ):
            return ReplayResult(stopped, _current_iteration(loop))
        if limits and isinstance(event, ev.LoopPaused) and event.cause in BREAKERS:
            still = tripped(loop)
            if still is None:
                loop, alone, parted = (
                    advance_clock(loop, event.at, False),
                    True,
                    parted or _current_iteration(loop),
                )
                continue
            other = still[0] != event.cause  # what stood behind it
            if other or still[0] in {BREAKER_OF_LIMIT[name] for name in limits}:
                return ReplayResult(
                    _paused_loop(loop, *still), parted or (_current_iteration(loop) if other else 0)
                )
        if alone and isinstance(event, ev.LoopCancelled):
            break
        loop = _with_limits(evolve(loop, event), limits)
        alone = alone and not (isinstance(event, ev.TurnEnded) and event.counts_as_iteration)
    assert loop is not None, "BUG: a journal begins with a start"
    return ReplayResult(loop, parted, outcome_known=not alone)


def _with_limits(loop: Loop, limits: dict[str, Any]) -> Loop:
    return loop.but(limits=loop.limits.but(**limits)) if limits else loop


def _current_iteration(loop: Loop) -> int:
    return max(1, loop.spend.iterations)


def _loop_if_stopped(loop: Loop, event: ev.TurnContinued | TurnStarted) -> Loop | None:
    """Every turn that follows another was let through by the breakers, right before one of these."""
    if isinstance(event, ev.TurnContinued):
        why = tripped(loop)
        return _paused_loop(loop, *why) if why else None
    loop = advance_clock(loop, event.at, True)
    for name in RAISE_FLAGS:
        if reason := BREAKERS[name](loop):
            return _paused_loop(loop, name, reason)
    return None


def _paused_loop(loop: Loop, cause: str, why: str) -> Loop:
    return evolve(loop, ev.LoopPaused(cause, why, loop.clock.running_since))
