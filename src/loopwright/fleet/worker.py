"""A worker: it claims jobs for its free slots, runs them, and looks after the other workers.

The main thread runs `serve`: a short round several times a second. Each job runs in a thread of the
engine.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from .. import __version__
from ..agents.process_guard import lease_clock
from ..disk.own_python import OWN_COMMAND
from ..drive.errors import UserError
from . import checkouts, engine, segment
from .database import Database, is_connection_error
from .disk_room import DiskRoom
from .held_jobs import HeldJobs, WorkerOptions, note_known_dollars
from .liveness import (
    AGENT_SECONDS,
    DRAINING,
    WORKING,
    Reaper,
    WorkerFacts,
    enter_worker,
    leave_worker,
    renew_time,
    take_back,
)
from .settings import restore_variables
from .tables import QUEUED, RUNNING, jobs
from .work import JobWork
from .worker_locks import new_lock_number, worker_lock

ROUND_SECONDS = 0.3
RENEW_SECONDS = 1.0  # between two renewals of the worker's time
KNOWN_SECONDS = 3.0  # between two notes of what running turns have cost
START_PAUSE_SECONDS = 1.0  # before another start, when the database went away during the first


class Worker:
    """One process. `serve` returns when it is drained."""

    def __init__(self, database: Database, options: WorkerOptions) -> None:
        self.database, self.options = database, options
        self.id = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        self._lock_number = new_lock_number()
        self._lock = worker_lock(database, self._lock_number)
        self._reaper = Reaper(database, self.id)
        self._jobs = HeldJobs(database, options, self.id)
        self._signals = 0  # how often the person asked for the end
        self._told_drain = False
        self._asked_to_drain = False  # through the database: `loop fleet worker --drain`
        self._declared_dead = False
        self._agents_end = 0.0  # by the clock of leases; a renewal moves it
        self._silent_since = 0.0  # since when the database does not answer; 0: it does
        self._disk = DiskRoom(str(options.root), options.say)
        self._claim_pause = 0.0  # seconds between two looks for a job
        self._last: dict[str, float] = {}

    # --- Begin and end ---

    def serve(self) -> None:
        """Work until drained. A second signal ends it at once; its jobs continue elsewhere."""
        try:
            self._start()
        except DBAPIError as error:
            if not is_connection_error(error):
                raise
            self._note_silence(error)
            time.sleep(START_PAUSE_SECONDS)
            self._replace_process()
        try:
            while not self._is_done():
                self._say_once_that_it_drains()
                self._run_round()
                time.sleep(ROUND_SECONDS)
        finally:
            self._end()

    def _start(self) -> None:
        """Enter the fleet, and start the engine."""
        if not self._lock.take():
            raise UserError("BUG: a new worker's lock is taken")
        facts = WorkerFacts(
            id=self.id,
            release=__version__,
            slots=self.options.slots,
            labels=tuple(sorted(self.options.labels)),
            accounts=tuple(sorted(self.options.accounts)),
            lock_number=self._lock_number,
        )
        self._agents_end = lease_clock() + AGENT_SECONDS
        enter_worker(self.database, facts)
        segment.set_host(self)
        engine.launch_engine(self.database, self.id, __version__)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._receive_signal)
        checkouts.remove_left_checkouts(self.options.root)
        self.options.say(f"Worker {self.id} takes jobs: {self.options.slots} at once.")

    def _receive_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1

    def _say_once_that_it_drains(self) -> None:
        """Not in the handler of the signal, which may interrupt a line that is being printed."""
        if self._signals and not self._told_drain:
            self._told_drain = True
            self.options.say("The turns are finished, then this worker ends. Ctrl-C ends it now.")

    def _is_done(self) -> bool:
        if self._signals > 1:
            return True
        if self.is_draining():
            return not self._jobs
        return self.options.until_idle and not self._jobs and not self._has_open_jobs()

    def is_draining(self) -> bool:
        return self._signals > 0 or self._asked_to_drain

    def _has_open_jobs(self) -> bool:
        try:
            with self.database.reading() as connection:
                query = sa.select(jobs.c.id).where(jobs.c.state.in_((QUEUED, RUNNING))).limit(1)
                return connection.execute(query).first() is not None
        except DBAPIError as error:
            if not is_connection_error(error):
                raise
            return True  # nobody knows before it answers again

    def _end(self) -> None:
        """Give back what is still running, and leave. The agents end before that."""
        for work in self._jobs:
            work.lose()
        try:
            with self.database.writing() as connection:
                for job_id in list(self._jobs.works):
                    if self._holds(connection, job_id):
                        take_back(connection, self.database, job_id, keep_workflow=False)
                leave_worker(connection, self.id)
        except DBAPIError as error:
            if not is_connection_error(error):
                raise
            self.options.say("The database does not answer; another worker takes the jobs over.")
        if self._jobs:
            # Threads of jobs still run. They can write nothing any more.
            sys.stdout.flush()
            self._lock.release()
            os._exit(0)
        engine.stop_engine()
        self._lock.release()

    def _holds(self, connection: Connection, job_id: str) -> bool:
        query = sa.select(jobs.c.id).where(
            jobs.c.id == job_id, jobs.c.worker == self.id, jobs.c.state == RUNNING
        )
        return connection.execute(query.with_for_update()).first() is not None

    # --- What a segment asks ---

    def work_of(self, job_id: str) -> JobWork:
        return self._jobs.works[job_id]

    def keeps_trying(self, work: JobWork) -> Callable[[], bool]:
        return lambda: not work.is_lost and not self._declared_dead and self._signals < 2

    def note_full_disk(self, error: OSError) -> None:
        self._disk.note_full(error)

    def leave_lost_job(self, work: JobWork) -> None:
        """Another worker holds this job. If it continues our workflow, we must not end it.

        Then this process is replaced by a new one, and the thread waits for that.
        """
        work.lose()
        self.database.write(
            lambda connection: note_known_dollars(connection, work), keep_trying=lambda: True
        )
        if self._declared_dead or not self._is_known_alive():
            self._declared_dead = True
            threading.Event().wait()
        work.close("continues elsewhere")

    def _is_known_alive(self) -> bool:
        state = WORKING if not self.is_draining() else DRAINING
        known = self.database.write(
            lambda connection: renew_time(connection, self.database, self.id, state),
            lambda: True,
        )
        return bool(known)

    # --- One round ---

    def _run_round(self) -> None:
        try:
            if self._is_due("renew", RENEW_SECONDS):
                self._renew()
            if self._declared_dead:
                self._leave_as_dead()
            self._jobs.drop_closed()
            self._jobs.write_logs()
            self._jobs.apply_orders()
            if self._is_due("known", KNOWN_SECONDS):
                self._jobs.note_known_dollars()
            if self._is_due("reap", RENEW_SECONDS):
                self._take_over_lost_jobs()
            if self._is_due("claim", self._claim_pause):
                self._claim_jobs()
            self._jobs.start_claimed()
        except DBAPIError as error:
            if not is_connection_error(error):
                raise
            self._note_silence(error)
            return
        if self._silent_since:
            self._silent_since = 0.0
            self.options.say("The database answers again.")

    def _is_due(self, name: str, seconds: float) -> bool:
        now = time.monotonic()
        if now - self._last.get(name, 0.0) < seconds:
            return False
        self._last[name] = now
        return True

    def _note_silence(self, error: DBAPIError) -> None:
        for work in self._jobs:
            work.start_waiting()
        if not self._silent_since:
            self._silent_since = time.monotonic()
            self.options.say(
                "The database does not answer. Nothing new begins before it answers again. Turns "
                f"that run now are finished if it does within {AGENT_SECONDS:.0f} s. "
                f"({str(error.orig).strip().splitlines()[0]})"
            )

    def _renew(self) -> None:
        """Say that we live. After a broken connection, our lock is taken again first."""
        if not self._lock.is_held() and not self._lock.take():
            return  # another worker looks whether it is free; the next round tries again
        state = DRAINING if self.is_draining() else WORKING
        began = lease_clock()  # before the time that the others see
        with self.database.writing() as connection:
            known = renew_time(connection, self.database, self.id, state)
            self._declared_dead = not known
            if known == DRAINING and not self.is_draining():
                self._asked_to_drain = True
                self.options.say("Asked to drain: the turns are finished, then this worker ends.")
            held = set(
                connection.execute(
                    sa.select(jobs.c.id).where(jobs.c.worker == self.id, jobs.c.state == RUNNING)
                ).scalars()
            )
            # A claim whose reply was lost on its way to us: nobody works on it.
            for job_id in held - self._jobs.works.keys():
                take_back(connection, self.database, job_id, keep_workflow=False)
        if known:
            self._agents_end = began + AGENT_SECONDS
        for work in self._jobs:
            if work.job.id in held:
                work.let_agents_live(self._agents_end)
            elif not work.is_closing:
                work.lose()

    def _leave_as_dead(self) -> None:
        """What this process still holds belongs to others now."""
        if self.is_draining():
            self.options.say("Other workers have taken the jobs over. This worker ends.")
            sys.stdout.flush()
            os._exit(0)
        self.options.say("Other workers have taken the jobs over. Starting again.")
        self._replace_process()

    def _replace_process(self) -> NoReturn:
        """Start again as a new worker."""
        sys.stdout.flush()
        restore_variables(self.options.environment)
        os.execv(sys.executable, [*OWN_COMMAND, *self.options.words])

    def _take_over_lost_jobs(self) -> None:
        """Queue the jobs of dead workers again; whichever worker is free takes them."""
        for lost in self._reaper.find_lost_jobs():
            if lost.workflow and not lost.resumable:
                engine.cancel_segment(lost.workflow)
            self.options.say(f"Worker {lost.worker} is gone; job {lost.job} continues elsewhere.")

    def _claim_jobs(self) -> None:
        has_slot = len(self._jobs) < self.options.slots
        if has_slot and not self.is_draining() and self._disk.has_room():
            has_claimed = self._jobs.claim(self._agents_end)
            self._claim_pause = 0.0 if has_claimed else RENEW_SECONDS
