"""What one worker does for a job it holds: open it, take a turn, give it back.

Each of these is safe to run again. Nothing here stores the fence: it comes from the claim of the
process that runs the step.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from ..agents.process_guard import LeaseExpired
from ..core.directives import Reply
from ..disk.problems import is_disk_full
from . import ledger, results
from .checkpoint import Checkpoint
from .checkpoint_facts import CheckpointError
from .database import Database
from .fleet_git import TransferFailed
from .jobs import read_bundle, read_checkpoint, read_job
from .orders import apply_order, close_order, close_orders_of_ended, open_orders
from .outcomes import (
    Outcome,
    failed_attempt,
    failed_job,
    job_columns,
    outcome_of_loop,
    outcome_of_refusal,
    outcome_of_reply,
)
from .placement import FenceLost, check_fence, release_job
from .tables import ASKING, CANCELLED, CLOSED_STATES, ENDED, PAUSED, QUEUED, RUNNING, jobs
from .work import JobWork, NotPrepared

MAX_FAILURES = 20  # segments in a row without a settled turn
MAX_UNKEPT_TURNS = 3  # such segments, when the agent's files are the reason


class Host(Protocol):
    """The worker, as a segment sees it."""

    database: Database

    def work_of(self, job_id: str) -> JobWork: ...

    def is_draining(self) -> bool: ...

    def keeps_trying(self, work: JobWork) -> Callable[[], bool]: ...

    def note_full_disk(self, error: OSError) -> None: ...

    def leave_lost_job(self, work: JobWork) -> None: ...


@dataclass(frozen=True)
class JobSteps:
    """A job, and the worker that holds it."""

    host: Host
    work: JobWork

    def explain_errors(self, act: Callable[[], Outcome]) -> Outcome:
        """What the act came to; an error becomes the reason why the job stops here."""
        try:
            return act()
        except (FenceLost, LeaseExpired):
            self.host.leave_lost_job(self.work)
            raise
        except NotPrepared as error:
            return failed_job(str(error))
        except CheckpointError as error:
            return self._explain_unkept_turn(str(error))
        except TransferFailed as error:
            return failed_attempt(str(error))
        except Exception as error:  # whatever is wrong, the job must not be stuck
            if isinstance(error, OSError) and is_disk_full(error):
                self.host.note_full_disk(error)
                return failed_attempt(str(error), "a worker with room on its disk")
            return failed_attempt(f"{type(error).__name__}: {error}")

    def _explain_unkept_turn(self, reason: str) -> Outcome:
        """What an agent left cannot be kept, so its turn was paid for nothing: try a few times."""
        if self.work.job.failures < MAX_UNKEPT_TURNS:
            return failed_attempt(reason)
        return failed_job(f"{reason}. Try again: loop fleet retry {self.work.job.id}")

    def _write(self, change: Callable[[Connection], Any]) -> Any:
        """Write for this job, waiting for a database that does not answer."""
        return self.host.database.write(change, self.host.keeps_trying(self.work))

    def open_job(self) -> Outcome:
        """Files, loop, orders, runner; nothing when the job is open already."""
        if self.work.reply is not None:
            return self._outcome_of(self.work.reply)
        if not self.work.is_prepared:
            self._prepare_files()
        self._apply_open_orders()
        loop = self.work.read_loop()
        if loop.status != "running":
            return outcome_of_loop(loop)
        return self._outcome_of(self.work.begin_run())

    def _outcome_of(self, reply: Reply) -> Outcome:
        return outcome_of_reply(reply, self.work.read_loop(), time.time())

    def _prepare_files(self) -> None:
        job = self.work.job
        if job.failures > MAX_FAILURES:
            raise NotPrepared(
                f"{MAX_FAILURES} attempts in a row ended without a settled turn. The last reason: "
                f"{job.reason or 'none is known'}. Try again: loop fleet retry {job.id}"
            )
        with self.host.database.reading() as connection:
            bundle = b"" if job.address else read_bundle(connection, job.base_commit)
            stored = read_checkpoint(connection, job.id)
        checkpoint = Checkpoint(*stored[1:]) if stored else None
        self.work.prepare_checkout(bundle, checkpoint)
        if checkpoint is None:
            self._save_progress([])

    def _apply_open_orders(self) -> None:
        """Apply what was ordered while nobody held the job; effect and row are one write."""
        with self.host.database.reading() as connection:
            waiting = open_orders(connection, [self.work.job.id])
        if waiting:
            replies = [(order.number, *apply_order(self.work.folder, order)) for order in waiting]
            self._save_progress(replies)

    def _save_progress(self, replies: list[tuple[int, str, bool]]) -> None:
        """Keep the loop as it is now, and the replies to the orders that made it so."""
        host, job = self.host, self.work.job
        checkpoint, loop = self.work.pack(), self.work.read_loop()

        def change(connection: Connection) -> None:
            check_fence(connection, job.id, job.fence)
            for number, reply, refused in replies:
                close_order(connection, host.database, number, reply, refused)
            now = host.database.now(connection)
            ledger.save_checkpoint(connection, job.id, job.turns, checkpoint, now)
            connection.execute(
                sa.update(jobs)
                .where(jobs.c.id == job.id)
                .values(progress_at=now, changed_at=now, **job_columns(loop))
            )

        self._write(change)

    def take_turn(self, number: int) -> Outcome:
        host = self.host
        with host.database.reading() as connection:
            settled = ledger.settled_outcome(connection, self.work.job.id, number)
        if settled is not None:  # its worker died after this, before the engine recorded it
            return settled
        outcome = self.open_job()
        if outcome["state"] != RUNNING:
            return outcome
        if host.is_draining():
            return {"state": QUEUED, "waits_for": "another worker"}
        job, wish = self.work.job, self.work.turn_wish(number)
        grant: ledger.Grant = self._write(
            lambda connection: ledger.reserve_turn(connection, host.database, job, wish)
        )
        if not grant.granted:
            return outcome_of_refusal(grant)
        before = self.work.read_loop().spend.dollars
        outcome = self._outcome_of(self.work.run_turn(number, grant.dollars))
        if self.work.is_lost:
            raise FenceLost(job.id)
        loop = self.work.read_loop()
        # A turn that was cut off by a cancel is not in the journal; what we heard of it counts.
        spent = max(loop.spend.dollars - before, self.work.log.known_dollars)
        result = ledger.TurnResult(
            number=number,
            spent=spent,
            checkpoint=self.work.pack(),
            outcome=outcome,
            loop_facts=job_columns(loop),
        )
        self._write(lambda connection: ledger.settle_turn(connection, host.database, job, result))
        return outcome

    def give_back(self, outcome: Outcome) -> Outcome:
        host, job = self.host, self.work.job
        state = outcome["state"] if outcome["state"] != RUNNING else QUEUED
        published = ""
        if state in (ENDED, CANCELLED) and job.results:
            published = self._publish()
        self.work.is_closing = True

        def change(connection: Connection) -> None:
            now = host.database.now(connection)
            delay = outcome.get("delay", 0.0) * (job.failures if outcome.get("failed") else 1)
            not_before = outcome.get("not_before") or now + delay
            # An order may have arrived after the last look. The next claim applies it.
            has_orders = bool(open_orders(connection, [job.id]))
            kept_state = QUEUED if state in (ASKING, PAUSED) and has_orders else state
            values: dict[str, Any] = {
                "waits_for": outcome.get("waits_for", ""),
                "not_before": not_before if state == QUEUED else 0.0,
                "question": outcome.get("question", ""),
                "reason": outcome.get("reason", ""),
                "grade": outcome.get("grade", ""),
                "published": published,
                "ended_at": now if state in CLOSED_STATES else 0.0,
                "workflow": "",
            }
            if not outcome.get("failed"):
                values["failures"] = 0
            release_job(connection, job.id, job.fence, now, kept_state, **values)
            ledger.lose_open_turns(connection, job.id, job.fence + 1, now)
            if outcome.get("blocks_account"):
                ledger.block_account(connection, job.account, not_before, outcome["waits_for"])
            close_orders_of_ended(connection, host.database, job.id)

        try:
            self._write(change)
        except FenceLost:
            # This step may run again after its commit was lost: then the job is given back.
            with host.database.reading() as connection:
                now_held = read_job(connection, job.id)
            if now_held.fence != job.fence or now_held.state == RUNNING:
                raise
        return {"state": state}

    def _publish(self) -> str:
        """Push the results to the place that the person named; what became of it."""
        job = self.work.job
        if not self.work.is_prepared:  # another process worked on it until now
            self._prepare_files()

        def check_hold() -> None:
            self._write(lambda connection: check_fence(connection, job.id, job.fence))

        try:
            return results.publish_results(self.work.checkout, job.id, job.results, check_hold)
        except results.NotPublished as error:
            return f"not published: {error}"
