"""The database that a command of `loop fleet` works with."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from ...fleet.database import Database, Unreachable, is_connection_error, open_database
from ...fleet.settings import database_address


@contextmanager
def opened_database(args: argparse.Namespace) -> Iterator[Database]:
    """The database of this command, closed afterwards; an explanation when it stops answering."""
    database = open_database(database_address(args.database))
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
