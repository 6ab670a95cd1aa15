"""A hundred kills and twenty freezes of workers on two hosts: no job ever has two agents."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import sqlalchemy as sa

from loopwright.fleet.tables import RUNNING, workers
from tests.fleet.beats import attempts, is_at_work, overlaps, start_on, submit_beating
from tests.fleet.night import FleetNight, problems_of_ended
from tests.support.postgres import Postgres, running_postgres

pytestmark = pytest.mark.long
HOSTS = ("machine0", "machine1")
KILLS, FREEZES, FROZEN_AT_ONCE = 100, 20, 5


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with running_postgres() as made:
        yield made


@pytest.fixture
def night(server: Postgres, tmp_path: Path) -> Iterator[FleetNight]:
    begun = FleetNight(server.empty_database(), tmp_path, seed=11)
    yield begun
    begun.close()


def test_kills(night: FleetNight, figure) -> None:
    """Two workers on each host, so that one can see that the other is gone."""
    places = {start_on(night, host, slots=2): host for host in HOSTS * 2}
    beats: dict[str, Path] = {}
    for _ in range(KILLS):
        if sum(job.state in ("queued", "running") for job in night.jobs()) < 6:
            beats |= submit_beating(night, 4, first=6.0, later=3.0)
        victim = wait_for_agent(night, beats)
        time.sleep(night.random.uniform(0.0, 1.0))
        victim.kill()
        victim.wait()
        host = places.pop(victim)
        places[start_on(night, host, slots=2)] = host
    night.wait_for_end()
    problems = overlaps(beats) + problems_of_ended(night, 1)
    figure("fleet agents", of=KILLS, bad=problems, note=f"kills: {pauses_text(beats)}")


def test_freezes(night: FleetNight, figure) -> None:
    """All workers of a host are frozen, and those of the other one take their jobs."""
    beats: dict[str, Path] = {}
    working = [start_on(night, HOSTS[0]) for _ in range(FROZEN_AT_ONCE)]
    for number in range(FREEZES // FROZEN_AT_ONCE):
        new = submit_beating(night, FROZEN_AT_ONCE, first=600.0, later=1.0)
        beats |= new
        night.wait_until(lambda new=new: all(map(attempts, new.values())), "the agents")
        others = [start_on(night, HOSTS[(number + 1) % 2]) for _ in range(FROZEN_AT_ONCE)]
        night.wait_until(lambda: night.count_workers() == 2 * FROZEN_AT_ONCE, "the others")
        for worker in working:
            worker.send_signal(signal.SIGSTOP)
        night.wait_for_end()
        for worker in working:
            worker.send_signal(signal.SIGCONT)
        night.wait_until(lambda: night.count_workers() == 2 * FROZEN_AT_ONCE, "all of them again")
        end_workers(night, working)
        working = others
    problems = overlaps(beats) + problems_of_ended(night, 1)
    figure("fleet agents", of=FREEZES, bad=problems, note=f"freezes: {pauses_text(beats)}")


def wait_for_agent(night: FleetNight, beats: dict[str, Path]) -> subprocess.Popen[bytes]:
    """A living worker whose agent works now."""
    found: list[subprocess.Popen[bytes]] = []

    def look() -> bool:
        night.release_parked_jobs()
        busy = {
            job.worker
            for job in night.jobs()
            if job.state == RUNNING and is_at_work(job, beats[job.id])
        }
        with night.database.reading() as connection:
            query = sa.select(workers.c.pid).where(workers.c.id.in_(busy))
            pids = set(connection.execute(query).scalars())
        found.extend(one for one in night.processes if one.pid in pids and one.poll() is None)
        return bool(found)

    night.wait_until(look, "an agent at work")
    return night.random.choice(found)


def end_workers(night: FleetNight, working: list[subprocess.Popen[bytes]]) -> None:
    before = night.count_workers()
    for worker in working:
        worker.terminate()
        worker.wait(60)
    night.wait_until(lambda: night.count_workers() == before - len(working), "their end")


def pauses_text(beats: dict[str, Path]) -> str:
    """The shortest time between the last beat of an attempt and the first of the next."""
    pauses = [
        began - ended
        for path in beats.values()
        for (_, ended), (began, _) in pairwise(attempts(path))
    ]
    return f"{len(pauses)} turns repeated, at least {min(pauses):.1f} s after the end of the first"
