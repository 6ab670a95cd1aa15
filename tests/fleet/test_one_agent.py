"""No two agents work on one job: not after a kill, a cancel or a freeze of their worker."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from loopwright.fleet import orders
from loopwright.fleet.jobs import read_turns
from loopwright.fleet.tables import CANCELLED, LOST
from tests.fleet.beats import attempts, is_beating, overlaps, start_on, submit_beating
from tests.fleet.night import FleetNight, check_ended_once
from tests.fleet.test_nights import on, states
from tests.support.postgres import Postgres
from tests.support.tcp_proxy import CuttableProxy

AGENT_SECONDS, LEASE_SECONDS = 3.0, 6.0


def wait_for_beats(night: FleetNight, beats: dict[str, Path]) -> None:
    night.wait_until(lambda: all(attempts(path) for path in beats.values()), "the agents")


@on("sqlite")
def test_all_that_an_agent_started_ends_with_a_killed_worker_before_the_turn_is_repeated(
    night: FleetNight,
) -> None:
    night.start_worker(slots=2)
    beats = submit_beating(night, 2, first=60.0, later=0.5)
    wait_for_beats(night, beats)
    night.kill_holder()
    night.start_worker(slots=2)
    night.wait_for_end()
    assert overlaps(beats) == []
    assert [len(attempts(path)) for path in beats.values()] == [2, 2]
    check_ended_once(night, iterations=1)


@on("sqlite")
def test_all_that_an_agent_started_ends_with_a_cancelled_job(night: FleetNight) -> None:
    night.start_worker(slots=1)
    beats = submit_beating(night, 1, first=60.0, later=60.0)
    wait_for_beats(night, beats)
    ((job_id, path),) = beats.items()
    orders.give_order(night.database, job_id, orders.CANCEL)
    night.wait_until(lambda: states(night) == [CANCELLED], "the end")
    assert not is_beating(path)


def test_the_agent_of_a_worker_that_is_cut_off_ends_in_time_and_its_turn_is_repeated(
    postgres: Postgres, tmp_path: Path
) -> None:
    proxy = CuttableProxy(str(postgres.folder / ".s.PGSQL.5432"))
    night = FleetNight(postgres.empty_database(), tmp_path)
    try:
        beats = submit_beating(night, 1, first=60.0, later=0.5)
        (path,) = beats.values()
        night.address = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
        start_on(night, "machine0", leases=(AGENT_SECONDS, LEASE_SECONDS))
        wait_for_beats(night, beats)
        proxy.cut()
        night.wait_until(lambda: not is_beating(path), "the end of the agent")
        assert night.open_turns() == list(beats)
        proxy.mend()
        night.wait_for_end()
        assert overlaps(beats) == []
        check_ended_once(night, iterations=1)
    finally:
        night.close()
        proxy.close()


@on("postgres")
def test_the_agent_of_a_worker_that_is_frozen_on_another_host_ends_before_its_job_is_taken(
    night: FleetNight,
) -> None:
    leases = (AGENT_SECONDS, LEASE_SECONDS)
    frozen = start_on(night, "machine0", leases=leases)
    beats = submit_beating(night, 1, first=60.0, later=0.5)
    wait_for_beats(night, beats)
    start_on(night, "machine1", leases=leases)
    night.wait_until(lambda: night.count_workers() == 2, "the other worker")
    ((job_id, path),) = beats.items()

    def first_turn() -> Any:
        with night.database.reading() as connection:
            return read_turns(connection, job_id)[0]

    # What is not heard before the freeze is not known: the agent ends, and the worker is late.
    night.wait_until(lambda: first_turn()["known"] > 0, "what the agent has spent")
    frozen.send_signal(signal.SIGSTOP)
    night.wait_until(lambda: len(attempts(path)) == 2, "the second attempt")
    frozen.send_signal(signal.SIGCONT)
    night.wait_for_end()
    assert overlaps(beats) == []
    check_ended_once(night, iterations=1)
    night.wait_until(lambda: "Starting again" in night.story(), "the first worker")
    lost = first_turn()
    assert (lost["state"], lost["spent"]) == (LOST, pytest.approx(0.01))
