"""The dollar ledger: money is reserved before a turn and settled after it, each in one transaction.

A turn that was cut off is kept as lost, with what is known of its cost. So every dollar is counted
once: in the row of the turn that spent it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from .checkpoint import Checkpoint
from .database import LEDGER_LOCK, Database
from .jobs import Job
from .placement import FLEET_SCOPE, account_scope, check_fence, scopes_of
from .tables import LOST, RESERVED, SETTLED, checkpoints, jobs, limits, orders, past, turns

LEAST_DOLLARS = 0.01  # less than this buys no turn


@dataclass(frozen=True)
class Grant:
    """May the turn start? With how many dollars; or what it waits for, and until when."""

    dollars: float = 0.0
    waits_for: str = ""
    not_before: float = 0.0
    used_up: str = ""  # a budget that does not come back by waiting

    @property
    def granted(self) -> bool:
        return not (self.waits_for or self.used_up)


@dataclass(frozen=True)
class TurnWish:
    """The turn that is to start."""

    number: int
    dollars: float  # that it may cost at most
    job_budget: float  # of the whole job; 0: none
    seconds: float  # that it may take at most


@dataclass(frozen=True)
class TurnResult:
    """What a turn came to."""

    number: int
    spent: float
    checkpoint: Checkpoint
    outcome: Mapping[str, Any]
    loop_facts: Mapping[str, Any]  # columns of the job


def reserve_turn(connection: Connection, database: Database, job: Job, wish: TurnWish) -> Grant:
    """Set the dollars of a turn aside. A reservation that exists already is returned as it is."""
    check_fence(connection, job.id, job.fence)
    database.serialise(connection, LEDGER_LOCK)
    now = database.now(connection)
    lose_open_turns(connection, job.id, job.fence, now)
    found = connection.execute(
        sa.select(turns.c.reserved).where(
            turns.c.job == job.id, turns.c.number == wish.number, turns.c.fence == job.fence
        )
    ).scalar_one_or_none()
    if found is not None:
        return Grant(dollars=found)
    grant = _grant(connection, job, wish, now)
    if grant.granted:
        connection.execute(
            sa.insert(turns).values(
                job=job.id,
                number=wish.number,
                fence=job.fence,
                account=job.account,
                repository=job.repository,
                state=RESERVED,
                reserved=grant.dollars,
                started_at=now,
                outcome={},
            )
        )
        connection.execute(
            sa.update(jobs)
            .where(jobs.c.id == job.id)
            .values(progress_at=now, turn_seconds=wish.seconds)
        )
    return grant


def _grant(connection: Connection, job: Job, wish: TurnWish, now: float) -> Grant:
    dollars = wish.dollars
    if wish.job_budget > 0:
        left = wish.job_budget - committed_dollars(connection, turns.c.job == job.id)
        if left < LEAST_DOLLARS:
            return Grant(used_up=f"the job's budget of ${wish.job_budget:.2f} is used up")
        dollars = min(dollars, left)
    for scope in scopes_of(job.account, job.repository):
        row = connection.execute(sa.select(limits).where(limits.c.scope == scope)).one_or_none()
        if row is None:
            continue
        if row.blocked_until > now:
            return Grant(waits_for=f"{scope}: {row.blocked_why}", not_before=row.blocked_until)
        if row.budget > 0:
            left = row.budget - used_dollars(connection, scope)
            if left < LEAST_DOLLARS:
                return Grant(used_up=f"the budget of {scope} (${row.budget:.2f}) is used up")
            dollars = min(dollars, left)
        if row.turns > 0 and (opens := _rate_opens_at(connection, row, now)):
            return Grant(
                waits_for=f"{scope}: {row.turns} turns in {row.period:g} s", not_before=opens
            )
    return Grant(dollars=dollars)


def in_scope(table: sa.Table, scope: str) -> sa.ColumnElement[bool]:
    """The rows of jobs or turns that count against this scope."""
    kind, _, name = scope.partition(":")
    return sa.true() if scope == FLEET_SCOPE else table.c[kind] == name


def _rate_opens_at(connection: Connection, row: Any, now: float) -> float:
    """When the window has room for another turn; 0.0 when it has room now."""
    query = (
        sa.select(turns.c.started_at)
        .where(in_scope(turns, row.scope), turns.c.started_at > now - row.period)
        .order_by(turns.c.started_at.desc())
        .limit(row.turns)
    )
    started = list(connection.execute(query).scalars())
    if len(started) < row.turns:
        return 0.0
    return float(started[-1] + row.period)


def committed_dollars(connection: Connection, condition: sa.ColumnElement[bool]) -> float:
    """What is spent, and what is set aside for turns that work now."""
    amount = sa.case((turns.c.state == RESERVED, turns.c.reserved), else_=turns.c.spent)
    query = sa.select(sa.func.coalesce(sa.func.sum(amount), 0.0)).where(condition)
    return float(connection.execute(query).scalar_one())


def used_dollars(connection: Connection, scope: str) -> float:
    """What is spent and set aside in this scope, removed jobs included."""
    return committed_dollars(connection, in_scope(turns, scope)) + past_dollars(connection, scope)


def past_dollars(connection: Connection, scope: str) -> float:
    """What jobs of this scope have spent that are removed by now."""
    query = sa.select(past.c.spent).where(past.c.scope == scope)
    return float(connection.execute(query).scalar_one_or_none() or 0.0)


def note_known_dollars(connection: Connection, job: Job, number: int, dollars: float) -> None:
    """What the turn that works now has cost so far, in case that it is cut off.

    A worker that was frozen learns it late: then the turn is lost already, and its cost is more.
    """
    row = sa.and_(turns.c.job == job.id, turns.c.number == number, turns.c.fence == job.fence)
    connection.execute(sa.update(turns).where(row, turns.c.state == RESERVED).values(known=dollars))
    connection.execute(
        sa.update(turns)
        .where(row, turns.c.state == LOST, turns.c.spent < dollars)
        .values(known=dollars, spent=dollars)
    )


def settle_turn(connection: Connection, database: Database, job: Job, result: TurnResult) -> None:
    """Record the turn, its cost, its checkpoint and the state of the loop: all of it, or none."""
    check_fence(connection, job.id, job.fence)
    now = database.now(connection)
    settled = connection.execute(
        sa.update(turns)
        .where(turns.c.job == job.id, turns.c.number == result.number, turns.c.fence == job.fence)
        .where(turns.c.state == RESERVED)
        .values(state=SETTLED, spent=result.spent, ended_at=now, outcome=dict(result.outcome))
    )
    if settled.rowcount == 0:
        return  # the commit of an earlier attempt was lost on its way to us
    save_checkpoint(connection, job.id, result.number, result.checkpoint, now)
    connection.execute(
        sa.update(jobs)
        .where(jobs.c.id == job.id)
        .values(
            turns=result.number, failures=0, progress_at=now, changed_at=now, **result.loop_facts
        )
    )


def save_checkpoint(
    connection: Connection, job_id: str, number: int, checkpoint: Checkpoint, now: float
) -> None:
    connection.execute(sa.delete(checkpoints).where(checkpoints.c.job == job_id))
    connection.execute(
        sa.insert(checkpoints).values(
            job=job_id,
            turn=number,
            bundle=checkpoint.bundle,
            folder=checkpoint.folder,
            holdouts=checkpoint.holdouts,
            written_at=now,
        )
    )
    connection.execute(
        sa.update(orders).where(orders.c.job == job_id, orders.c.done_at > 0.0).values(kept=True)
    )


def lose_open_turns(connection: Connection, job_id: str, fence: int, now: float) -> None:
    """Close the reservations of earlier holders: what is known of them was spent."""
    connection.execute(
        sa.update(turns)
        .where(turns.c.job == job_id, turns.c.fence < fence, turns.c.state == RESERVED)
        .values(state=LOST, spent=turns.c.known, ended_at=now)
    )


def set_limit(connection: Connection, scope: str, **values: object) -> None:
    """Set these columns of a scope and leave its other limits as they are."""
    known = connection.execute(sa.select(limits.c.scope).where(limits.c.scope == scope)).first()
    if known is None:
        connection.execute(sa.insert(limits).values(scope=scope))
    if values:
        connection.execute(sa.update(limits).where(limits.c.scope == scope).values(**values))


def block_account(connection: Connection, account: str, until: float, why: str) -> None:
    """Start no turn of this account before then: it has reached a usage limit."""
    set_limit(connection, account_scope(account), blocked_until=until, blocked_why=why)


def settled_outcome(connection: Connection, job_id: str, number: int) -> dict[str, Any] | None:
    """What this turn came to, if any worker has settled it; None if nobody has."""
    query = sa.select(turns.c.outcome).where(
        turns.c.job == job_id, turns.c.number == number, turns.c.state == SETTLED
    )
    found = connection.execute(query).scalar_one_or_none()
    return None if found is None else dict(found)
