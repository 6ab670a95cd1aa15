"""The jobs that a worker holds: claimed, started, looked after while they run, and dropped."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy.engine import Connection

from ..core.prompts.phrases import clip_text
from . import engine, ledger
from .database import Database
from .job_logs import append_lines
from .orders import apply_running_orders
from .placement import Claimer, claim_jobs, has_claimable_job
from .segment_start import start_anew, start_or_continue
from .work import JobWork
from .worker_options import WorkerOptions

# Between two steps of a segment. A database that goes away may take a start with it: the engine
# has recorded that the workflow runs, and it does not.
STALLED_SECONDS = 30.0


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
                start_or_continue(self.database, self.worker, work)
            elif work.is_stalled(STALLED_SECONDS):
                self.options.say(f"Job {work.job.id}: the engine takes no step. It starts again.")
                engine.cancel_segment(work.workflow)
                start_anew(self.database, work)

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
