"""Retention: remove old jobs, what belongs to them alone, and what is left of ended workers.

What the turns of removed jobs have spent is kept as a sum for each limit, so budgets stay exact.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .database import LEDGER_LOCK, Database
from .engine import open_client
from .placement import scopes_of
from .tables import CLOSED_STATES, OPEN_STATES, bundles, jobs, past, turns, workers

REMOVED_AT_ONCE = 500
SEGMENT = "segment"  # the name of the workflow in segment.py
FINISHED_WORKFLOWS = ["SUCCESS", "ERROR", "CANCELLED"]


@dataclass(frozen=True)
class Removed:
    """How much was removed, or would be."""

    jobs: int = 0
    bundles: int = 0
    workers: int = 0
    workflows: int = 0


def count_removable(database: Database, seconds: float) -> Removed:
    """What `remove_old` would remove. Bundles and workflows are counted when they are removed."""
    with database.reading() as connection:
        limit = database.now(connection) - seconds
        return Removed(
            jobs=_count(connection, jobs, _is_old_job(limit)),
            workers=_count(connection, workers, _is_old_worker(limit)),
        )


def remove_old(database: Database, seconds: float) -> Removed:
    """Remove what was closed for longer than this, and make the file smaller on SQLite."""
    with database.reading() as connection:
        limit = database.now(connection) - seconds
    removed_jobs = 0
    while count := _remove_some_jobs(database, limit):
        removed_jobs += count
    with database.writing() as connection:
        unused = bundles.c.base_commit.notin_(sa.select(jobs.c.base_commit))
        old = bundles.c.written_at < limit
        removed_bundles = connection.execute(sa.delete(bundles).where(unused, old)).rowcount
        removed_workers = connection.execute(
            sa.delete(workers).where(_is_old_worker(limit))
        ).rowcount
    removed = Removed(
        jobs=removed_jobs,
        bundles=removed_bundles,
        workers=removed_workers,
        workflows=_remove_workflows(database, limit),
    )
    _shrink(database)
    return removed


def _is_old_job(limit: float) -> sa.ColumnElement[bool]:
    return sa.and_(jobs.c.state.in_(CLOSED_STATES), jobs.c.changed_at < limit)


def _is_old_worker(limit: float) -> sa.ColumnElement[bool]:
    held = sa.select(jobs.c.worker).where(jobs.c.state.in_(OPEN_STATES))
    return sa.and_(
        workers.c.state.in_(("stopped", "dead")),
        workers.c.heard_at < limit,
        workers.c.id.notin_(held),
    )


def _count(connection: Connection, table: sa.Table, condition: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).select_from(table).where(condition)
    return int(connection.execute(query).scalar_one())


def _remove_some_jobs(database: Database, limit: float) -> int:
    """Remove a part of the old jobs and add what they spent to the sums, in one transaction."""
    with database.writing() as connection:
        database.serialise(connection, LEDGER_LOCK)
        query = sa.select(jobs.c.id).where(_is_old_job(limit)).limit(REMOVED_AT_ONCE)
        ids = list(connection.execute(query).scalars())
        if not ids:
            return 0
        _keep_sums(connection, ids)
        connection.execute(sa.delete(jobs).where(jobs.c.id.in_(ids)))
        return len(ids)


def _keep_sums(connection: Connection, ids: list[str]) -> None:
    query = (
        sa.select(
            turns.c.account,
            turns.c.repository,
            sa.func.sum(turns.c.spent),
            sa.func.count(turns.c.job.distinct()),
        )
        .where(turns.c.job.in_(ids))
        .group_by(turns.c.account, turns.c.repository)
    )
    spent: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for account, repository, dollars, count in connection.execute(query):
        for scope in scopes_of(account, repository):
            spent[scope] += dollars
            counts[scope] += count
    for scope, dollars in spent.items():
        values = {"spent": past.c.spent + dollars, "jobs": past.c.jobs + counts[scope]}
        added = connection.execute(sa.update(past).where(past.c.scope == scope).values(**values))
        if not added.rowcount:
            row = {"scope": scope, "spent": dollars, "jobs": counts[scope]}
            connection.execute(sa.insert(past).values(**row))


def _remove_workflows(database: Database, limit: float) -> int:
    """Remove the engine's record of segments that are over."""
    before = datetime.fromtimestamp(limit, UTC).isoformat()
    removed = 0
    client = open_client(database)
    try:
        while True:
            found = client.list_workflows(
                name=SEGMENT,
                status=FINISHED_WORKFLOWS,
                end_time=before,
                limit=REMOVED_AT_ONCE,
                load_input=False,
                load_output=False,
            )
            if not found:
                return removed
            client.delete_workflows([status.workflow_id for status in found])
            removed += len(found)
    finally:
        client.destroy()


def _shrink(database: Database) -> None:
    """Give the space of removed rows back to the disk. Postgres does it by itself."""
    if database.is_sqlite:
        with database.engine.connect() as connection:
            raw = connection.connection.driver_connection
            assert raw is not None
            raw.execute("vacuum")
