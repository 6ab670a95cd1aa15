"""Orders of a person to a job: rows that the worker applies which holds the job.

They do what the local commands do, with the same functions. If nobody holds the job, it is queued,
and the worker that takes it applies the order before anything else.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from ..drive.errors import UserError
from ..drive.orders.given_orders import CONTINUING
from ..drive.orders.person import apply_order as apply_person_order
from ..store.folder import LoopFolder, NoLoop
from ..store.further_loops import PersonOrder
from .database import Database
from .deaths import forget_deaths
from .hints import respell_hints
from .jobs import Job, read_job, require_storable
from .placement import FenceLost, check_fence
from .tables import ASKING, CANCELLED, CLOSED_STATES, FAILED, PAUSED, QUEUED, RUNNING, jobs, orders

ANSWER, STEER, PAUSE, CANCEL, RETRY = "answer", "steer", "pause", "cancel", "retry"
RULE = "rule"  # on a criterion that the agent disputes; see `ruling_text`
MAX_TEXT = 20_000  # characters of an answer or a message
REPLY_POLL_SECONDS = 0.2
BY_PERSON = "asked by a person"  # why a job is paused or cancelled whose loop does not run

# In which states an order makes sense; anything else is refused with the state.
ALLOWED_STATES = {
    ANSWER: (ASKING,),
    STEER: (QUEUED, RUNNING, ASKING, PAUSED),
    PAUSE: (QUEUED, RUNNING),
    CANCEL: (QUEUED, RUNNING, ASKING, PAUSED),
    RETRY: (PAUSED, FAILED),
    RULE: (QUEUED, RUNNING, ASKING, PAUSED),
}
WAYS_OUT = {
    ANSWER: "It has asked nothing. See: loop fleet status {id}",
    STEER: "See: loop fleet results {id}",
    PAUSE: "See: loop fleet status {id}",
    CANCEL: "See: loop fleet results {id}",
    RETRY: "Only a paused or failed job can be tried again. See: loop fleet status {id}",
    RULE: "See: loop fleet results {id}",
}


@dataclass(frozen=True)
class Order:
    number: int
    job: str
    kind: str
    text: str
    amounts: dict[str, float]


def give_order(
    database: Database,
    job_id: str,
    kind: str,
    text: str = "",
    amounts: Mapping[str, float] | None = None,
) -> tuple[int, str]:
    """Give the order. Returns its number and, if it took effect at once, what it did."""
    if len(text) > MAX_TEXT:
        raise UserError(f"the text has {len(text)} characters; at most {MAX_TEXT} are read")
    require_storable(text, "the text")
    with database.writing() as connection:
        locked = sa.select(jobs.c.id).where(jobs.c.id == job_id).with_for_update()
        connection.execute(locked)
        job = read_job(connection, job_id)
        if job.state not in ALLOWED_STATES[kind]:
            hint = WAYS_OUT[kind].format(id=job.id)
            raise UserError(f"job {job.id} is {job.state}, so there is nothing to {kind}. {hint}")
        if amounts and not job.loop:
            raise UserError(
                f"the loop of job {job.id} has not begun, so its limits cannot be raised. "
                "Submit it again with higher ones: loop fleet submit"
            )
        now = database.now(connection)
        if not amounts and (reply := _apply_at_once(connection, job, kind, now)):
            return 0, reply
        number = connection.execute(
            sa.insert(orders)
            .values(job=job_id, kind=kind, text=text, amounts=dict(amounts or {}), given_at=now)
            .returning(orders.c.number)
        ).scalar_one()
        if job.state in (ASKING, PAUSED, FAILED) and kind != STEER:
            _queue_again(connection, job, now)
        return int(number), ""


def _apply_at_once(connection: Connection, job: Job, kind: str, now: float) -> str:
    """What needs no loop: a job that has not begun, or cannot begin."""
    if job.state in (QUEUED, PAUSED) and kind == CANCEL and not job.loop:
        _change_job(
            connection,
            job,
            state=CANCELLED,
            changed_at=now,
            ended_at=now,
            waits_for="",
            reason=BY_PERSON,
        )
        return f"Job {job.id} is cancelled; it had not begun."
    if job.state == QUEUED and kind == PAUSE:
        _change_job(connection, job, state=PAUSED, changed_at=now, reason=BY_PERSON, waits_for="")
        return f"Job {job.id} is paused. Queue it again: loop fleet retry {job.id}"
    if kind == RETRY and (job.state == FAILED or not job.loop):
        _queue_again(connection, job, now)
        return f"Job {job.id} is queued again."
    return ""


def _queue_again(connection: Connection, job: Job, now: float) -> None:
    forget_deaths(connection, job.id)
    _change_job(
        connection,
        job,
        state=QUEUED,
        changed_at=now,
        not_before=0.0,
        failures=0,
        reason="",
        ended_at=0.0,
    )


def _change_job(connection: Connection, job: Job, **values: Any) -> None:
    connection.execute(sa.update(jobs).where(jobs.c.id == job.id).values(**values))


def wait_for_reply(database: Database, number: int, seconds: float) -> str | None:
    """What the worker replied; None if nobody has applied the order in this time."""
    deadline = time.monotonic() + seconds
    query = sa.select(orders.c.done_at, orders.c.reply, orders.c.refused)
    while True:
        with database.reading() as connection:
            row = connection.execute(query.where(orders.c.number == number)).one()
        if row.done_at:
            if row.refused:
                raise UserError(row.reply)
            return str(row.reply)
        if time.monotonic() > deadline:
            return None
        time.sleep(REPLY_POLL_SECONDS)


def open_orders(connection: Connection, job_ids: list[str]) -> list[Order]:
    """The orders for these jobs that nobody has applied, oldest first."""
    if not job_ids:
        return []
    query = (
        sa.select(orders.c.number, orders.c.job, orders.c.kind, orders.c.text, orders.c.amounts)
        .where(orders.c.done_at == 0.0, orders.c.job.in_(job_ids))
        .order_by(orders.c.number)
    )
    return [Order(**dict(row)) for row in connection.execute(query).mappings()]


def apply_order(folder: LoopFolder, order: Order) -> tuple[str, bool]:
    """Apply it to the loop of this folder: the reply, and whether it was refused."""
    try:
        reply, refused = _act_on_loop(folder, order), False
    except (UserError, NoLoop) as error:
        reply, refused = str(error) or "the loop is over", True
    return respell_hints(reply, order.job), refused


def apply_running_orders(database: Database, running: Mapping[str, tuple[Job, LoopFolder]]) -> None:
    """Apply what is ordered to the jobs whose loops are open in this process."""
    if not running:
        return
    with database.reading() as connection:
        waiting = open_orders(connection, list(running))
    for order in waiting:
        job, folder = running[order.job]
        reply, refused = apply_order(folder, order)
        # If another worker holds the job by now, the order is still to be applied there.
        with suppress(FenceLost), database.writing() as connection:
            check_fence(connection, job.id, job.fence)
            close_order(connection, database, order.number, reply, refused)


def _act_on_loop(folder: LoopFolder, order: Order) -> str:
    given = PersonOrder(order.kind, order.text).but(**order.amounts)
    if order.kind == RULE:
        criterion, ruling, command = json.loads(order.text)
        given = given.but(criterion=criterion, ruling=ruling, command=command)
    if order.kind == RETRY:
        loop = folder.read_loop()
        if loop is not None and loop.status == "running" and not order.amounts:
            return CONTINUING  # the fleet held it back, not the loop itself
        given = given.but(name="continue")
    return apply_person_order(folder, given)


def ruling_text(criterion: str, ruling: str, command: str = "") -> str:
    """The text of an order of the kind RULE."""
    return json.dumps([criterion, ruling, command])


def close_order(
    connection: Connection, database: Database, number: int, reply: str, refused: bool
) -> None:
    connection.execute(
        sa.update(orders)
        .where(orders.c.number == number)
        .values(done_at=database.now(connection), reply=reply[:MAX_TEXT], refused=refused)
    )


def close_orders_of_ended(connection: Connection, database: Database, job_id: str) -> None:
    """Nobody will apply what is still open for a job that is over."""
    state = read_job(connection, job_id).state
    if state in CLOSED_STATES:
        connection.execute(
            sa.update(orders)
            .where(orders.c.job == job_id, orders.c.done_at == 0.0)
            .values(
                done_at=database.now(connection), reply=f"the job is {state} already", refused=True
            )
        )
