"""Seventy-two loops, three workers, a hundred kills: every loop ends once, and every cent is right."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import sqlalchemy as sa

from loopwright.fleet.tables import LOST, turns
from tests.fleet.night import FleetNight, problems_of_ended
from tests.support.postgres import Postgres, running_postgres

pytestmark = pytest.mark.long
LOOPS, KILLS, WORKERS, TURNS = 72, 100, 3, 3
DEATHS = 6
POSTMASTER_EVERY = 10  # so many kills, one is of the database


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_loop_ends_once_whatever_is_killed(kind: str, tmp_path: Path, figure) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(running_postgres()) if kind == "postgres" else None
        address = server.empty_database() if server else str(tmp_path / "fleet.db")
        night = FleetNight(address, tmp_path, seed=7)
        stack.callback(night.close)
        night.submit(LOOPS, turns=TURNS, seconds=0.5, has_room=True)
        for _ in range(WORKERS):
            night.start_worker(slots=4)
        for kill in range(1, KILLS + 1):
            time.sleep(night.random.uniform(0.5, 4.0))  # any moment will do
            kill_something(night, server, kill)
            night.release_parked_jobs()
            if night.has_ended():
                night.submit(
                    WORKERS, turns=TURNS, seconds=0.5, has_room=True
                )  # there is always work to disturb
        night.wait_for_end()
        note = f"{kind}: {night.count_turns(LOST)} turns cut off"
        figure("fleet kills", of=KILLS, bad=problems_of_ended(night, TURNS, ("proven",)), note=note)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_job_continues_soon_after_its_worker_was_found_dead(
    kind: str, tmp_path: Path, figure
) -> None:
    """Two other workers have free slots. The figure is the time until the job's next turn."""
    with ExitStack() as stack:
        server = stack.enter_context(running_postgres()) if kind == "postgres" else None
        address = server.empty_database() if server else str(tmp_path / "fleet.db")
        night = FleetNight(address, tmp_path, seed=7)
        stack.callback(night.close)
        for _ in range(WORKERS):
            night.start_worker(slots=4)
        for _ in range(DEATHS):
            night.submit(WORKERS, turns=2, seconds=1.5)
            night.wait_until(lambda: bool(night.open_turns()), "a turn")
            holder = night.kill_holder()
            night.start_worker(slots=4)
            night.wait_for_end()
            assert holder.returncode
        seconds = sorted(seconds_to_resume(night))
        note = (
            f"{kind}: {seconds[len(seconds) // 2]:.1f} s in the middle, {seconds[-1]:.1f} s at most"
        )
        figure("fleet resume", of=len(seconds), bad=problems_of_ended(night, 2), note=note)


def kill_something(night: FleetNight, server: Postgres | None, kill: int) -> None:
    if server and kill % POSTMASTER_EVERY == 0:
        server.kill()
        server.restart_after_kill()
        return
    night.kill_any_worker()
    night.start_worker(slots=4)


def seconds_to_resume(night: FleetNight) -> list[float]:
    """From the moment when a worker was found dead until its job works again, for each cut turn."""
    with night.database.reading() as connection:
        rows = connection.execute(sa.select(turns).order_by(turns.c.fence)).mappings().all()
    return list(_gaps([dict(row) for row in rows]))


def _gaps(rows: list[dict[str, object]]) -> Iterator[float]:
    for lost in (row for row in rows if row["state"] == LOST):
        later = [
            float(str(row["started_at"]))
            for row in rows
            if row["job"] == lost["job"] and int(str(row["fence"])) > int(str(lost["fence"]))
        ]
        if later:
            yield min(later) - float(str(lost["ended_at"]))
