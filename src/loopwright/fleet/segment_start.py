"""Start the segment of a claimed job on the engine of this process."""

from __future__ import annotations

import sqlalchemy as sa

from .. import __version__
from . import engine, segment
from .database import Database
from .tables import jobs
from .work import JobWork


def start_or_continue(database: Database, executor: str, work: JobWork) -> None:
    """Continue the workflow of a dead process of this release; otherwise begin a new one."""
    job = work.job
    if job.workflow and job.release == __version__ and engine.can_continue(job.workflow):
        work.start_waiting()
        engine.continue_segment(job.workflow, executor)
        work.workflow = job.workflow
        return
    if job.workflow:
        engine.cancel_segment(job.workflow)
    start_anew(database, work)


def start_anew(database: Database, work: JobWork) -> None:
    """Begin a new workflow. The engine would not run an id again whose start failed."""
    job = work.job
    work.starts += 1
    workflow = f"{job.id}-{job.fence}-{work.starts}"
    with database.writing() as connection:
        connection.execute(
            sa.update(jobs)
            .where(jobs.c.id == job.id, jobs.c.fence == job.fence)
            .values(workflow=workflow, release=__version__)
        )
    work.start_waiting()
    engine.start_segment(segment.run_segment, workflow, job.id)
    work.workflow = workflow
