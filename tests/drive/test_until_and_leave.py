"""`--until` and `--leave`: how they are read, and what a runner does with them."""

from __future__ import annotations

from datetime import datetime

import pytest

from loopwright.core.directives import Continue, Stop, Wait
from loopwright.core.limits import Limits
from loopwright.drive.errors import UserError
from loopwright.drive.runner.until_and_leave import parse_share, parse_until, until_text
from tests.support.night import Night, a_free_loop, runner_attached

RESET = 5_000.0  # the stories of a night begin at 0
NOW = datetime(2026, 11, 16, 23, 0).timestamp()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("07:00", datetime(2026, 11, 17, 7, 0)),
        ("23:30", datetime(2026, 11, 16, 23, 30)),
        ("23:00", datetime(2026, 11, 17, 23, 0)),
        ("2026-11-18T06:15", datetime(2026, 11, 18, 6, 15)),
    ],
    ids=["in the morning", "later today", "this very minute is tomorrow's", "a date"],
)
def test_until_is_the_next_such_moment(text: str, moment: datetime) -> None:
    until = parse_until(text, NOW)

    assert until == moment.timestamp()
    assert parse_until(until_text(until), NOW) == until


@pytest.mark.parametrize("text", ["7 o'clock", "25:00", "", "2026-13-01T07:00"])
def test_another_time_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="such as 07:00"):
        parse_until(text, NOW)


@pytest.mark.parametrize(("text", "share"), [("20%", 0.2), ("5", 0.05), ("12.5%", 0.125)])
def test_leave_is_a_share(text: str, share: float) -> None:
    assert parse_share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["0%", "100%", "a bit", "-5"])
def test_another_share_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="such as 20%"):
        parse_share(text)


def paced_night(leave: float, *agents: str, **changes: object) -> Night:
    night = Night(a_free_loop(**changes), *agents)
    night.tell(runner_attached(*agents, leave=leave))
    return night


def test_a_window_that_is_used_up_to_the_share_is_waited_for() -> None:
    night = paced_night(0.2)
    assert isinstance(night.whole_turn("", "t2", window_used=0.7, window_reset_at=RESET), Continue)
    assert isinstance(night.begin(), Continue)
    last = night.end_turn("", "t3", window_used=0.81, window_reset_at=RESET)
    wait = night.begin()

    assert isinstance(last, Continue)  # the turn itself counts as usual
    assert isinstance(wait, Wait)
    assert wait.until == RESET
    assert "20% of the usage window stays unused" in wait.why
    assert night.loop.spend.iterations == 2
    assert isinstance(night.begin(at=RESET + 1), Continue)


def test_another_agent_works_on_while_the_window_of_the_first_is_left() -> None:
    night = paced_night(0.2, "claude", "codex")
    night.whole_turn("", "t2", window_used=0.9, window_reset_at=RESET)

    assert isinstance(night.begin(), Continue)
    assert night.run.agent == "codex"


def test_without_leave_a_window_is_used_up() -> None:
    night = paced_night(0.0)
    night.whole_turn("", "t2", window_used=0.99, window_reset_at=RESET)

    assert isinstance(night.begin(), Continue)


def test_a_window_that_begins_too_late_pauses() -> None:
    night = paced_night(0.2, limits=Limits(wait=10))
    night.whole_turn("", "t2", window_used=0.9, window_reset_at=RESET)

    assert isinstance(night.begin(), Stop)
    assert night.loop.pause.cause == "limit"
