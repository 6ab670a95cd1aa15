"""The clock of a loop: it counts while the loop runs."""

from __future__ import annotations

from .loop import Loop


def advance_clock(loop: Loop, at: float, running: bool) -> Loop:
    """Count the time until now. A system clock that was set back adds nothing."""
    since = loop.clock.running_since
    passed = max(0.0, at - since) if since else 0.0
    return loop.but(
        spend=loop.spend.but(seconds=loop.spend.seconds + passed),
        clock=loop.clock.but(running_since=at if running else 0.0),
    )


def skip_time(loop: Loop, seconds: float) -> Loop:
    """Leave out time in which nobody worked: the machine slept, or its clock was set."""
    since = loop.clock.running_since
    return loop.but(clock=loop.clock.but(running_since=since + seconds)) if since else loop


def stop_clock(loop: Loop) -> Loop:
    """Stop without counting the last stretch: we do not know how much of it was work."""
    return loop.but(clock=loop.clock.but(running_since=0.0))
