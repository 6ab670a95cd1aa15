"""Who is alive: each worker holds a lock as long as its process lives, and renews a time.

A worker whose lock can be taken is dead. One that holds its lock but has not renewed its time is
frozen. Whoever notices gives its jobs back to the queue under a higher fence, so that nothing that
the old worker still writes is accepted.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping
from sqlalchemy.exc import DBAPIError

from ..disk.lock import FileLock, FolderBusy
from ..verify.process_groups import process_start_time
from .database import FIRST_WORKER_LOCK, LOCK_SPACE, Database
from .ledger import lose_open_turns
from .tables import QUEUED, RUNNING, jobs, orders, workers

WORKING, DRAINING, STOPPED, DEAD = "working", "draining", "stopped", "dead"
ALIVE_STATES = (WORKING, DRAINING)
# A lock must be free for this long: after a restart of the database every lock is free for a
# moment, until the workers have taken theirs again.
FREE_SECONDS = 1.5
SILENT_SECONDS = 2.0  # without a renewal; only then is a worker's lock looked at
FROZEN_SECONDS = 10.0
# After a longer gap between two looks, the database was away or this machine slept. The times of
# all workers are old then, so nobody is called frozen before they had time to renew them.
LOOK_GAP_SECONDS = 5.0
# A job whose workers died so often in a row may be what kills them: it waits longer each time.
HARMLESS_DEATHS, DEATH_PAUSE_SECONDS = 5, 5.0
STUCK_SECONDS = 7200.0  # beyond the longest turn that the job may have: its checks take time too


class WorkerLock(Protocol):
    """The lock of one worker."""

    def take(self) -> bool: ...

    def is_held(self) -> bool: ...

    def release(self) -> None: ...


class SessionLock:
    """An advisory lock of a Postgres session: it ends with the connection."""

    def __init__(self, database: Database, number: int) -> None:
        self._database, self._number = database, number
        self._connection: Connection | None = None

    def take(self) -> bool:
        connection = self._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        taken = connection.execute(
            sa.text("select pg_try_advisory_lock(:space, :number)"),
            {"space": LOCK_SPACE, "number": self._number},
        ).scalar_one()
        if not taken:
            connection.close()
            return False
        self._connection = connection
        return True

    def is_held(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute(sa.text("select 1"))
        except DBAPIError:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Close the connection itself: back in the pool it would keep the lock."""
        if self._connection is not None:
            with suppress(DBAPIError):
                self._connection.invalidate()
                self._connection.close()
            self._connection = None


class FlockLock:
    """A lock on a file beside the SQLite database: it ends with the process."""

    def __init__(self, database: Database, number: int) -> None:
        folder = f"{database.url.database}.workers"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._lock = FileLock(os.path.join(folder, f"{number}.lock"), 0.0)
        self._held = False

    def take(self) -> bool:
        try:
            self._lock.__enter__()
        except FolderBusy:
            return False
        self._held = True
        return True

    def is_held(self) -> bool:
        return self._held

    def release(self) -> None:
        if self._held:
            self._lock.release()
            self._held = False


def worker_lock(database: Database, number: int) -> WorkerLock:
    return FlockLock(database, number) if database.is_sqlite else SessionLock(database, number)


def new_lock_number() -> int:
    return FIRST_WORKER_LOCK + secrets.randbelow(2**31 - FIRST_WORKER_LOCK)


@dataclass(frozen=True)
class WorkerFacts:
    """What a worker says about itself when it begins."""

    id: str
    release: str
    slots: int
    labels: tuple[str, ...]
    accounts: tuple[str, ...]
    lock_number: int


def enter_worker(database: Database, facts: WorkerFacts) -> None:
    with database.writing() as connection:
        now = database.now(connection)
        connection.execute(
            sa.insert(workers).values(
                id=facts.id,
                host=socket.gethostname(),
                pid=os.getpid(),
                process_started=process_start_time(os.getpid()),
                release=facts.release,
                slots=facts.slots,
                labels=list(facts.labels),
                accounts=list(facts.accounts),
                lock_number=facts.lock_number,
                state=WORKING,
                started_at=now,
                heard_at=now,
            )
        )


def renew_time(connection: Connection, database: Database, worker: str, state: str) -> str:
    """Say that the worker lives; its state now. "": another worker has declared it dead meanwhile.

    A worker that a person asked to drain stays so, whatever it believes of itself.
    """
    is_asked = workers.c.state == DRAINING
    renewed = connection.execute(
        sa.update(workers)
        .where(workers.c.id == worker, workers.c.state.in_(ALIVE_STATES))
        .values(heard_at=database.now(connection), state=sa.case((is_asked, DRAINING), else_=state))
        .returning(workers.c.state)
    )
    return renewed.scalar_one_or_none() or ""


def ask_to_drain(connection: Connection, worker: str = "", host: str = "") -> list[str]:
    """Ask this worker, or those of the host, to finish their turns and end; which were asked."""
    chosen = workers.c.id == worker if worker else workers.c.host == host
    asked = connection.execute(
        sa.update(workers)
        .where(chosen, workers.c.state.in_(ALIVE_STATES))
        .values(state=DRAINING)
        .returning(workers.c.id)
    )
    return sorted(asked.scalars())


def leave_worker(connection: Connection, worker: str) -> None:
    connection.execute(
        sa.update(workers)
        .where(workers.c.id == worker, workers.c.state.in_(ALIVE_STATES))
        .values(state=STOPPED)
    )


