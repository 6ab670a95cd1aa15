"""Placement: which job a free slot of a worker takes next, and how a job is given back.

A claim is one transaction, and only one claim at a time is decided. So the limits "at once" of
repositories and accounts hold exactly, however many workers ask.

The engine's own queues are not used for this: they have one limit for all partitions and one for
all workers, while here each repository, account and worker has its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .database import PLACEMENT_LOCK, Database
from .deaths import find_suspects
from .jobs import Job, read_job
from .tables import QUEUED, RUNNING, jobs, limits

CANDIDATES = 200  # queued jobs that a claim looks at; the query leaves out what it cannot take
FLEET_SCOPE = "fleet"


@dataclass(frozen=True)
class Claimer:
    """Who asks: which labels it has, and which accounts it can use."""

    worker: str
    labels: frozenset[str]
    accounts: frozenset[str]


class FenceLost(Exception):
    """Another worker holds the job now; nothing more may be written for it."""


def account_scope(name: str) -> str:
    return f"account:{name}"


def scopes_of(account: str, repository: str) -> tuple[str, str, str]:
    """The limits that a job of this account and repository counts against."""
    return FLEET_SCOPE, account_scope(account), f"repository:{repository}"


def claim_jobs(database: Database, claimer: Claimer, most: int) -> list[Job]:
    """Take up to `most` jobs: highest priority first, then the oldest."""
    if most <= 0:
        return []
    with database.writing() as connection:
        database.serialise(connection, PLACEMENT_LOCK)
        now = database.now(connection)
        chosen = _choose_jobs(connection, claimer, most, now)
        for job_id in chosen:
            connection.execute(
                sa.update(jobs)
                .where(jobs.c.id == job_id)
                .values(
                    state=RUNNING,
                    worker=claimer.worker,
                    fence=jobs.c.fence + 1,
                    failures=jobs.c.failures + 1,  # until a turn is settled
                    waits_for="",
                    not_before=0.0,
                    changed_at=now,
                    progress_at=now,
                )
            )
        return [read_job(connection, job_id) for job_id in chosen]


def has_claimable_job(connection: Connection, database: Database) -> bool:
    """Is any job due? A cheap look, before a claim that only one worker at a time can make."""
    due = sa.and_(jobs.c.state == QUEUED, jobs.c.not_before <= database.now(connection))
    return connection.execute(sa.select(jobs.c.id).where(due).limit(1)).first() is not None


def _choose_jobs(connection: Connection, claimer: Claimer, most: int, now: float) -> list[str]:
    places = _FreePlaces(connection, now)
    query = (
        sa.select(jobs.c.id, jobs.c.account, jobs.c.repository)
        .where(jobs.c.state == QUEUED, jobs.c.not_before <= now)
        .where(jobs.c.account.in_(claimer.accounts))
        .where(~_lacks_label(connection, claimer.labels))
        .order_by(jobs.c.priority.desc(), jobs.c.created_at)
    )
    suspects = find_suspects(connection)
    has_suspect = bool(suspects) and _holds_any(connection, claimer.worker, suspects)
    if has_suspect:
        query = query.where(jobs.c.id.notin_(suspects))
    if full := places.full_names("repository"):
        query = query.where(jobs.c.repository.notin_(full))
    if full := places.full_names("account"):
        query = query.where(jobs.c.account.notin_(full))
    chosen: list[str] = []
    for row in connection.execute(query.limit(CANDIDATES)):
        if len(chosen) == most:
            break
        if has_suspect and row.id in suspects:
            continue
        if places.take(row.account, row.repository):
            chosen.append(row.id)
            has_suspect = has_suspect or row.id in suspects
    return chosen


def _holds_any(connection: Connection, worker: str, job_ids: list[str]) -> bool:
    held = sa.select(jobs.c.id).where(jobs.c.worker == worker, jobs.c.state == RUNNING)
    return connection.execute(held.where(jobs.c.id.in_(job_ids)).limit(1)).first() is not None


def _lacks_label(connection: Connection, labels: frozenset[str]) -> sa.ColumnElement[bool]:
    """Does the job have a label that is none of these?

    The query asks it: so the jobs behind any number of such jobs are found.
    """
    names = "json_each" if connection.dialect.name == "sqlite" else "json_array_elements_text"
    label = getattr(sa.func, names)(jobs.c.labels).table_valued("value").c.value
    return sa.exists(sa.select(label).where(label.notin_(labels)).correlate(jobs))


class _FreePlaces:
    """How many jobs may still run at once: in the fleet, by account and by repository."""

    def __init__(self, connection: Connection, now: float) -> None:
        rows = connection.execute(sa.select(limits)).mappings()
        self.most = {row["scope"]: row["at_once"] for row in rows if row["at_once"] > 0}
        blocked = sa.select(limits.c.scope).where(limits.c.blocked_until > now)
        for scope in connection.execute(blocked).scalars():
            self.most[scope] = 0
        running = sa.select(jobs.c.account, jobs.c.repository).where(jobs.c.state == RUNNING)
        self.used: Counter[str] = Counter()
        for account, repository in connection.execute(running):
            self.used.update(scopes_of(account, repository))

    def full_names(self, kind: str) -> list[str]:
        prefix = f"{kind}:"
        full = (s for s, most in self.most.items() if s.startswith(prefix) and self.used[s] >= most)
        return [scope.removeprefix(prefix) for scope in full]

    def take(self, account: str, repository: str) -> bool:
        scopes = scopes_of(account, repository)
        if any(self.used[scope] >= self.most.get(scope, self.used[scope] + 1) for scope in scopes):
            return False
        self.used.update(scopes)
        return True


def check_fence(connection: Connection, job_id: str, fence: int) -> None:
    """Raise FenceLost unless the job is still held under this number. Locks its row."""
    query = sa.select(jobs.c.fence, jobs.c.state).where(jobs.c.id == job_id).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None or row.fence != fence or row.state != RUNNING:
        raise FenceLost(job_id)


def release_job(
    connection: Connection, job_id: str, fence: int, now: float, state: str, **facts: object
) -> None:
    """Give the job back in another state; only the worker that holds it can."""
    check_fence(connection, job_id, fence)
    connection.execute(
        sa.update(jobs)
        .where(jobs.c.id == job_id)
        .values(state=state, worker="", changed_at=now, **facts)
    )
