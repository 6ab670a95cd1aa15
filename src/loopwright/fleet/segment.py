"""A segment: what one worker does for a job between a claim and giving the job back.

It is a workflow of the engine: prepare, then turn after turn, then close. Each step is safe to run
again. A step never stores the fence; it takes it from the claim of the process that runs it, so a
workflow that another process continues uses the claim of that process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import sqlalchemy as sa
from dbos import DBOS
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
from .work import JobWork, NotPrepared, Sources

MAX_TURNS = 200  # of one segment; the job is then queued again, so that others get their turn
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


_host: Host | None = None


def set_host(host: Host) -> None:
    """Tell the steps of this process which worker they belong to."""
    global _host
    _host = host


def _this_host() -> Host:
    assert _host is not None, "BUG: no worker runs in this process"
    return _host


@DBOS.workflow(name="segment")
def run_segment(job_id: str) -> str:
    prepared: Outcome = prepare_job(job_id)
    outcome, number = prepared, int(prepared["turn"])
    for _ in range(MAX_TURNS):
        if outcome["state"] != RUNNING:
            break
        outcome = run_turn(job_id, number)
        number += 1
    return close_segment(job_id, outcome)


@DBOS.step(name="prepare")
def prepare_job(job_id: str) -> Outcome:
    """Bring the job here. `turn` is the number of the turn that follows."""
    work = _this_host().work_of(job_id)
    with work.step_under_way():
        outcome = _explain_errors(work, lambda: _open_job(work))
    return {**outcome, "turn": work.job.turns + 1}


@DBOS.step(name="turn")
def run_turn(job_id: str, number: int) -> Outcome:
    """Reserve, work, prove, settle."""
    work = _this_host().work_of(job_id)
    with work.step_under_way():
        return _explain_errors(work, lambda: _take_turn(work, number))


@DBOS.step(name="close")
def close_segment(job_id: str, outcome: Outcome) -> str:
    """Publish what has ended, give the job back, and remove its files."""
    work = _this_host().work_of(job_id)
    with work.step_under_way():
        final = _explain_errors(work, lambda: _give_back(work, outcome))
        work.close(final["state"], outcome.get("reason") or outcome.get("waits_for", ""))
    return str(final["state"])


def _explain_errors(work: JobWork, act: Callable[[], Outcome]) -> Outcome:
    """What the act came to; an error becomes the reason why the job stops here."""
    host = _this_host()
    try:
        return act()
    except (FenceLost, LeaseExpired):
        host.leave_lost_job(work)
        raise
    except NotPrepared as error:
        return failed_job(str(error))
    except CheckpointError as error:
        return _explain_unkept_turn(work, str(error))
    except TransferFailed as error:
        return failed_attempt(str(error))
    except Exception as error:  # whatever is wrong, the job must not be stuck
        if isinstance(error, OSError) and is_disk_full(error):
            host.note_full_disk(error)
            return failed_attempt(str(error), "a worker with room on its disk")
        return failed_attempt(f"{type(error).__name__}: {error}")


def _explain_unkept_turn(work: JobWork, reason: str) -> Outcome:
    """What an agent left cannot be kept, so its turn was paid for nothing: try it a few times."""
    if work.job.failures < MAX_UNKEPT_TURNS:
        return failed_attempt(reason)
    return failed_job(f"{reason}. Try again: loop fleet retry {work.job.id}")


def _write(work: JobWork, change: Callable[[Connection], Any]) -> Any:
    """Write for this job, waiting for a database that does not answer."""
    host = _this_host()
    return host.database.write(change, host.keeps_trying(work))


def _open_job(work: JobWork) -> Outcome:
    """Files, loop, orders, runner; nothing when the job is open already."""
    if work.reply is not None:
        return _outcome_of(work, work.reply)
    if not work.is_prepared:
        _prepare_files(work)
    _apply_open_orders(work)
    loop = work.read_loop()
    if loop.status != "running":
        return outcome_of_loop(loop)
    return _outcome_of(work, work.begin_run())


def _outcome_of(work: JobWork, reply: Reply) -> Outcome:
    return outcome_of_reply(reply, work.read_loop(), time.time())


def _prepare_files(work: JobWork) -> None:
    job = work.job
    if job.failures > MAX_FAILURES:
        raise NotPrepared(
            f"{MAX_FAILURES} attempts in a row ended without a settled turn. The last reason: "
            f"{job.reason or 'none is known'}. Try again: loop fleet retry {job.id}"
        )
    with _this_host().database.reading() as connection:
        bundle = b"" if job.address else read_bundle(connection, job.base_commit)
        stored = read_checkpoint(connection, job.id)
    checkpoint = Checkpoint(*stored[1:]) if stored else None
    work.prepare_checkout(Sources(bundle, checkpoint))
    if checkpoint is None:
        _save_progress(work, [])


def _apply_open_orders(work: JobWork) -> None:
    """Apply what was ordered while nobody held the job. Its effect and the row are one write."""
    with _this_host().database.reading() as connection:
        waiting = open_orders(connection, [work.job.id])
    if waiting:
        replies = [(order.number, *apply_order(work.folder, order)) for order in waiting]
        _save_progress(work, replies)


def _save_progress(work: JobWork, replies: list[tuple[int, str, bool]]) -> None:
    """Keep the loop as it is now, and the replies to the orders that made it so."""
    host, job = _this_host(), work.job
    checkpoint, loop = work.pack(), work.read_loop()

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

    _write(work, change)


def _take_turn(work: JobWork, number: int) -> Outcome:
    host = _this_host()
    with host.database.reading() as connection:
        settled = ledger.settled_outcome(connection, work.job.id, number)
    if settled is not None:  # its worker died after this, before the engine recorded it
        return settled
    outcome = _open_job(work)
    if outcome["state"] != RUNNING:
        return outcome
    if host.is_draining():
        return {"state": QUEUED, "waits_for": "another worker"}
    job, wish = work.job, work.turn_wish(number)
    grant: ledger.Grant = _write(
        work, lambda connection: ledger.reserve_turn(connection, host.database, job, wish)
    )
    if not grant.granted:
        return outcome_of_refusal(grant)
    before = work.read_loop().spend.dollars
    outcome = _outcome_of(work, work.run_turn(number, grant.dollars))
    if work.is_lost:
        raise FenceLost(job.id)
    loop = work.read_loop()
    # A turn that was cut off by a cancel is not in the journal; what we heard of it counts.
    spent = max(loop.spend.dollars - before, work.log.known_dollars)
    result = ledger.TurnResult(
        number=number,
        spent=spent,
        checkpoint=work.pack(),
        outcome=outcome,
        loop_facts=job_columns(loop),
    )
    _write(work, lambda connection: ledger.settle_turn(connection, host.database, job, result))
    return outcome


def _give_back(work: JobWork, outcome: Outcome) -> Outcome:
    host, job = _this_host(), work.job
    state = outcome["state"] if outcome["state"] != RUNNING else QUEUED
    published = ""
    if state in (ENDED, CANCELLED) and job.results:
        published = _publish(work)
    work.is_closing = True

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
        _write(work, change)
    except FenceLost:
        # This step may run again after its commit was lost: then the job is given back already.
        with host.database.reading() as connection:
            now_held = read_job(connection, job.id)
        if now_held.fence != job.fence or now_held.state == RUNNING:
            raise
    return {"state": state}


def _publish(work: JobWork) -> str:
    """Push the results to the place that the person named; what became of it."""
    job = work.job
    if not work.is_prepared:  # another process worked on it until now
        _prepare_files(work)

    def check_hold() -> None:
        _write(work, lambda connection: check_fence(connection, job.id, job.fence))

    try:
        return results.publish_results(work.checkout, job.id, job.results, check_hold)
    except results.NotPublished as error:
        return f"not published: {error}"
