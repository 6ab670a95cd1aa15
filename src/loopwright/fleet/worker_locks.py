"""The lock of a worker: it is held as long as its process lives."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from ..disk.lock import FileLock, FolderBusy
from .database import FIRST_WORKER_LOCK, LOCK_SPACE, Database


class WorkerLock(Protocol):
    """The lock of one worker."""

    def take(self) -> bool: ...

    def is_held(self) -> bool: ...

    def release(self) -> None: ...


class SessionLock:
    """An advisory lock of a Postgres session: it ends with the connection."""

    def __init__(self, database: Database, number: int) -> None:
        self._database, self._number = database, number
        self._connection: Connection | None = None

    def take(self) -> bool:
        connection = self._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        if not self._ask(connection, "pg_try_advisory_lock"):
            connection.close()
            return False
        self._connection = connection
        return True

    def is_held(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute(sa.text("select 1"))
        except DBAPIError:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Unlock at once, then close the connection itself: in the pool it could be found locked.

        The server notices a closed connection only some time later.
        """
        if self._connection is not None:
            with suppress(DBAPIError):
                self._ask(self._connection, "pg_advisory_unlock")
            with suppress(DBAPIError):
                self._connection.invalidate()
                self._connection.close()
            self._connection = None

    def _ask(self, connection: Connection, function: str) -> bool:
        query = sa.text(f"select {function}(:space, :number)")
        values = {"space": LOCK_SPACE, "number": self._number}
        return bool(connection.execute(query, values).scalar_one())


class FlockLock:
    """A lock on a file beside the SQLite database: it ends with the process."""

    def __init__(self, database: Database, number: int) -> None:
        folder = f"{database.url.database}.workers"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._lock = FileLock(os.path.join(folder, f"{number}.lock"), 0.0)
        self._held = False

    def take(self) -> bool:
        try:
            self._lock.__enter__()
        except FolderBusy:
            return False
        self._held = True
        return True

    def is_held(self) -> bool:
        return self._held

    def release(self) -> None:
        if self._held:
            self._lock.release()
            self._held = False


def worker_lock(database: Database, number: int) -> WorkerLock:
    return FlockLock(database, number) if database.is_sqlite else SessionLock(database, number)


def new_lock_number() -> int:
    return FIRST_WORKER_LOCK + secrets.randbelow(2**31 - FIRST_WORKER_LOCK)
