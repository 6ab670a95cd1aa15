"""`--until` and `--leave`: when a runner stops, and how much of a usage window it leaves."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from ..errors import WrongValue


def parse_until(text: str, now: float) -> float:
    """The next moment with this time of day (07:00), or a date with a time, as seconds."""
    try:
        if "T" in text or "-" in text:
            return datetime.fromisoformat(text).timestamp()
        clock = datetime.strptime(text, "%H:%M").time()
    except ValueError as error:
        raise WrongValue(
            f"--until takes a time such as 07:00 or 2026-11-17T07:00, not {text!r}"
        ) from error
    today = datetime.fromtimestamp(now)
    moment = today.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    if moment <= today:
        moment += timedelta(days=1)
    return moment.timestamp()


def until_text(until: float) -> str:
    """The moment as `--until` takes it, so that a resumed run ends at the same one."""
    return datetime.fromtimestamp(until).isoformat(timespec="minutes")


def parse_share(text: str) -> float:
    """The share that `20%` names."""
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = 0.0
    if not 0 < percent < 100:
        raise WrongValue(f"--leave takes a share such as 20%, not {text!r}")
    return percent / 100


def time_is_up(until: float) -> str:
    """Why the run ends now: the time of `--until` has come; "" if it has not."""
    if not until or time.time() < until:
        return ""
    return f"the time given with --until has come ({datetime.fromtimestamp(until):%H:%M})"
