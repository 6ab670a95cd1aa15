"""Dead, frozen and stuck workers are noticed, and their jobs go back to the queue."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from multiprocessing.context import ForkProcess
from multiprocessing.synchronize import Event
from typing import Any

import pytest
import sqlalchemy as sa

from loopwright.fleet import liveness, orders
from loopwright.fleet.database import Database, open_database
from loopwright.fleet.jobs import Job, JobRequest, read_job, submit_jobs
from loopwright.fleet.liveness import Reaper, TakenBack, WorkerFacts, enter_worker, renew_time
from loopwright.fleet.placement import Claimer, claim_jobs
from loopwright.fleet.tables import QUEUED, RUNNING, jobs, workers
from loopwright.fleet.worker_locks import worker_lock
from tests.e2e.waiting import until

# A copy of this process: a new interpreter would import all of the database library again.
PROCESSES = multiprocessing.get_context("fork")


def hold_lock(address: str, is_ready: Event) -> None:
    """Be a worker that does nothing but live."""
    database = open_database(address)
    lock = worker_lock(database, 5000)
    assert lock.take()
    enter_worker(database, WorkerFacts("other", "1", 1, (), ("default",), 5000))
    is_ready.set()
    time.sleep(600)


@pytest.fixture
def holder(address: str, database: Database) -> Iterator[ForkProcess]:
    is_ready = PROCESSES.Event()
    process = PROCESSES.Process(target=hold_lock, args=(address, is_ready), daemon=True)
    process.start()
    assert is_ready.wait(60)
    yield process
    process.kill()
    process.join()


@pytest.fixture(autouse=True)
def _look_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "FREE_SECONDS", 0.0)
    monkeypatch.setattr(liveness, "SILENT_SECONDS", 0.0)


def held_by_other(database: Database) -> Job:
    submit_jobs(database, [JobRequest("a", "r", "c0ffee")])
    (job,) = claim_jobs(database, Claimer("other", frozenset(), frozenset({"default"})), 1)
    return job


def find_frozen(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[TakenBack]:
    """What a reaper finds at its second look, when the others had time to renew theirs."""
    reaper = Reaper(database, "me")
    assert reaper.find_lost_jobs() == []
    monkeypatch.setattr(liveness, "LEASE_SECONDS", 0.0)
    return reaper.find_lost_jobs()


def change(database: Database, table: sa.Table, **values: Any) -> None:
    with database.writing() as connection:
        connection.execute(sa.update(table).values(**values))


def kill(database: Database, holder: ForkProcess) -> None:
    """Kill it, and wait until its lock is free: a server needs a moment to notice."""
    holder.kill()
    holder.join()
    lock = worker_lock(database, 5000)
    until(lock.take, lambda: "its lock is still held")
    lock.release()


def read(database: Database, job: Job) -> Job:
    with database.reading() as connection:
        return read_job(connection, job.id)


def test_a_worker_that_lives_keeps_its_jobs(database: Database, holder: ForkProcess) -> None:
    job = held_by_other(database)
    assert Reaper(database, "me").find_lost_jobs() == []
    assert read(database, job).state == RUNNING


def test_the_jobs_of_a_killed_worker_are_queued_under_a_higher_fence(
    database: Database, holder: ForkProcess
) -> None:
    job = held_by_other(database)
    kill(database, holder)
    (lost,) = Reaper(database, "me").find_lost_jobs()
    assert (lost.job, lost.worker, lost.resumable) == (job.id, "other", True)
    now = read(database, job)
    assert (now.state, now.worker, now.fence) == (QUEUED, "", job.fence + 1)
    assert Reaper(database, "me").find_lost_jobs() == []


def test_a_lock_that_is_free_for_a_moment_is_no_sign_of_death(
    database: Database, holder: ForkProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "FREE_SECONDS", 60.0)
    job = held_by_other(database)
    kill(database, holder)
    assert Reaper(database, "me").find_lost_jobs() == []
    assert read(database, job).state == RUNNING


def test_a_worker_that_is_frozen_on_this_host_is_ended_before_its_jobs_are_taken(
    database: Database, holder: ForkProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = held_by_other(database)
    assert holder.pid
    os.kill(holder.pid, signal.SIGSTOP)
    change(database, workers, heard_at=1.0)
    reaper = Reaper(database, "me")
    assert reaper.find_lost_jobs() == []
    monkeypatch.setattr(liveness, "FROZEN_SECONDS", 0.0)
    assert reaper.find_lost_jobs() == []
    holder.join()
    assert holder.exitcode == -signal.SIGKILL
    assert read(database, job).state == RUNNING
    (lost,) = reaper.find_lost_jobs()
    assert lost.job == job.id


def test_a_worker_that_is_silent_on_another_host_keeps_its_jobs_for_its_lease(
    database: Database, holder: ForkProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session also ends because the connection broke, while the agents of the worker work on."""
    job = held_by_other(database)
    change(database, workers, host="elsewhere")
    kill(database, holder)
    reaper = Reaper(database, "me")
    lost = reaper.find_lost_jobs()
    assert len(lost) == database.is_sqlite  # a file is locked by a process of this machine
    assert read(database, job).state == QUEUED if database.is_sqlite else RUNNING
    monkeypatch.setattr(liveness, "LEASE_SECONDS", 0.0)
    assert len(lost + reaper.find_lost_jobs()) == 1


