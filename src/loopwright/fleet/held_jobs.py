"""The jobs that a worker holds: claimed, started, looked after while they run, and dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .. import __version__
from ..agents.process import Pairs
from ..core.prompts.phrases import clip_text
from . import engine, ledger, segment
from .database import Database
from .jobs import append_lines
from .orders import apply_running_orders
from .placement import Claimer, claim_jobs, has_claimable_job
from .tables import jobs
from .work import ConfigParser, JobWork

# Between two steps of a segment. A database that goes away may take a start with it: the engine
# has recorded that the workflow runs, and it does not.
STALLED_SECONDS = 30.0


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker was started."""

    slots: int
    labels: frozenset[str]
    accounts: Mapping[str, Pairs]
    root: Path
    parse_config: ConfigParser
    say: Callable[[str], None]
    words: list[str] = field(default_factory=list)  # the command line, to start itself again
    # What only the command itself may see, and not the agents: the address of the database.
    environment: Mapping[str, str] = field(default_factory=dict)
    until_idle: bool = False  # end when no job is left that could run


class HeldJobs:
    """The jobs of one worker, by their ids."""

    def __init__(self, database: Database, options: WorkerOptions, worker: str) -> None:
        self.database, self.options, self.worker = database, options, worker
        self.works: dict[str, JobWork] = {}

    def __iter__(self) -> Iterator[JobWork]:
        """A copy: the main thread drops jobs while others look."""
        return iter(list(self.works.values()))

    def __len__(self) -> int:
        return len(self.works)

    def claim(self, agents_end: float) -> bool:
        """Claim jobs for the free slots; False if there was none to claim."""
        with self.database.reading() as connection:
            if not has_claimable_job(connection, self.database):
                return False
        claimer = Claimer(
            worker=self.worker,
            labels=self.options.labels,
            accounts=frozenset(self.options.accounts),
        )
        claimed = claim_jobs(self.database, claimer, self.options.slots - len(self))
        for job in claimed:
            account = self.options.accounts[job.account]
            work = JobWork(job, self.options.root, self.options.parse_config, account)
            work.let_agents_live(agents_end)
            self.works[job.id] = work
        return bool(claimed)

    def start_claimed(self) -> None:
        for work in self:
            if not work.workflow:
                self._start_or_continue(work)
            elif work.is_stalled(STALLED_SECONDS):
                self.options.say(f"Job {work.job.id}: the engine takes no step. It starts again.")
                engine.cancel_segment(work.workflow)
                self._start_anew(work)

    def _start_or_continue(self, work: JobWork) -> None:
        """Continue the workflow of a dead process of this release; otherwise begin a new one."""
        job = work.job
        if job.workflow and job.release == __version__ and engine.can_continue(job.workflow):
            work.start_waiting()
            engine.continue_segment(job.workflow, self.worker)
            work.workflow = job.workflow
            return
        if job.workflow:
            engine.cancel_segment(job.workflow)
        self._start_anew(work)

    def _start_anew(self, work: JobWork) -> None:
        """Begin a new workflow. The engine would not run an id again whose start failed."""
        job = work.job
        work.starts += 1
        workflow = f"{job.id}-{job.fence}-{work.starts}"
        with self.database.writing() as connection:
            connection.execute(
                sa.update(jobs)
                .where(jobs.c.id == job.id, jobs.c.fence == job.fence)
                .values(workflow=workflow, release=__version__)
            )
        work.start_waiting()
        engine.start_segment(segment.run_segment, workflow, job.id)
        work.workflow = workflow

    def drop_closed(self) -> None:
        for work in self:
            if work.is_closed:
                self._write_log_of(work)
                del self.works[work.job.id]
                self.options.say(f"Job {work.job.id}: {work.last_state}{_why(work.last_reason)}.")

    def write_logs(self) -> None:
        for work in self:
            self._write_log_of(work)

    def _write_log_of(self, work: JobWork) -> None:
        lines = work.log.take_lines()
        if lines and not work.is_lost:
            append_lines(self.database, work.job.id, lines)

    def apply_orders(self) -> None:
        """Apply orders to the loops that work here; a loop that is not open yet does it itself."""
        running = {work.job.id: (work.job, work.folder) for work in self if work.is_running}
        apply_running_orders(self.database, running)

    def note_known_dollars(self) -> None:
        for work in self:
            if work.log.known_dollars:
                with self.database.writing() as connection:
                    note_known_dollars(connection, work)


def note_known_dollars(connection: Connection, work: JobWork) -> None:
    dollars = work.log.known_dollars
    ledger.note_known_dollars(connection, work.job, work.turn_number, dollars)


def _why(reason: str) -> str:
    """The reason as the end of a line; its full text is in `loop fleet status JOB`."""
    return f" ({clip_text(' '.join(reason.split()), 160)})" if reason else ""
