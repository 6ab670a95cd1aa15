"""Limits of the fleet, of an account or of a repository: set them, and see what is used."""

from __future__ import annotations

import re
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from ..drive.errors import WrongValue
from .database import Database
from .jobs import require_storable
from .ledger import in_scope, used_dollars
from .placement import FLEET_SCOPE
from .tables import RUNNING, jobs, limits, turns

PERIOD = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
UNIT_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
MAX_SECONDS = 10 * 365 * 86_400.0
MAX_COUNT = 1_000_000
SCOPE_FORMS = "fleet, account:NAME or repository:NAME"


@dataclass(frozen=True)
class Limit:
    """The limits of one scope; 0 where there is none. `used_…` is what counts against them now."""

    scope: str
    at_once: int
    turns: int
    period: float
    budget: float
    blocked_until: float  # 0.0: not blocked
    blocked_why: str
    used_at_once: int
    used_turns: int
    used_dollars: float


def parse_scope(text: str) -> str:
    require_storable(text, "the name")
    kind, _, name = text.partition(":")
    if text == FLEET_SCOPE or (kind in ("account", "repository") and name):
        return text
    raise WrongValue(f"a limit is for {SCOPE_FORMS}, not {text!r}")


def parse_duration(text: str, option: str) -> float:
    """Seconds of 90, 90s, 10m, 1h or 7d."""
    match = PERIOD.fullmatch(text.strip())
    seconds = float(match[1]) * UNIT_SECONDS[match[2]] if match else 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise WrongValue(f"{option} takes a time such as 30s, 10m, 1h or 7d, not {text!r}")
    return seconds


def parse_rate(text: str) -> tuple[int, float]:
    """How many turns in how many seconds, of a text such as 30/1h."""
    count, slash, period = text.partition("/")
    if not slash:
        raise WrongValue(f"--turns takes N/PERIOD such as 30/1h, not {text!r}")
    number = parse_count(count.strip(), "--turns")
    return (number, parse_duration(period, "--turns")) if number else (0, 0.0)


def parse_count(text: str, option: str) -> int:
    """A whole number; 0 means that there is no limit."""
    if not text.isdecimal() or len(text) > len(str(MAX_COUNT)) or int(text) > MAX_COUNT:
        raise WrongValue(
            f"{option} takes a whole number up to {MAX_COUNT:,}, 0 for no limit, not {text[:40]!r}"
        )
    return int(text)


def clear_limit(connection: Connection, scope: str) -> bool:
    """Remove all limits of a scope, and the wait for a usage limit; was there anything?"""
    return connection.execute(sa.delete(limits).where(limits.c.scope == scope)).rowcount > 0


def read_limits(connection: Connection, database: Database) -> list[Limit]:
    """Every scope with a limit: the fleet first, then by name."""
    now = database.now(connection)
    rows = connection.execute(sa.select(limits)).mappings().all()
    found = [
        Limit(
            scope=row["scope"],
            at_once=row["at_once"],
            turns=row["turns"],
            period=row["period"],
            budget=row["budget"],
            blocked_until=row["blocked_until"] if row["blocked_until"] > now else 0.0,
            blocked_why=row["blocked_why"] if row["blocked_until"] > now else "",
            used_at_once=_count(connection, jobs, row["scope"], jobs.c.state == RUNNING),
            used_turns=_count(
                connection, turns, row["scope"], turns.c.started_at > now - row["period"]
            ),
            used_dollars=used_dollars(connection, row["scope"]),
        )
        for row in rows
    ]
    return sorted(found, key=lambda limit: (limit.scope != FLEET_SCOPE, limit.scope))


def known_names(connection: Connection, kind: str) -> list[str]:
    """The accounts or repositories that jobs have."""
    column = jobs.c.account if kind == "account" else jobs.c.repository
    return sorted(connection.execute(sa.select(column).distinct().limit(100)).scalars())


def _count(
    connection: Connection, table: sa.Table, scope: str, condition: sa.ColumnElement[bool]
) -> int:
    query = sa.select(sa.func.count()).where(condition, in_scope(table, scope))
    return int(connection.execute(query).scalar_one())
