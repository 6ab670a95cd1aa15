"""What is to be seen of a fleet: its jobs, workers, limits and dollars, as plain facts.

`loop fleet status` and the dashboards show the same facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from .database import Database
from .deaths import MAX_DEATHS, count_deaths
from .jobs import Job, read_turns
from .ledger import past_dollars
from .limits import Limit, read_limits
from .liveness import ALIVE_STATES, FROZEN_SECONDS, WORKING
from .placement import FLEET_SCOPE
from .tables import (
    ASKING,
    CLOSED_STATES,
    FAILED,
    LOST,
    PAUSED,
    QUEUED,
    RESERVED,
    RUNNING,
    SETTLED,
    STATES,
    jobs,
    turns,
    workers,
)
from .wait_reasons import WaitReasons

# The columns of a job that a table of many jobs needs; the others may be large.
JOB_COLUMNS = (
    *("id", "name", "state", "waits_for", "not_before", "created_at", "changed_at", "ended_at"),
    *("priority", "labels", "account", "repository", "base_commit", "results"),
    *("worker", "loop", "budget", "turns", "question", "reason", "grade", "published"),
)
PAGE_COLUMNS = ("address", "start_words", "run_words", "loop_facts", "fence", "failures", "release")
TURN_COLUMNS = (
    *("number", "fence", "state", "reserved", "spent", "known", "started_at", "ended_at"),
)
WORKER_COLUMNS = (*("id", "host", "pid", "release", "slots", "labels", "accounts", "started_at"),)
NEXT_COMMANDS = {
    QUEUED: "loop fleet doctor",
    RUNNING: "loop fleet logs {id} -f",
    ASKING: 'loop fleet answer {id} "…"',
    PAUSED: "loop fleet retry {id}",
    FAILED: "loop fleet retry {id}",
}
RECENT_SECONDS = 86_400.0  # a worker that ended before is not shown any more


@dataclass(frozen=True)
class Dollars:
    """Of the turns of a job: settled, cut off, and set aside for the turn that works now."""

    spent: float = 0.0
    lost: float = 0.0
    reserved: float = 0.0


@dataclass(frozen=True)
class FleetBoard:
    """Everything that `loop fleet status` shows."""

    now: float
    jobs: list[dict[str, Any]]
    workers: list[dict[str, Any]]
    limits: list[Limit]
    totals: dict[str, Any]


def read_board(connection: Connection, database: Database, with_closed: bool = False) -> FleetBoard:
    """The open jobs, or all of them, with everything around them, in one moment."""
    now = database.now(connection)
    living = read_workers(connection, now)
    found = read_limits(connection, database)
    deaths = count_deaths(connection)
    waits = WaitReasons(living, found, deaths)
    dollars = read_dollars(connection)
    rows = [
        job_facts(dict(row), dollars[row["id"]], waits, now)
        for row in _job_rows(connection, with_closed, now)
    ]
    return FleetBoard(now, rows, living, found, read_totals(connection, living, dollars))


def read_wait_reasons(connection: Connection, database: Database, now: float) -> WaitReasons:
    return WaitReasons(
        read_workers(connection, now), read_limits(connection, database), count_deaths(connection)
    )


def _job_rows(connection: Connection, with_closed: bool, now: float) -> Sequence[RowMapping]:
    query = sa.select(*(jobs.c[name] for name in JOB_COLUMNS))
    if not with_closed:
        query = query.where(jobs.c.state.notin_(CLOSED_STATES))
    is_closed = sa.case((jobs.c.state.in_(CLOSED_STATES), 1), else_=0)
    is_waiting = sa.case((jobs.c.state == QUEUED, 1), else_=0)
    # Queued jobs are in the order in which workers take them.
    later = sa.case((jobs.c.not_before > now, jobs.c.not_before), else_=0.0)
    order = (is_closed, is_waiting, later, jobs.c.priority.desc(), jobs.c.created_at)
    return connection.execute(query.order_by(*order)).mappings().all()


def job_facts(
    row: Mapping[str, Any], dollars: Dollars, waits: WaitReasons, now: float
) -> dict[str, Any]:
    state = row["state"]
    return {
        **{name: row[name] for name in JOB_COLUMNS},
        "waits_for": waits.of_job(row, now),
        "not_before": row["not_before"] if row["not_before"] > now else 0.0,
        "iterations": row["turns"],
        "dollars": asdict(dollars),
        "worker_deaths": waits.deaths.get(row["id"], 0),
        "age_seconds": round(now - row["created_at"], 1),
        "next_command": next_command(state, row["id"]),
    }


def next_command(state: str, job_id: str) -> str:
    return NEXT_COMMANDS.get(state, "loop fleet results {id}").format(id=job_id)


def parked_jobs(board: FleetBoard) -> list[dict[str, Any]]:
    """The jobs that wait for a person because their workers died."""
    return [
        job for job in board.jobs if job["state"] == PAUSED and job["worker_deaths"] >= MAX_DEATHS
    ]


def jobs_without_worker(board: FleetBoard) -> dict[str, list[str]]:
    """The queued jobs that none of the workers can take, by what they wait for.

    Where no worker runs at all, there is nothing to say about single jobs.
    """
    waits = WaitReasons(board.workers, board.limits)
    found: dict[str, list[str]] = {}
    if not any(worker["state"] == WORKING for worker in board.workers):
        return found
    for job in board.jobs:
        missing = waits.missing_worker(job) if job["state"] == QUEUED else ""
        if missing:
            found.setdefault(missing, []).append(job["id"])
    return found


def read_workers(connection: Connection, now: float) -> list[dict[str, Any]]:
    """The workers that live or ended lately. `silent`: for how many seconds nothing was heard."""
    recent = sa.or_(workers.c.state.in_(ALIVE_STATES), workers.c.heard_at > now - RECENT_SECONDS)
    query = sa.select(workers).where(recent).order_by(workers.c.started_at)
    held = sa.select(jobs.c.worker, sa.func.count()).where(jobs.c.state == RUNNING)
    busy = {row[0]: row[1] for row in connection.execute(held.group_by(jobs.c.worker))}
    found = []
    for row in connection.execute(query).mappings():
        silent = max(0.0, now - row["heard_at"])
        state = row["state"]
        if state in ALIVE_STATES and silent > FROZEN_SECONDS:
            state = "silent"  # until another worker has looked whether it is dead or frozen
        found.append(
            {
                **{name: row[name] for name in WORKER_COLUMNS},
                "state": state,
                "busy": busy.get(row["id"], 0),
                "silent_seconds": round(silent, 1),
            }
        )
    return found


def read_dollars(connection: Connection, job_id: str = "") -> defaultdict[str, Dollars]:
    """The dollars of each job."""
    amount = sa.case((turns.c.state == RESERVED, turns.c.reserved), else_=turns.c.spent)
    query = sa.select(turns.c.job, turns.c.state, sa.func.sum(amount))
    if job_id:
        query = query.where(turns.c.job == job_id)
    sums: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for job, state, dollars in connection.execute(query.group_by(turns.c.job, turns.c.state)):
        sums[job][state] = round(float(dollars), 6)
    found: defaultdict[str, Dollars] = defaultdict(Dollars)
    for job, by_state in sums.items():
        found[job] = Dollars(
            by_state.get(SETTLED, 0.0), by_state.get(LOST, 0.0), by_state.get(RESERVED, 0.0)
        )
    return found


def read_totals(
    connection: Connection, living: list[dict[str, Any]], dollars: Mapping[str, Dollars]
) -> dict[str, Any]:
    query = sa.select(jobs.c.state, sa.func.count()).group_by(jobs.c.state)
    counts = Counter({row[0]: row[1] for row in connection.execute(query)})
    working = [worker for worker in living if worker["state"] in ALIVE_STATES]
    past = past_dollars(connection, FLEET_SCOPE)
    return {
        "jobs": {state: counts[state] for state in STATES},
        "workers": len(working),
        "slots": sum(worker["slots"] for worker in working),
        "busy": sum(worker["busy"] for worker in working),
        "spent": round(sum(each.spent for each in dollars.values()), 6),
        "lost": round(sum(each.lost for each in dollars.values()), 6),
        "reserved": round(sum(each.reserved for each in dollars.values()), 6),
        "spent_by_removed_jobs": round(past, 6),
    }


def read_job_page(connection: Connection, database: Database, job: Job) -> dict[str, Any]:
    """Everything about one job: its facts, its loop, its words, and each turn of the ledger."""
    now = database.now(connection)
    waits = read_wait_reasons(connection, database, now)
    dollars = read_dollars(connection, job.id)[job.id]
    page = job_facts(asdict(job), dollars, waits, now)
    page |= {name: getattr(job, name) for name in PAGE_COLUMNS}
    page["files"] = sorted(job.files)
    page["turns_taken"] = [
        {name: row[name] for name in TURN_COLUMNS} for row in read_turns(connection, job.id)
    ]
    return page
