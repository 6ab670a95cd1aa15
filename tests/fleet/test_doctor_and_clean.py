"""`loop fleet doctor` names what is wrong; `loop fleet clean` removes old jobs, but not what they cost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from loopwright.fleet import doctor
from loopwright.fleet.board import read_board
from loopwright.fleet.database import Database, open_database
from loopwright.fleet.jobs import JobRequest, submit_jobs
from loopwright.fleet.ledger import TurnWish, reserve_turn, set_limit, used_dollars
from loopwright.fleet.placement import Claimer, claim_jobs
from loopwright.fleet.retention import Removed, remove_old
from loopwright.fleet.settings import default_database
from loopwright.fleet.tables import ENDED, RUNNING, bundles, jobs, logs, past, turns, workers
from loopwright.views.clock import clock_time
from tests.fleet.test_status_and_orders import a_job, a_turn, a_worker
from tests.support.project import Project

DAY = 86_400.0


@pytest.fixture
def fleet() -> Iterator[Database]:
    database = open_database(default_database())
    yield database
    database.close()


def texts(findings: list[Any]) -> list[str]:
    return [
        f"{f.level}: {f.what} -> {f.fix}" if f.fix else f"{f.level}: {f.what}" for f in findings
    ]


# --- doctor ---


def test_a_new_fleet_needs_only_a_worker(here: Project) -> None:
    said = here.run("fleet", "doctor")

    assert said.code == 0
    assert "✓ sqlite:///" in said.out
    assert "✓ the clock of this machine agrees" in said.out
    assert "! no worker is running\n    fix: loop fleet worker" in said.out
    assert {row["level"] for row in here.run("fleet", "doctor", "--json").json} <= {"ok", "warn"}


def test_a_database_that_does_not_answer_is_the_finding(here: Project) -> None:
    said = here.run("fleet", "doctor", "--database", "postgresql://u:secret@127.0.0.1:1/x")

    assert said.code == 1
    assert "✗ the fleet's database does not answer" in said.out
    assert "loop fleet init --database" in said.out
    assert "secret" not in said.out


def test_tables_of_another_release_are_the_finding(here: Project, fleet: Database) -> None:
    with fleet.writing() as connection:
        connection.execute(sa.text("update fleet_format set number = 99"))
    said = here.run("fleet", "doctor")

    assert said.code == 1
    assert "has the tables of another release" in said.out
    assert "loop fleet init --database" in said.out


def test_jobs_that_no_worker_can_take_are_named_with_the_command(database: Database) -> None:
    a_worker(database, labels=("agent:claude",))
    ids = [
        a_job(database, labels=["gpu"]),
        a_job(database, labels=["agent:codex"]),
        a_job(database, account="team"),
        a_job(database, labels=["agent:claude"]),
    ]
    with database.reading() as connection:
        board = read_board(connection, database)
    found = texts(list(doctor.diagnose_jobs(board)))
    assert found == [
        f"fail: 1 job(s) wait for a worker with gpu, and none is running: {ids[0]} -> loop fleet worker --label gpu",
        f"fail: 1 job(s) wait for a worker with agent:codex, and none is running: {ids[1]} -> "
        "install codex on the machine of a worker; see: loop agents",
        f"fail: 1 job(s) wait for a worker with the account team, and none is running: {ids[2]} -> "
        "loop fleet worker --account team=FILE",
    ]


def test_failed_jobs_and_jobs_without_any_worker_are_named(database: Database) -> None:
    a_job(database)
    failed = a_job(database, state="failed", reason="no such commit")
    with database.reading() as connection:
        board = read_board(connection, database, with_closed=True)
    assert texts(list(doctor.diagnose_jobs(board))) == [
        "fail: 1 job(s) wait for a worker -> loop fleet worker",
        f"warn: job {failed} failed: no such commit -> loop fleet retry {failed}",
    ]


def test_silent_and_dead_workers_and_mixed_releases_are_named(database: Database) -> None:
    for number, name in enumerate(("good", "silent", "dead", "old")):
        a_worker(database, name, lock_number=6000 + number)
    with database.writing() as connection:
        change = sa.update(workers)
        now = database.now(connection)
        connection.execute(change.where(workers.c.id == "silent").values(heard_at=now - 60))
        connection.execute(change.where(workers.c.id == "dead").values(state="dead"))
        connection.execute(change.where(workers.c.id == "old").values(release="0.1"))
    with database.reading() as connection:
        board = read_board(connection, database)
    found = "\n".join(texts(list(doctor.diagnose_workers(board))))
    assert "ok: worker good is working, 0 of 2 slots busy" in found
    assert "warn: worker silent has been silent for 60 s" in found
    assert "warn: 1 worker(s) died lately: dead" in found
    assert "workers of several releases are running: 0.1, 1 -> drain the old ones" in found


def test_used_up_full_and_blocked_limits_are_named(database: Database) -> None:
    job_id = a_job(database, state=RUNNING)
    a_turn(database, job_id, 1, spent=5.0)
    with database.writing() as connection:
        set_limit(connection, "fleet", budget=5.0)
        set_limit(connection, "repository:app", at_once=1)
        until = database.now(connection) + 600
        blocked = {"blocked_until": until, "blocked_why": "usage limit"}
        set_limit(connection, "account:team", **blocked)
    with database.reading() as connection:
        board = read_board(connection, database)
    assert texts(list(doctor.diagnose_limits(board))) == [
        "fail: the budget of fleet ($5.00) is used up -> loop fleet limit fleet --budget 10",
        f"warn: account:team waits until {clock_time(until)}: usage limit -> "
        "wait, or lift it: loop fleet limit account:team --clear",
        "ok: repository:app is full: 1 of 1 at once",
    ]


@pytest.mark.parametrize(
    ("skew", "text"),
    [(0.5, "agrees"), (60.0, "60 s behind the database"), (-60.0, "60 s ahead of the database")],
)
def test_a_skewed_clock_is_named(skew: float, text: str) -> None:
    assert text in doctor.diagnose_clock(skew).what


def test_a_file_that_others_can_write_is_a_danger(here: Project, fleet: Database) -> None:
    os.chmod(default_database(), 0o666)
    said = here.run("fleet", "doctor")

    assert said.code == 1
    assert "other users can write" in said.out


# --- clean ---


def make_old(database: Database, job_id: str, days: float) -> None:
    with database.writing() as connection:
        at = database.now(connection) - days * DAY
        values = {"changed_at": at, "ended_at": at}
        connection.execute(sa.update(jobs).where(jobs.c.id == job_id).values(**values))


def count(database: Database, table: sa.Table) -> int:
    with database.reading() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def test_old_closed_jobs_go_and_their_dollars_stay(database: Database) -> None:
    old, young, waiting = (a_job(database, name) for name in ("old", "young", "waiting"))
    with database.writing() as connection:
        closed = sa.update(jobs).where(jobs.c.id.in_((old, young)))
        connection.execute(closed.values(state=ENDED))
        connection.execute(sa.insert(logs).values(job=old, at=0.0, text="x"))
        set_limit(connection, "fleet", budget=10.0)
    a_turn(database, old, 1, spent=4.0)
    a_turn(database, old, 2, spent=0.5, state="lost")
    a_turn(database, young, 1, spent=1.0)
    for job_id in (old, waiting):
        make_old(database, job_id, 31)

    assert remove_old(database, 30 * DAY).jobs == 1
    assert (count(database, jobs), count(database, turns), count(database, logs)) == (2, 1, 0)
    with database.reading() as connection:
        for scope in ("fleet", "account:default", "repository:app"):
            assert used_dollars(connection, scope) == 5.5
        assert read_board(connection, database).totals["spent_by_removed_jobs"] == 4.5
        (row,) = connection.execute(sa.select(past).where(past.c.scope == "fleet"))
        assert (row.jobs, row.spent) == (1, 4.5)

    make_old(database, young, 31)
    assert remove_old(database, 30 * DAY).jobs == 1
    with database.reading() as connection:
        assert used_dollars(connection, "fleet") == 5.5


def test_a_budget_counts_what_removed_jobs_have_spent(database: Database) -> None:
    old = a_job(database, state=ENDED)
    a_turn(database, old, 1, spent=9.0)
    make_old(database, old, 31)
    remove_old(database, 30 * DAY)
    with database.writing() as connection:
        set_limit(connection, "fleet", budget=10.0)
    a_job(database)
    (job,) = claim_jobs(database, Claimer("w", frozenset(), frozenset({"default"})), 1)
    with database.writing() as connection:
        grant = reserve_turn(connection, database, job, TurnWish(1, 5.0, 0.0, 60.0))
    assert grant.dollars == 1.0


def test_bundles_stay_as_long_as_a_job_needs_them(here: Project, fleet: Database) -> None:
    used = JobRequest("used", "app", "a" * 40, bundle=b"x")
    unused = JobRequest("unused", "app", "b" * 40, bundle=b"x")
    _, gone = submit_jobs(fleet, [used, unused])
    with fleet.writing() as connection:
        connection.execute(sa.update(jobs).where(jobs.c.id == gone).values(state=ENDED))
        connection.execute(sa.update(bundles).values(written_at=1.0))
    make_old(fleet, gone, 31)

    said = here.run("fleet", "clean", "--yes", "--json")
    assert said.json == {"jobs": 1, "bundles": 1, "workers": 0, "workflows": 0}
    with fleet.reading() as connection:
        left = set(connection.execute(sa.select(bundles.c.base_commit)).scalars())
    assert left == {"a" * 40}


def test_ended_workers_go_and_living_ones_stay(database: Database) -> None:
    for number, state in enumerate(("working", "stopped", "dead")):
        a_worker(database, state, lock_number=6000 + number)
    with database.writing() as connection:
        for state in ("stopped", "dead"):
            change = sa.update(workers).where(workers.c.id == state)
            connection.execute(change.values(state=state))
        connection.execute(sa.update(workers).values(heard_at=1.0))
    assert remove_old(database, 30 * DAY) == Removed(workers=2)
    assert count(database, workers) == 1


def test_it_asks_first_and_says_what_it_removed(here: Project, fleet: Database) -> None:
    make_old(fleet, a_job(fleet, state=ENDED), 31)
    assert "Removed 0 jobs" in here.run("fleet", "clean", "--older-than", "60d").out
    refused = here.run("fleet", "clean")
    assert refused.code == 1
    assert "Remove 1 job with logs and checkpoints" in refused.err
    assert count(fleet, jobs) == 1

    assert "Removed 1 job, " in here.run("fleet", "clean", "--yes").out
    assert "--older-than takes a time" in here.run("fleet", "clean", "--older-than", "soon").err
