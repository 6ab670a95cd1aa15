"""Who is alive: each worker holds a lock as long as its process lives, and renews a time.

Whoever notices a dead or frozen worker gives its jobs back to the queue under a higher fence, so
that nothing that the old worker still writes is accepted. No job has two agents: the agents of a
worker that died end with it, and those of a worker that does not renew its time end after
`AGENT_SECONDS`, before anybody takes its jobs.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from ..verify.process_groups import is_still_alive, process_start_time
from .database import Database
from .deaths import MAX_DEATHS, count_deaths, note_death, parking_reason
from .ledger import lose_open_turns
from .tables import PAUSED, QUEUED, RUNNING, jobs, orders, workers
from .worker_locks import worker_lock

WORKING, DRAINING, STOPPED, DEAD = "working", "draining", "stopped", "dead"
ALIVE_STATES = (WORKING, DRAINING)
# A lock must be free for this long: after a restart of the database every lock is free for a
# moment, until the workers have taken theirs again.
FREE_SECONDS = 1.5
SILENT_SECONDS = 2.0  # without a renewal; only then is a worker's lock looked at
FROZEN_SECONDS = 10.0  # then it is killed, if it is on this host
# What is silent on another host may be dead, frozen, or cut off from the database and at work. So
# its agents end after the first time without a renewal, and its jobs are taken after the second.
# An outage of the database that is shorter than the first costs no turn.
AGENT_SECONDS, LEASE_SECONDS = 25.0, 30.0
# After a longer gap between two looks, the database was away or this machine slept. The times of
# all workers are old then, so nobody is called frozen before they had time to renew them.
LOOK_GAP_SECONDS = 5.0
STUCK_SECONDS = 7200.0  # beyond the longest turn that the job may have: its checks take time too


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
    """A job that was taken from a worker. `resumable`: another process may run its workflow."""

    job: str
    workflow: str
    worker: str
    resumable: bool


class Reaper:
    """Looks for dead and frozen workers, and for jobs that make no progress."""

    def __init__(self, database: Database, worker: str) -> None:
        self._database, self._worker = database, worker
        self._free_since: dict[str, float] = {}
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
            silent_seconds = now - max(other["heard_at"], self._watching_since)
            is_free = self._is_lock_free(other)
            if is_free and self._ended_with_its_lock(other):
                lost += self._bury(other, resumable=True)
            elif silent_seconds > LEASE_SECONDS:
                lost += self._bury(other, resumable=is_free)
            elif silent_seconds > FROZEN_SECONDS:
                _kill_on_this_host(other)  # it is found dead at one of the next looks
        return lost + self._take_back_stuck(stuck)

    def _ended_with_its_lock(self, other: RowMapping) -> bool:
        """Does a free lock mean that the process has ended?

        A file is locked by a process of this machine. The lock of a session is free as well when
        the connection has broken, so we look at the process itself; that needs its host.
        """
        is_here = other["host"] == socket.gethostname()
        is_running = is_here and is_still_alive(other["pid"], other["process_started"])
        return self._database.is_sqlite or (is_here and not is_running)

    def _is_lock_free(self, other: RowMapping) -> bool:
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
                take_back(
                    connection, self._database, row.id, keep_workflow=resumable, dead=other["id"]
                )
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
                    # Its worker lives: within this time it has learned that it lost the job.
                    take_back(
                        connection,
                        self._database,
                        job_id,
                        keep_workflow=False,
                        wait_seconds=LEASE_SECONDS,
                    )
                    lost.append(TakenBack(job_id, workflow, worker, False))
        return lost


def take_back(
    connection: Connection,
    database: Database,
    job_id: str,
    keep_workflow: bool,
    dead: str = "",
    wait_seconds: float = 0.0,
) -> None:
    """Queue a running job again under a higher fence; its open turn is lost.

    `dead` is the worker that died or froze with it: after too many of them the job is parked.
    """
    now = database.now(connection)
    values: dict[str, object] = {} if keep_workflow else {"workflow": ""}
    values |= {"state": QUEUED, "not_before": now + wait_seconds if wait_seconds else 0.0}
    if dead:
        note_death(connection, job_id, dead, now)
        if count_deaths(connection, job_id).get(job_id, 0) >= MAX_DEATHS:
            values |= {"state": PAUSED, "waits_for": "", "reason": parking_reason(job_id)}
    connection.execute(
        sa.update(jobs)
        .where(jobs.c.id == job_id)
        .values(worker="", fence=jobs.c.fence + 1, changed_at=now, **values)
    )
    fence = connection.execute(sa.select(jobs.c.fence).where(jobs.c.id == job_id)).scalar_one()
    lose_open_turns(connection, job_id, fence, now)
    # What was applied since the last checkpoint is lost with the folder, so it is applied again.
    lost_orders = sa.and_(orders.c.job == job_id, orders.c.kept.is_(False), ~orders.c.refused)
    connection.execute(sa.update(orders).where(lost_orders).values(done_at=0.0))


def _kill_on_this_host(other: RowMapping) -> None:
    """End a frozen worker of this host, so that its agents end with it."""
    is_here = other["host"] == socket.gethostname() and other["pid"] != os.getpid()
    if is_here and is_still_alive(other["pid"], other["process_started"]):
        with suppress(OSError):
            os.kill(other["pid"], signal.SIGKILL)
