"""The user's fleet settings: where the database is, and where results are pushed.

This module imports no database, so that a command can explain what is missing.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from ..core.json_text import dumps
from ..disk.files import make_folder, write_atomic
from ..disk.user_folders import state_home
from ..drive.errors import UserError
from ..store.config import config_home, read_toml

DATABASE_VARIABLE = "LOOP_FLEET_DATABASE"
NAMES = ("database", "results")
# scheme://USER:PASSWORD@HOST
PASSWORD = re.compile(r"^([\w+.-]+://[^/@:]*):([^/@]*)@")


@dataclass(frozen=True)
class FleetSettings:
    """What the settings file says; "" where it says nothing."""

    database: str = ""
    results: str = ""


def settings_path() -> str:
    return os.path.join(config_home(), "loop", "fleet.toml")


def read_settings() -> FleetSettings:
    """The settings of the user; a mistake in the file is an error that names it."""
    path = settings_path()
    table = read_toml(path)
    for name, value in table.items():
        if name not in NAMES:
            raise UserError(f"{path}: no setting {name!r}; known: {', '.join(NAMES)}")
        if not isinstance(value, str):
            raise UserError(f"{path}: {name} takes a text, not {str(value)[:40]!r}")
    settings = FleetSettings(**table)
    if has_password(settings.database) and _is_readable_by_others(path):
        raise UserError(
            f"{path} holds a password, and other users can read it. Make it yours: chmod 600 {path}"
        )
    return settings


def write_settings(settings: FleetSettings) -> str:
    """Keep the settings in a file that only the user can read; its path."""
    path = settings_path()
    values = {name: getattr(settings, name) for name in NAMES}
    text = "".join(f"{name} = {dumps(value)}\n" for name, value in values.items() if value)
    make_folder(os.path.dirname(path))
    write_atomic(path, text.encode())
    return path


def default_database() -> str:
    """A SQLite file: enough for all workers of one machine."""
    return os.path.join(state_home(), "fleet", "fleet.db")


def database_address(typed: str) -> str:
    """The address that was typed, else that of the variable, of the settings, or the default."""
    named = typed or os.environ.get(DATABASE_VARIABLE, "")
    return named or read_settings().database or default_database()


def hide_address() -> dict[str, str]:
    """Take the address out of our variables: agents and checks must not find it. What was there."""
    address = os.environ.pop(DATABASE_VARIABLE, "")
    return {DATABASE_VARIABLE: address} if address else {}


def restore_variables(variables: Mapping[str, str]) -> None:
    """Put back what `hide_address` took, for a process that takes our place."""
    os.environ.update(variables)


def is_fleet_set_up() -> bool:
    """Has the user named a database, or used the default one?"""
    is_named = bool(os.environ.get(DATABASE_VARIABLE)) or os.path.exists(settings_path())
    return is_named or os.path.exists(default_database())


def has_password(address: str) -> bool:
    return PASSWORD.match(address) is not None


def _is_readable_by_others(path: str) -> bool:
    if os.name == "nt":  # its files have no such mode
        return False
    return bool(stat.S_IMODE(os.stat(path).st_mode) & 0o077)