@dataclass(frozen=True)
class TakenBack:
    """A job that was taken from a worker. `resumable`: its process is gone for good."""

    job: str
    workflow: str
    worker: str
    resumable: bool


class Reaper:
    """Looks for dead and frozen workers, and for jobs that make no progress."""

    def __init__(self, database: Database, worker: str) -> None:
        self._database, self._worker = database, worker
        self._free_since: dict[str, float] = {}
        self._buried: list[str] = []
        self._looked_at = self._watching_since = 0.0  # on the clock of the database

    def find_lost_jobs(self) -> list[TakenBack]:
        """Give the jobs of dead and frozen workers back to the queue; which ones."""
        with self._database.reading() as connection:
            now = self._database.now(connection)
            silent = sa.select(workers).where(
                workers.c.state.in_(ALIVE_STATES),
                workers.c.heard_at < now - SILENT_SECONDS,
                workers.c.id != self._worker,
            )
            others = list(connection.execute(silent).mappings())
            stuck = self._stuck_jobs(connection, now)
        if now - self._looked_at > LOOK_GAP_SECONDS:
            self._watching_since = now
        self._looked_at = now
        lost: list[TakenBack] = []
        for other in others:
            if self._is_dead(other):
                lost += self._bury(other, resumable=True)
            elif now - max(other["heard_at"], self._watching_since) > FROZEN_SECONDS:
                _kill_on_this_host(other)
                lost += self._bury(other, resumable=False)
        return lost + self._take_back_stuck(stuck)

    def take_buried_workers(self) -> list[str]:
        """The workers that were declared dead here since the last call."""
        buried, self._buried = self._buried, []
        return buried

    def _is_dead(self, other: RowMapping) -> bool:
        """Could its lock be taken for a while? We take it only to look."""
        lock = worker_lock(self._database, other["lock_number"])
        if not lock.take():
            self._free_since.pop(other["id"], None)
            return False
        lock.release()
        since = self._free_since.setdefault(other["id"], time.monotonic())
        return time.monotonic() - since >= FREE_SECONDS

    def _bury(self, other: RowMapping, resumable: bool) -> list[TakenBack]:
        with self._database.writing() as connection:
            buried = connection.execute(
                sa.update(workers)
                .where(workers.c.id == other["id"], workers.c.state.in_(ALIVE_STATES))
                .values(state=DEAD)
            )
            if buried.rowcount == 0:  # another worker was faster
                return []
            held = sa.select(jobs.c.id, jobs.c.workflow).where(
                jobs.c.worker == other["id"], jobs.c.state == RUNNING
            )
            rows = list(connection.execute(held.with_for_update()))
            for row in rows:
                take_back(connection, self._database, row.id, keep_workflow=resumable)
        self._buried.append(other["id"])
        return [TakenBack(row.id, row.workflow, other["id"], resumable) for row in rows]

    def _stuck_jobs(self, connection: Connection, now: float) -> list[tuple[str, str, str]]:
        query = sa.select(jobs.c.id, jobs.c.workflow, jobs.c.worker).where(
            jobs.c.state == RUNNING, jobs.c.progress_at + jobs.c.turn_seconds + STUCK_SECONDS < now
        )
        return [(row.id, row.workflow, row.worker) for row in connection.execute(query)]

    def _take_back_stuck(self, stuck: list[tuple[str, str, str]]) -> list[TakenBack]:
        lost = []
        for job_id, workflow, worker in stuck:
            with self._database.writing() as connection:
                still = sa.select(jobs.c.worker).where(
                    jobs.c.id == job_id, jobs.c.worker == worker, jobs.c.state == RUNNING
                )
                if connection.execute(still.with_for_update()).first():
                    take_back(connection, self._database, job_id, keep_workflow=False)
                    lost.append(TakenBack(job_id, workflow, worker, False))
        return lost


def take_back(connection: Connection, database: Database, job_id: str, keep_workflow: bool) -> None:
    """Queue a running job again under a higher fence; its open turn is lost."""
    now = database.now(connection)
    values = {} if keep_workflow else {"workflow": ""}
    failures = sa.select(jobs.c.failures).where(jobs.c.id == job_id)
    deaths = connection.execute(failures).scalar_one() - HARMLESS_DEATHS
    connection.execute(
        sa.update(jobs)
        .where(jobs.c.id == job_id)
        .values(
            state=QUEUED,
            worker="",
            fence=jobs.c.fence + 1,
            changed_at=now,
            not_before=now + DEATH_PAUSE_SECONDS * deaths if deaths > 0 else 0.0,
            **values,
        )
    )
    fence = connection.execute(sa.select(jobs.c.fence).where(jobs.c.id == job_id)).scalar_one()
    lose_open_turns(connection, job_id, fence, now)
    # What was applied since the last checkpoint is lost with the folder, so it is applied again.
    lost_orders = sa.and_(orders.c.job == job_id, orders.c.kept.is_(False), ~orders.c.refused)
    connection.execute(sa.update(orders).where(lost_orders).values(done_at=0.0))


def _kill_on_this_host(other: RowMapping) -> None:
    """End a frozen worker of this host, so that its agents end with it."""
    is_same = (
        other["host"] == socket.gethostname()
        and process_start_time(other["pid"]) == other["process_started"]
    )
    if is_same and other["pid"] != os.getpid():
        with suppress(OSError):
            os.kill(other["pid"], signal.SIGKILL)
