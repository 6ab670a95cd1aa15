"""The database that a command of `loop fleet` works with."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from ...drive.errors import UserError
from ...fleet.database import (
    Database,
    Unreachable,
    is_connection_error,
    open_database,
    parse_address,
)
from ...fleet.settings import database_address

# A typing mistake in --database must not create an empty fleet that they then show.
ORDERS = ("answer", "steer", "pause", "cancel", "retry", "rule")
LOOKING_ACTIONS = ("status", "logs", "results", *ORDERS)


@contextmanager
def opened_database(args: argparse.Namespace) -> Iterator[Database]:
    """The database of this command, closed afterwards; an explanation when it stops answering."""
    address = database_address(args.database)
    if args.action in LOOKING_ACTIONS and args.database:
        refuse_missing_file(address)
    database = open_database(address)
    try:
        yield database
    except DBAPIError as error:
        if not is_connection_error(error):
            raise
        raise Unreachable(
            f"the fleet's database stopped answering ({database.shown_address}). "
            "Try again; see: loop fleet doctor"
        ) from error
    finally:
        database.close()


def refuse_missing_file(address: str) -> None:
    url = parse_address(address)
    if url.get_backend_name() == "sqlite" and not os.path.exists(url.database or ""):
        raise UserError(
            f"there is no fleet at {url.database}. Name another: --database ADDRESS. "
            f"Create one there: loop fleet init --database {shlex.quote(address)}"
        )
