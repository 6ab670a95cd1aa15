"""Held-out checks: commands and output lie in the user's state folder, out of the agent's sight.

The loop itself holds only the name of each check and a digest of its command.
"""

from __future__ import annotations

import os
import shutil

from ..core.criteria import Check, Criterion
from ..core.json_text import dumps, json_object
from ..core.record import digest
from ..disk.files import make_folder, sync_folder, write_atomic
from ..disk.user_folders import state_home

Command = str | tuple[str, ...]


def holdout_criterion(
    name: str, command: Command, timeout: int, origin: str = "holdout"
) -> Criterion:
    """The criterion as the loop holds it, with a digest in place of the command."""
    return Criterion(name, Check(_command_digest(command), timeout, origin=origin))


def _command_digest(command: Command) -> str:
    return f"(held out: {digest(dumps(command).encode('utf-8', 'surrogatepass'))})"


def holdout_folder(loop_id: str) -> str:
    return os.path.join(state_home(), "holdouts", loop_id)


def save_commands(loop_id: str, commands: dict[str, Command]) -> None:
    """Add these commands to those that are kept already."""
    folder = holdout_folder(loop_id)
    make_folder(folder)
    commands = {**_load_commands(loop_id), **commands}
    data = dumps(commands).encode("utf-8", "surrogatepass")
    write_atomic(os.path.join(folder, "commands.json"), data)
    sync_folder(folder)


def load_check(loop_id: str, held: Criterion) -> Check | None:
    """The check with its command; None if it is missing or differs from the digest in the loop."""
    command = _load_commands(loop_id).get(held.name)
    if command is None:
        return None
    command = tuple(command) if isinstance(command, list) else command
    assert held.check is not None
    if _command_digest(command) != held.check.command:
        return None
    return held.check.but(command=command)


def _load_commands(loop_id: str) -> dict[str, Command]:
    try:
        with open(os.path.join(holdout_folder(loop_id), "commands.json"), "rb") as file:
            return json_object(file.read().decode("utf-8", "surrogatepass")) or {}
    except OSError:
        return {}


def delete_holdouts(loop_id: str) -> None:
    shutil.rmtree(holdout_folder(loop_id), ignore_errors=True)
