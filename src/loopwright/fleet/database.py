"""The database of a fleet: a SQLite file on one host, or Postgres for several.

Both are used in the same way: short transactions that write are serialised where it matters, and
the only clock is that of the database.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError

from ..drive.errors import UserError
from .tables import FORMAT, METADATA, versions

T = TypeVar("T")
SQLITE_NOW = "(julianday('now') - 2440587.5) * 86400.0"
POSTGRES_NOW = "extract(epoch from clock_timestamp())"
# The first number of our advisory locks in Postgres; the second says what is locked.
LOCK_SPACE = 0x4C57  # "LW"
TABLES_LOCK, PLACEMENT_LOCK, LEDGER_LOCK, FIRST_WORKER_LOCK = 1, 2, 3, 1000
RETRY_SECONDS = 0.2  # between two attempts to reach a database that does not answer
CONNECT_SECONDS = 5
# The server notices a machine that is gone within seconds too, and ends what it left open: the
# lock of a transaction that was cut off must not hold up the others.
SESSION_SETTINGS = (
    "tcp_keepalives_idle=2",
    "tcp_keepalives_interval=1",
    "tcp_keepalives_count=3",
    "tcp_user_timeout=5000",
    "idle_in_transaction_session_timeout=5000",
    "lock_timeout=30000",
)


class Unreachable(UserError):
    """The database does not answer."""


class Database:
    """One fleet database. Threads share it; each transaction has its own connection."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url) if self.is_sqlite else _postgres_engine(url)

    @property
    def shown_address(self) -> str:
        """The address without its password."""
        backend = self.url.get_backend_name()
        return self.url.set(drivername=backend).render_as_string(hide_password=True)

    @property
    def engine_address(self) -> str:
        """The address for the engine (DBOS), which opens connections of its own."""
        return self.url.render_as_string(hide_password=False)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes."""
        with self.engine.connect() as connection:
            connection = connection.execution_options(fleet_writes=True)
            with connection.begin():
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    def now(self, connection: Connection) -> float:
        text = SQLITE_NOW if self.is_sqlite else POSTGRES_NOW
        return float(connection.execute(sa.text(f"select {text}")).scalar_one())

    def serialise(self, connection: Connection, number: int) -> None:
        """Let one transaction at a time pass here. On SQLite every writer is alone already."""
        if not self.is_sqlite:
            connection.execute(
                sa.text("select pg_advisory_xact_lock(:space, :number)"),
                {"space": LOCK_SPACE, "number": number},
            )

    def write(self, change: Callable[[Connection], T], keep_trying: Callable[[], bool]) -> T:
        """Run the change in a transaction, again and again while the database does not answer.

        A transaction whose commit was lost may have taken effect, so `change` must be safe to
        repeat. Once `keep_trying` says no, the error is raised.
        """
        while True:
            try:
                with self.writing() as connection:
                    return change(connection)
            except DBAPIError as error:
                if not is_connection_error(error) or not keep_trying():
                    raise
                time.sleep(RETRY_SECONDS)

    def close(self) -> None:
        self.engine.dispose()


def is_connection_error(error: DBAPIError) -> bool:
    """Did the database not answer, rather than refuse what we asked?"""
    if error.connection_invalidated or isinstance(error, InterfaceError):
        return True
    return isinstance(error, OperationalError)


def open_database(address: str) -> Database:
    """The database at this address, with its tables; an error that says the way out otherwise."""
    database = Database(parse_address(address))
    try:
        _create_tables(database)
    except DBAPIError as error:
        if database.is_sqlite and not is_connection_error(error):
            raise UserError(
                f"{database.url.database} is no database of a fleet: {_first_line(error)}. Name "
                "another file, or move it away to begin anew: --database FILE"
            ) from error
        raise Unreachable(
            f"the fleet's database does not answer ({database.shown_address}): "
            f"{_first_line(error)}. Is it running, and is the address right? See: loop fleet doctor"
        ) from error
    return database


def wait_for_database(address: str, say: Callable[[str], None]) -> Database:
    """The same for a worker, which waits for a database that does not answer yet."""
    said = False
    while True:
        try:
            return open_database(address)
        except Unreachable as error:
            if not said:
                say(f"Waiting: {error}")
                said = True
            time.sleep(1.0)


def parse_address(address: str) -> URL:
    """A path, or `sqlite:///PATH`, or `postgresql://USER@HOST/NAME`."""
    if "://" not in address:
        return URL.create("sqlite", database=os.path.abspath(os.path.expanduser(address)))
    try:
        url = make_url(address)
    except ArgumentError as error:
        raise UserError(f"no address of a database: {address!r}. {ADDRESS_FORMS}") from error
    backend = url.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and url.database and url.database != ":memory:":
        return url.set(drivername="sqlite", database=os.path.abspath(url.database))
    raise UserError(f"a fleet cannot use {address!r}. {ADDRESS_FORMS}")


ADDRESS_FORMS = "Give the path of a SQLite file, or postgresql://USER@HOST/NAME"


def _sqlite_engine(url: URL) -> sa.Engine:
    assert url.database
    try:
        os.makedirs(os.path.dirname(url.database), mode=0o700, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"the folder of the fleet's database cannot be made: {error}. Name another file: "
            "loop fleet init --database FILE"
        ) from error
    if os.path.isdir(url.database):
        raise UserError(f"{url.database} is a folder. Name a file in it: --database FILE")
    engine = sa.create_engine(url)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we begin transactions ourselves, below
        connection.execute("pragma busy_timeout = 30000")
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")  # what was settled survives a power cut
        connection.execute("pragma foreign_keys = on")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("fleet_writes")
        connection.exec_driver_sql("begin immediate" if writes else "begin")

    return engine


def _postgres_engine(url: URL) -> sa.Engine:
    return sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_size=4,
        max_overflow=8,
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            # A partition is noticed within seconds, by both sides.
            "keepalives_idle": 2,
            "keepalives_interval": 1,
            "keepalives_count": 3,
            "tcp_user_timeout": 5000,
            "options": " ".join(f"-c {setting}" for setting in SESSION_SETTINGS),
        },
    )


def _create_tables(database: Database) -> None:
    with database.writing() as connection:
        database.serialise(connection, TABLES_LOCK)
        METADATA.create_all(connection)
        found = connection.execute(sa.select(versions.c.number)).scalar_one_or_none()
        if found is None:
            connection.execute(sa.insert(versions).values(number=FORMAT))
        elif found != FORMAT:
            raise UserError(
                f"{database.shown_address} has the tables of another release of Loopwright "
                f"(format {found}; this one uses {FORMAT}). Use the same release on every machine, "
                "or another database: loop fleet init --database ADDRESS"
            )


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no reason given"
