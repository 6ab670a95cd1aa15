"""Moments as a clock on the wall shows them."""

from __future__ import annotations

import time


def clock_time(at: float) -> str:
    """The local time, 15:00; with the date if it is not today."""
    today = time.strftime("%Y-%m-%d")
    day, clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(at)).split()
    return clock if day == today else f"{day} {clock}"