def test_agents_end_before_anybody_takes_their_jobs() -> None:
    """With time to spare for ending them, and for clocks that do not run alike."""
    assert liveness.AGENT_SECONDS <= liveness.LEASE_SECONDS - 5.0


def test_who_was_cut_off_from_the_database_calls_nobody_frozen(
    database: Database, holder: ForkProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = held_by_other(database)
    monkeypatch.setattr(liveness, "LEASE_SECONDS", 0.0)
    monkeypatch.setattr(liveness, "FROZEN_SECONDS", 0.0)
    monkeypatch.setattr(liveness, "LOOK_GAP_SECONDS", 0.0)  # each look is the first after a gap
    reaper = Reaper(database, "me")
    for _ in range(2):
        change(database, workers, heard_at=1.0)
        assert reaper.find_lost_jobs() == []
    assert read(database, job).state == RUNNING


def test_a_process_of_another_host_with_the_same_number_is_not_killed(
    database: Database, holder: ForkProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_by_other(database)
    change(database, workers, heard_at=1.0, host="elsewhere")
    assert len(find_frozen(database, monkeypatch)) == 1
    assert holder.is_alive()


def test_a_worker_that_was_declared_dead_is_told_so(
    database: Database, holder: ForkProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(database, workers, heard_at=1.0, host="elsewhere")
    find_frozen(database, monkeypatch)
    with database.writing() as connection:
        assert not renew_time(connection, database, "other", "working")


def test_a_job_without_progress_is_taken_from_a_living_worker(
    database: Database, holder: ForkProcess
) -> None:
    job = held_by_other(database)
    change(database, jobs, progress_at=1.0)
    (lost,) = Reaper(database, "me").find_lost_jobs()
    assert (lost.job, lost.resumable) == (job.id, False)
    with database.reading() as connection:
        # Until then, its worker has ended the agent.
        assert read(database, job).not_before > database.now(connection) + 20.0


def test_two_reapers_bury_a_worker_once(database: Database, holder: ForkProcess) -> None:
    held_by_other(database)
    kill(database, holder)
    found = [Reaper(database, name).find_lost_jobs() for name in ("me", "you")]
    assert [len(lost) for lost in found] == [1, 0]


def test_orders_since_the_last_checkpoint_are_applied_again(
    database: Database, holder: ForkProcess
) -> None:
    job = held_by_other(database)
    number, _ = orders.give_order(database, job.id, orders.STEER, "look at the tests")
    with database.writing() as connection:
        orders.close_order(connection, database, number, "told", refused=False)
        assert orders.open_orders(connection, [job.id]) == []
    kill(database, holder)
    Reaper(database, "me").find_lost_jobs()
    with database.reading() as connection:
        assert [order.number for order in orders.open_orders(connection, [job.id])] == [number]


def test_a_lock_is_held_by_one_and_free_after_release(database: Database) -> None:
    first, second = worker_lock(database, 7000), worker_lock(database, 7000)
    assert first.take()
    assert first.is_held()
    assert not second.take()
    first.release()
    assert second.take()
    second.release()


def test_two_workers_with_one_id_cannot_enter(database: Database) -> None:
    enter_worker(database, WorkerFacts("w", "1", 1, (), (), 1))
    with pytest.raises(sa.exc.IntegrityError):
        enter_worker(database, WorkerFacts("w", "1", 1, (), (), 2))
