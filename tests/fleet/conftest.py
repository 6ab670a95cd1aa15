"""A real database for each test: a SQLite file, then Postgres."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from loopwright.fleet import dashboard
from loopwright.fleet.dashboard import FleetLoops
from loopwright.fleet.database import Database, open_database
from tests.fleet.night import FleetNight
from tests.support.postgres import PROGRAMS, Postgres, running_postgres


def say_absent(why: str) -> NoReturn:
    if os.environ.get("LOOP_NEEDS_CLIENT"):
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    if not PROGRAMS:
        say_absent("Postgres is not installed: apt install postgresql")
    with running_postgres() as server:
        yield server


# They show what others have read from the database: at each commit one kind is enough.
OF_VIEWS = ("test_dashboard", "test_serve_fleet", "test_watch_fleet")
BOTH = ("sqlite", "postgres")
ONE = ("sqlite", pytest.param("postgres", marks=pytest.mark.long))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that says nothing about its database runs on both kinds."""
    said = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "address" in metafunc.fixturenames and not any("address" in names for names in said):
        is_view = metafunc.module.__name__.rpartition(".")[2] in OF_VIEWS
        metafunc.parametrize("address", ONE if is_view else BOTH, indirect=True)


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "fleet.db")
    server: Postgres = request.getfixturevalue("postgres")
    return server.empty_database()


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    opened = open_database(address)
    yield opened
    opened.close()


@pytest.fixture
def fleet(
    address: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FleetLoops]:
    """The jobs as a dashboard reads them; it does not wait long for anything."""
    monkeypatch.setattr(dashboard, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(dashboard, "REPLY_SECONDS", 0.3)
    loops = FleetLoops(address).start()
    yield loops
    loops.close()


@pytest.fixture
def night(address: str, tmp_path: Path) -> Iterator[FleetNight]:
    """On both databases. What differs between them is short, so most tests need one of them."""
    begun = FleetNight(address, tmp_path)
    yield begun
    begun.close()
