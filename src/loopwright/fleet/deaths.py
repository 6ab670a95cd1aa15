"""Workers that died or froze while they worked on a job. A job that keeps ending them is parked.

A death counts for each job that the worker had, until a later turn of the job is settled or a
person tries it again. The second one may still be bad luck beside another job. So two jobs with two
deaths never share a worker, and the third one tells which of them it was.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .tables import SETTLED, deaths, jobs, turns

SUSPECT_DEATHS, MAX_DEATHS = 2, 3


def note_death(connection: Connection, job_id: str, worker: str, now: float) -> None:
    """The worker that holds the job has died or frozen."""
    fence = sa.select(jobs.c.fence).where(jobs.c.id == job_id).scalar_subquery()
    connection.execute(
        sa.insert(deaths).values(job=job_id, fence=fence, worker=worker, noticed_at=now)
    )


def count_deaths(connection: Connection, job_id: str = "") -> Mapping[str, int]:
    """How many deaths count for the job, or for each job that has any."""
    last_settled = (
        sa.select(sa.func.coalesce(sa.func.max(turns.c.fence), 0))
        .where(turns.c.job == deaths.c.job, turns.c.state == SETTLED)
        .scalar_subquery()
    )
    query = sa.select(deaths.c.job, sa.func.count()).where(deaths.c.fence >= last_settled)
    if job_id:
        query = query.where(deaths.c.job == job_id)
    return {row[0]: row[1] for row in connection.execute(query.group_by(deaths.c.job))}


def find_suspects(connection: Connection) -> list[str]:
    """The jobs of which the next death tells whether they end their workers."""
    counts = count_deaths(connection)
    return [job_id for job_id, count in counts.items() if count >= SUSPECT_DEATHS]


def forget_deaths(connection: Connection, job_id: str) -> None:
    connection.execute(sa.delete(deaths).where(deaths.c.job == job_id))


def parking_reason(job_id: str) -> str:
    return (
        f"its worker died or froze {MAX_DEATHS} times in a row while it worked on this job. Does "
        f"it use up the memory, or end other processes? Look: loop fleet logs {job_id}. "
        f"Release it: loop fleet retry {job_id}"
    )
