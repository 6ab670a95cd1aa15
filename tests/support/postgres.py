"""A real Postgres of our own: Debian's programs, a new data folder, a unix socket, fsync on.

It refuses to run as root, so root starts it as the user `postgres`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
OWNER = "postgres"
END_CONNECTIONS = """select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and backend_type = 'client backend'"""
OUR_SCHEMAS = r"""select nspname from pg_namespace
    where nspname not like 'pg\_%' and nspname <> 'information_schema'"""


class Postgres:
    """One server. Its processes can be killed and started again."""

    def __init__(self, folder: Path, listen: str = "") -> None:
        self.folder, self._listen = folder, listen
        self.data = folder / "data"

    def address(self, name: str = "postgres") -> str:
        return f"postgresql://{OWNER}@/{name}?host={self.folder}"

    def network_address(self, host: str, port: int = 5432) -> str:
        return f"postgresql://{OWNER}@{host}:{port}/postgres"

    def empty_database(self) -> str:
        """The address of the server's one database, without anything that was in it.

        A database for each test would have thousands of files, and a server that was killed
        looks at all of them when it starts again.
        """
        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(END_CONNECTIONS)
            for (schema,) in connection.execute(OUR_SCHEMAS).fetchall():
                connection.execute(sql.SQL("drop schema {} cascade").format(sql.Identifier(schema)))
            connection.execute("create schema public")
        return self.address()

    def create_database(self, name: str) -> str:
        """The address of one more database."""
        self._run("createdb", "-h", str(self.folder), "-U", OWNER, name)
        return self.address(name)

    def create(self) -> None:
        options = ["--auth=trust", f"--username={OWNER}", "--encoding=UTF8", "--no-instructions"]
        self._run("initdb", "-D", str(self.data), *options)
        settings = [
            f"unix_socket_directories = '{self.folder}'",
            f"listen_addresses = '{self._listen}'",
            "fsync = on",
            "max_connections = 200",
            "shared_buffers = 32MB",
            "restart_after_crash = on",
        ]
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("\n".join(settings) + "\n")
        if self._listen:
            with (self.data / "pg_hba.conf").open("a") as file:
                file.write("host all all 0.0.0.0/0 trust\n")

    def start(self) -> None:
        log = str(self.folder / "log")
        self._run("pg_ctl", "start", "-w", "-t", "30", "-D", str(self.data), "-l", log)

    def kill(self) -> None:
        """SIGKILL the postmaster, as a power cut would end it; its children follow."""
        os.kill(self.pid, signal.SIGKILL)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def restart_after_kill(self) -> None:
        """Start it again; the shared memory of the killed one may be in use for a moment."""
        for _ in range(50):
            try:
                return self.start()
            except subprocess.CalledProcessError:
                if self.is_running():  # it was slow, so that pg_ctl gave up on it
                    return None
                time.sleep(0.1)
        raise AssertionError(f"Postgres does not start: {(self.folder / 'log').read_text()}")

    def is_running(self) -> bool:
        """Does a server of this data folder answer?"""
        return self._run("pg_isready", "-h", str(self.folder), check=False) == 0

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-m", "immediate", "-w", "-D", str(self.data), check=False)

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def _run(self, program: str, *words: str, check: bool = True) -> int:
        argv = [str(PROGRAMS[0] / program), *words]
        if os.geteuid() == 0:
            argv = ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--init-groups", *argv]
        done = subprocess.run(
            argv,
            check=check,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return done.returncode


@contextmanager
def running_postgres(listen: str = "") -> Iterator[Postgres]:
    # Not below a test's folder: a socket's path has at most 107 characters, and the owner must
    # be able to reach it.
    folder = Path(tempfile.mkdtemp(prefix="fleet-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, OWNER, OWNER)
    server = Postgres(folder, listen)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
