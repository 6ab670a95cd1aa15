"""The clock of a loop: it counts while the loop runs."""

from __future__ import annotations

from .loop import Loop


def advance_clock(loop: Loop, at: float, running: bool) -> Loop:
    """Move the clock. It stands still while paused, and a clock set back adds nothing."""
    passed = max(0.0, at - loop.running_since) if loop.running_since else 0.0
    return loop.but(spend=loop.spend.but(seconds=loop.spend.seconds + passed), running_since=at if running else 0.0)
