"""The rows of all jobs, kept up to date: a look reads only the jobs that have changed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from ..views.board_of_loops import BoardRow, one_clean_line
from .board import JOB_COLUMNS, read_wait_reasons
from .database import Database
from .job_views import job_row
from .tables import QUEUED, jobs
from .wait_reasons import WaitReasons

Mark = tuple[Any, ...]
# A transaction may commit this long after it took its time.
OVERLAP_SECONDS = 30.0
FULL_SECONDS = 30.0  # between two looks at all jobs, which also find those that were removed
WAITS_SECONDS = 10.0  # between two looks at what queued jobs wait for
READ_AT_ONCE = 200
CLOCK_SLACK = 5.0  # the clocks are compared again when they differ by this much more
ROW_COLUMNS = tuple(jobs.c[name] for name in (*JOB_COLUMNS, "loop_facts"))


@dataclass(frozen=True)
class KnownJob:
    """A job as it was read last. `changes` grows with each new row."""

    facts: dict[str, Any]
    mark: Mark
    row: BoardRow
    changes: int


class JobRows:
    """One thread reads; `jobs` is replaced as a whole, so that others may look at any time."""

    def __init__(self) -> None:
        self.jobs: dict[str, KnownJob] = {}
        self.loops: frozenset[str] = frozenset()
        self._since = 0.0
        self._offset = 0.0
        self._due: dict[str, float] = {}
        self._waits: WaitReasons | None = None
        self._count = 0

    def read(self, connection: Connection, database: Database) -> bool:
        """Take in what has changed; True if a row has."""
        now = database.now(connection)
        if abs(time.time() - now - self._offset) > CLOCK_SLACK or not self._since:
            self._offset = time.time() - now
        waits_changed = self._is_due("waits", WAITS_SECONDS)
        if waits_changed or self._waits is None:
            self._waits = read_wait_reasons(connection, database, now)
        is_full = self._is_due("all", FULL_SECONDS)
        marks = self._read_marks(connection, 0.0 if is_full else self._since - OVERLAP_SECONDS)
        self._since = now
        fresh = self._read_changed(connection, marks, now)
        if waits_changed:
            fresh |= self._queued_again(fresh, now)
        gone = self.jobs.keys() - marks.keys() if is_full else set()
        if fresh or gone:
            kept = {key: job for key, job in self.jobs.items() if key not in gone}
            self.jobs = {**kept, **fresh}
            self.loops = frozenset(job.facts["loop"] for job in self.jobs.values())
        return bool(fresh or gone)

    def _is_due(self, name: str, seconds: float) -> bool:
        now = time.monotonic()
        if name in self._due and now < self._due[name]:
            return False
        self._due[name] = now + seconds
        return True

    def _read_marks(self, connection: Connection, since: float) -> dict[str, Mark]:
        """What tells whether a job has changed, of all jobs that may have since then."""
        columns = (jobs.c.id, jobs.c.changed_at, jobs.c.state, jobs.c.fence, jobs.c.turns)
        query = sa.select(*columns).where(jobs.c.changed_at >= since)
        return {row.id: tuple(row) for row in connection.execute(query)}

    def _read_changed(
        self, connection: Connection, marks: dict[str, Mark], now: float
    ) -> dict[str, KnownJob]:
        changed = [
            job_id
            for job_id, mark in marks.items()
            if job_id not in self.jobs or self.jobs[job_id].mark != mark
        ]
        fresh = {}
        for start in range(0, len(changed), READ_AT_ONCE):
            part = changed[start : start + READ_AT_ONCE]
            wanted = sa.select(*ROW_COLUMNS).where(jobs.c.id.in_(part))
            for row in connection.execute(wanted).mappings():
                fresh[row["id"]] = self._known_job(dict(row), marks[row["id"]], now)
        return fresh

    def _known_job(self, facts: dict[str, Any], mark: Mark, now: float) -> KnownJob:
        assert self._waits is not None
        self._count += 1
        row = job_row(facts, self._waits.of_job(facts, now), self._offset, now)
        return KnownJob(facts, mark, row, self._count)

    def _queued_again(self, fresh: dict[str, KnownJob], now: float) -> dict[str, KnownJob]:
        """The queued jobs that wait for something else than before."""
        assert self._waits is not None
        again = {}
        for key, job in self.jobs.items():
            if job.facts["state"] == QUEUED and key not in fresh:
                waits_for = one_clean_line(self._waits.of_job(job.facts, now))
                if job.row.job and waits_for != job.row.job.waits_for:
                    again[key] = self._known_job(job.facts, job.mark, now)
        return again
