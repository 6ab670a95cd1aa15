"""A job whose worker is the test: its loop is a real one, in a project here."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from loopwright.core.directives import Continue, Reply, Wait
from loopwright.drive.runner.observer import RunObserver
from loopwright.drive.runner.run import open_runner
from loopwright.drive.runner.run_config import RunConfig
from loopwright.drive.runner.stop_signals import StopSignals
from loopwright.fleet import ledger
from loopwright.fleet.checkpoint import pack_checkpoint
from loopwright.fleet.database import Database
from loopwright.fleet.jobs import Job, JobRequest, append_lines, read_job, submit_jobs
from loopwright.fleet.orders import apply_order, close_order, open_orders
from loopwright.fleet.outcomes import job_columns, outcome_of_loop
from loopwright.fleet.tables import RUNNING, jobs
from loopwright.store.history import last_ended_loop
from tests.support.project import Project

WORKER = "build-7-4242-a1b2c3"


def submit(database: Database, name: str = "job", **changes: Any) -> str:
    """A job that nobody has taken."""
    request = {"name": name, "repository": "git.example/shop", "base_commit": "c0ffee"}
    [job_id] = submit_jobs(database, [JobRequest(**{**request, **changes})])
    return job_id


def all_jobs(connection: Connection) -> list[Job]:
    ids = connection.execute(sa.select(jobs.c.id).order_by(jobs.c.created_at)).scalars().all()
    return [read_job(connection, job_id) for job_id in ids]


def change_job(database: Database, job_id: str, **values: Any) -> None:
    with database.writing() as connection:
        now = database.now(connection)
        connection.execute(
            sa.update(jobs).where(jobs.c.id == job_id).values(changed_at=now, **values)
        )


class HeldJob:
    """What a worker does for a job, one step at a time."""

    def __init__(self, database: Database, here: Project, name: str = "job") -> None:
        self.database, self.here = database, here
        self.base = here.git("rev-parse", "HEAD").strip()
        self.id = submit(database, name, base_commit=self.base)
        self.turns = 0

    def take_turn(self, script_path: str) -> Reply:
        """One turn of the scripted agent, and the checkpoint after it."""
        config = RunConfig(("script",), words=(script_path,))
        with open_runner(self.here.folder, config, RunObserver(), StopSignals()) as runner:
            reply = runner.begin()
            if isinstance(reply, Continue | Wait):
                reply = runner.advance(reply)
        self.turns += 1
        self.keep()
        return reply

    def keep(self, **values: Any) -> None:
        """Write the checkpoint and the row, as a worker does after a turn or an order."""
        loop = self.here.folder.read_loop() or last_ended_loop(self.here.folder)
        assert loop is not None
        outcome = outcome_of_loop(loop)
        checkpoint = pack_checkpoint(self.here.root, self.base)
        with self.database.writing() as connection:
            now = self.database.now(connection)
            ledger.save_checkpoint(connection, self.id, self.turns, checkpoint, now)
        held = outcome["state"] == RUNNING
        change_job(
            self.database,
            self.id,
            **{
                **outcome,
                "worker": WORKER if held else "",
                "turns": self.turns,
                **job_columns(loop),
                **values,
            },
        )

    def apply_orders(self) -> list[str]:
        """Apply what the person has ordered; the kinds of the orders."""
        with self.database.reading() as connection:
            waiting = open_orders(connection, [self.id])
        for order in waiting:
            reply, refused = apply_order(self.here.folder, order)
            with self.database.writing() as connection:
                close_order(connection, self.database, order.number, reply, refused)
            self.keep()
        return [order.kind for order in waiting]

    def tell(self, *lines: str) -> None:
        append_lines(self.database, self.id, list(lines))

    @property
    def job(self) -> Job:
        with self.database.reading() as connection:
            return read_job(connection, self.id)
