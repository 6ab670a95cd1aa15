"""The time that counts is the time awake: a closed lid, or a clock that is set, adds nothing."""

import time

import pytest

from loopwright.drive.step import step
from loopwright.store import folder as folders
from loopwright.store.moment import Moment
from tests.support.builders import a_loop_without_checks, order, turn

HOUR = 3600.0


@pytest.fixture
def clocks(monkeypatch):
    """Both clocks of the machine, and its boot: they go on when the test says so."""

    class Clocks:
        wall, awake, boot = 1_000_000.0, 500.0, "boot-1"

        def go_on(self, awake: float, asleep: float = 0.0) -> None:
            self.wall, self.awake = self.wall + awake + asleep, self.awake + awake

    clocks = Clocks()
    monkeypatch.setattr(time, "time", lambda: clocks.wall)
    monkeypatch.setattr(
        folders, "current_moment", lambda: Moment(clocks.wall, clocks.awake, clocks.boot)
    )
    return clocks


@pytest.fixture
def awake_project(project, clocks):
    here = project(git=False)
    loop = a_loop_without_checks("a", started_at=clocks.wall, running_since=clocks.wall)
    here.create(loop)
    tell(here, turn())
    return here


def tell(here, signal):
    return step(here.folder, signal.but(at=time.time()))


def test_a_closed_lid_adds_nothing(awake_project, clocks):
    clocks.go_on(awake=600, asleep=10 * HOUR)
    tell(awake_project, turn())

    assert awake_project.loop.status == "running"
    assert awake_project.loop.spend.seconds == pytest.approx(600)


@pytest.mark.parametrize("jump", [5 * HOUR, -5 * HOUR], ids=["forward", "back"])
def test_a_clock_that_is_set_adds_nothing(awake_project, clocks, jump):
    clocks.go_on(awake=600, asleep=jump)
    tell(awake_project, turn())
    clocks.go_on(awake=60)
    tell(awake_project, turn())

    assert awake_project.loop.spend.seconds == pytest.approx(660)


def test_across_boots_one_turn_counts_at_most_an_hour(awake_project, clocks):
    clocks.go_on(awake=0, asleep=20 * HOUR)
    clocks.awake, clocks.boot = 30.0, "boot-2"
    tell(awake_project, turn())

    assert awake_project.loop.spend.seconds == pytest.approx(HOUR)


def test_time_awake_is_counted_and_the_raise_that_is_shown_is_enough(awake_project, clocks):
    clocks.go_on(awake=6 * HOUR)
    said = tell(awake_project, turn()).message
    assert "time limit of 240 minutes reached" in said
    command = said.partition("`loop continue ")[2].partition("`")[0]

    assert awake_project.run("continue").code == 9
    assert awake_project.run("continue", command).code == 0
    assert awake_project.loop.status == "running"


def test_a_pause_stops_the_clock_whatever_the_wall_says(awake_project, clocks):
    clocks.go_on(awake=60)
    tell(awake_project, order("pause"))
    clocks.go_on(awake=HOUR, asleep=HOUR)
    tell(awake_project, order("continue"))

    assert awake_project.loop.spend.seconds == pytest.approx(60)
