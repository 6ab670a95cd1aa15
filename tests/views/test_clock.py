"""A wait for a usage limit is shown with the time of day at which it ends, on every screen."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from loopwright.views import board, live
from loopwright.views.board_of_loops import WAITING, reason_text
from loopwright.views.clock import clock_time
from loopwright.views.loop_timeline import timeline_entries
from tests.support.night import Night

WHY = "claude: its usage limit is reached"


def wait_line(night: Night) -> str:
    until = night.run.waiting_until
    return live.wait_line(until, night.run.waiting_reason, until - 65.0)


def timeline(night: Night) -> str:
    return "\n".join(entry.title for entry in timeline_entries(night.events))


@pytest.mark.parametrize(
    ("screen", "row"),
    [
        pytest.param(
            lambda night: board.text(night.loop), f"  waits until CLOCK: {WHY}\n", id="loop status"
        ),
        pytest.param(
            lambda night: reason_text(night.loop, WAITING), f"until CLOCK: {WHY}", id="loop watch"
        ),
        pytest.param(timeline, f"Waits until CLOCK: {WHY}", id="the timeline of a loop"),
        pytest.param(wait_line, f"⏳ 1:05 left, until CLOCK | {WHY}", id="loop run"),
    ],
)
def test_a_wait_is_shown_with_the_time_of_day(screen: Callable[[Night], str], row: str) -> None:
    reset = time.time() + 3_600.0
    night = Night()
    night.whole_turn(at=time.time(), usage_limited=True, limit_reset_at=reset)

    assert row.replace("CLOCK", clock_time(reset)) in screen(night)


def test_the_time_of_another_day_has_its_date() -> None:
    now = time.time()
    assert clock_time(now) == time.strftime("%H:%M", time.localtime(now))
    assert clock_time(1_000_000.0).startswith("1970-01-1")
