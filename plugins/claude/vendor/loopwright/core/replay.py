"""Replay: a recorded loop, decided once more under other limits. What the agent did is taken as it was; only where it would have
been stopped, or not, can differ. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import events as ev
from .breakers import BREAKERS, tripped
from .engine import evolve, tick
from .loop import Loop
from .record import Record
from .running import TurnBegan
from .wording import NEED_A_RAISE

# What a limit decides, by the breaker that it belongs to. The others change what the agent is told, or what a runner waits for.
DECIDES = {
    "iterations": "iterations",
    "dollars": "budget",
    "minutes": "clock",
    "stuck": "stuck",
    "same_error": "same-error",
    "same_file": "same-file",
    "idle": "idle",
    "transient": "transient",
}


class Replayed(Record):
    """Where a loop came to. `parted` is the iteration at which it left the record, 0 if it never did."""

    loop: Loop
    parted: int = 0
    known: bool = True  # False: it would have gone on, and the record does not say how


def replay(moves: Iterable[tuple[Record, ...]], limits: dict[str, Any]) -> Replayed:
    """The named limits are final: nobody raises them. Without any, the record as it is."""
    loop: Loop | None = None
    parted, alone = 0, False  # alone: a pause did not happen, and no turn was recorded since
    for event in (event for events in moves for event in events):
        if loop is None:
            loop = _bounded(event.loop, limits) if isinstance(event, ev.LoopStarted) else None
            continue
        if limits and isinstance(event, ev.TurnContinued | TurnBegan) and (stopped := _stopped(loop, event)):
            return Replayed(stopped, _now(loop))
        if limits and isinstance(event, ev.LoopPaused) and event.cause in BREAKERS:
            still = tripped(loop)
            if still is None:
                loop, alone, parted = tick(loop, event.at, False), True, parted or _now(loop)
                continue
            other = still[0] != event.cause  # what stood behind it
            if other or still[0] in {DECIDES[name] for name in limits}:
                return Replayed(_paused(loop, *still), parted or (_now(loop) if other else 0))
        if alone and isinstance(event, ev.LoopCancelled):
            break
        loop = _bounded(evolve(loop, event), limits)
        alone = alone and not (isinstance(event, ev.TurnEnded) and event.counts)
    assert loop is not None, "BUG: a journal begins with a start"
    return Replayed(loop, parted, known=not alone)


def _bounded(loop: Loop, limits: dict[str, Any]) -> Loop:
    return loop.but(limits=loop.limits.but(**limits)) if limits else loop


def _now(loop: Loop) -> int:
    return max(1, loop.spend.iterations)


def _stopped(loop: Loop, event: ev.TurnContinued | TurnBegan) -> Loop | None:
    """Every turn that follows another was let through by the breakers, right before one of these."""
    if isinstance(event, ev.TurnContinued):
        why = tripped(loop)
        return _paused(loop, *why) if why else None
    loop = tick(loop, event.at, True)
    for name in NEED_A_RAISE:
        if reason := BREAKERS[name](loop):
            return _paused(loop, name, reason)
    return None


def _paused(loop: Loop, cause: str, why: str) -> Loop:
    return evolve(loop, ev.LoopPaused(cause, why, loop.since))
