"""`loop fleet limit`: list the limits, or set those of the fleet, an account or a repository."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from ...drive.errors import UserError
from ...drive.orders.loop_orders import parse_amount
from ...fleet.database import Database
from ...fleet.ledger import set_limit
from ...fleet.limits import (
    clear_limit,
    known_names,
    parse_count,
    parse_rate,
    parse_scope,
    read_limits,
)
from ...fleet.placement import FLEET_SCOPE
from .. import exits, output
from .board_text import limit_lines
from .connection import opened_database


def run(args: argparse.Namespace) -> int:
    changes = read_changes(args)
    scope = parse_scope(args.scope) if args.scope else ""
    if not scope and (changes or args.clear):
        raise UserError("a limit for what? Name it first: loop fleet limit fleet --budget 100")
    if args.clear and changes:
        raise UserError("--clear removes all limits of it; leave the other options out")
    with opened_database(args) as database:
        if changes or args.clear:
            change_limits(database, scope, changes, args.clear)
        show_limits(database, scope, args.json)
    return exits.PROVEN


def read_changes(args: argparse.Namespace) -> dict[str, float]:
    changes: dict[str, float] = {}
    if args.at_once is not None:
        changes["at_once"] = parse_count(args.at_once, "--at-once")
    if args.turns is not None:
        changes["turns"], changes["period"] = parse_rate(args.turns)
    if args.budget is not None:
        is_none = args.budget.strip() in ("0", "0.0")
        changes["budget"] = 0.0 if is_none else parse_amount("--budget", args.budget)
    return changes


def change_limits(database: Database, scope: str, changes: dict[str, float], clear: bool) -> None:
    kind, _, name = scope.partition(":")
    with database.writing() as connection:
        if clear and not clear_limit(connection, scope):
            raise UserError(f"{scope} has no limit. List them: loop fleet limit")
        if not clear:
            set_limit(connection, scope, **changes)
        names = known_names(connection, kind) if scope != FLEET_SCOPE else []
    if names and name not in names and not clear:
        output.show_warning(f"loop: no job has the {kind} {name} yet. Known: {', '.join(names)}")


def show_limits(database: Database, scope: str, as_json: bool) -> None:
    with database.reading() as connection:
        now = database.now(connection)
        found = [
            limit
            for limit in read_limits(connection, database)
            if not scope or limit.scope == scope
        ]
    if as_json:
        output.show_json([asdict(limit) for limit in found])
    elif found:
        output.show_text("\n".join(limit_lines(found, now)))
    else:
        output.show_text(
            f"{scope or 'The fleet'} has no limit. Set one: "
            f"loop fleet limit {scope or 'fleet'} --budget 100 --at-once 8 --turns 60/1h"
        )
