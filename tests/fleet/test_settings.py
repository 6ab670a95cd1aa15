"""Where the database is: typed, in a variable, in the user's settings, or the default."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopwright.drive.errors import UserError
from loopwright.fleet.settings import (
    FleetSettings,
    database_address,
    default_database,
    has_password,
    hide_address,
    read_settings,
    restore_variables,
    settings_path,
    write_settings,
)
from loopwright.store.config import ConfigError

WITH_PASSWORD = "postgresql://loop:secret@db.example.org/fleet"


def test_without_settings_it_is_a_file_in_the_state_folder() -> None:
    assert database_address("") == default_database()
    assert default_database().endswith("/loopwright/fleet/fleet.db")


def test_what_is_typed_wins_over_the_variable_and_that_over_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_settings(FleetSettings(database="/in/settings.db"))
    assert database_address("") == "/in/settings.db"
    monkeypatch.setenv("LOOP_FLEET_DATABASE", "/in/variable.db")
    assert database_address("") == "/in/variable.db"
    assert database_address("/typed.db") == "/typed.db"


def test_a_worker_hides_the_address_from_its_agents_and_restores_it_for_its_successor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert hide_address() == {}
    monkeypatch.setenv("LOOP_FLEET_DATABASE", WITH_PASSWORD)
    hidden = hide_address()
    assert "LOOP_FLEET_DATABASE" not in os.environ
    restore_variables(hidden)
    assert os.environ["LOOP_FLEET_DATABASE"] == WITH_PASSWORD


def test_the_settings_are_for_the_user_alone_and_read_back() -> None:
    path = write_settings(FleetSettings(WITH_PASSWORD, "git@host:results.git"))
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert read_settings() == FleetSettings(WITH_PASSWORD, "git@host:results.git")


def test_a_password_that_others_can_read_is_refused() -> None:
    path = write_settings(FleetSettings(WITH_PASSWORD))
    os.chmod(path, 0o640)
    with pytest.raises(UserError, match="chmod 600") as error:
        read_settings()
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            'databse = "x"', "no setting 'databse'; known: database, results", id="a wrong name"
        ),
        pytest.param("database = 5", "database takes a text", id="a number"),
        pytest.param("database = ", "fleet.toml", id="no TOML"),
    ],
)
def test_a_mistake_in_the_file_is_named(text: str, message: str) -> None:
    path = Path(settings_path())
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises((UserError, ConfigError), match=message):
        read_settings()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (WITH_PASSWORD, True),
        ("postgresql://loop@db/fleet", False),
        ("git@host:path", False),
        ("/a:b@c", False),
        ("https://user:token@host/x.git", True),
    ],
)
def test_has_password(address: str, expected: bool) -> None:
    assert has_password(address) is expected
