"""The log of a job: what `loop fleet logs JOB` shows. Only the newest lines are kept."""

from __future__ import annotations

import sqlalchemy as sa

from .database import Database
from .tables import logs

KEPT_LINES = 1_000  # of a job


def append_lines(database: Database, job_id: str, lines: list[str]) -> None:
    """Write the lines, and drop the oldest ones beyond what is kept."""
    with database.writing() as connection:
        now = database.now(connection)
        rows = [{"job": job_id, "at": now, "text": line} for line in lines]
        connection.execute(sa.insert(logs), rows)
        newest_dropped = connection.execute(
            sa.select(logs.c.number)
            .where(logs.c.job == job_id)
            .order_by(logs.c.number.desc())
            .offset(KEPT_LINES)
            .limit(1)
        ).scalar_one_or_none()
        if newest_dropped is not None:
            is_old = sa.and_(logs.c.job == job_id, logs.c.number <= newest_dropped)
            connection.execute(sa.delete(logs).where(is_old))
