"""`loop fleet init`: keep the address of the database and create its tables."""

from __future__ import annotations

import argparse

from ...drive.orders.loop_orders import parse_amount
from ...fleet.ledger import set_limit
from ...fleet.placement import FLEET_SCOPE
from ...fleet.settings import FleetSettings, database_address, read_settings, write_settings
from ...fleet.sources import full_address
from .. import exits, output
from .connection import opened_database


def run(args: argparse.Namespace) -> int:
    before = read_settings()
    results = full_address(args.results, "--results") if args.results else before.results
    budget = parse_amount("--budget", args.budget) if args.budget else 0.0
    address = database_address(args.database)
    with opened_database(args) as database:  # a wrong address is not kept
        if database.is_sqlite:
            address = str(database.url.database)  # the same from every folder
        path = write_settings(FleetSettings(database=address, results=results))
        if budget:
            with database.writing() as connection:
                set_limit(connection, FLEET_SCOPE, budget=budget)
    if args.json:
        output.show_json(
            {
                "settings": path,
                "database": database.shown_address,
                "results": results,
                "several_machines": not database.is_sqlite,
            }
        )
        return exits.PROVEN
    output.show_text(f"Database: {database.shown_address}. Settings: {path}")
    output.show_text("On this machine: loop fleet worker")
    if database.is_sqlite:
        output.show_text(
            "For other machines use Postgres: loop fleet init --database "
            "postgresql://USER@HOST/NAME"
        )
    else:
        output.show_text(
            f"On another machine: LOOP_FLEET_DATABASE='{database.shown_address}' loop fleet worker"
            + (" (with the password)" if "***" in database.shown_address else "")
        )
    return exits.PROVEN
