"""`loop fleet logs JOB`: what a job's agent did and said, and what its checks found."""

from __future__ import annotations

import argparse
import time
from contextlib import suppress

import sqlalchemy as sa

from ...drive.errors import UserError
from ...fleet.database import Database
from ...fleet.jobs import find_job, read_job
from ...fleet.tables import QUEUED, RUNNING, logs
from .. import exits, output
from .connection import opened_database

POLL_SECONDS = 0.5


def run(args: argparse.Namespace) -> int:
    with opened_database(args) as database, suppress(KeyboardInterrupt):
        with database.reading() as connection:
            job = find_job(connection, args.job)
        if args.follow:
            follow_job(database, job.id, args.json)
        elif not show_new_lines(database, job.id, 0, args.json):
            raise UserError(
                f"job {job.id} has left no log; it is {job.state}. See: loop fleet status {job.id}"
            )
    return exits.PROVEN


def follow_job(database: Database, job_id: str, as_json: bool) -> None:
    """Print new lines until the job ends, asks or pauses."""
    last = 0
    while True:
        with database.reading() as connection:
            job = read_job(connection, job_id)
        last = show_new_lines(database, job_id, last, as_json)
        if job.state not in (RUNNING, QUEUED):
            output.show_warning(f"Job {job_id} is {job.state}. See: loop fleet status {job_id}")
            return
        time.sleep(POLL_SECONDS)


def show_new_lines(database: Database, job_id: str, last: int, as_json: bool) -> int:
    """Print the lines after this one; the number of the last."""
    query = (
        sa.select(logs.c.number, logs.c.at, logs.c.text)
        .where(logs.c.job == job_id, logs.c.number > last)
        .order_by(logs.c.number)
    )
    with database.reading() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        if as_json:
            output.show_json_line({"at": row.at, "text": row.text})
        else:
            output.show_text(row.text)
    return rows[-1].number if rows else last
