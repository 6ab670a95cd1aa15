"""Held-out checks: what they run and print lies in the user's state folder. The loop has no more than name and digest."""

from __future__ import annotations

import os
import shutil

from ..core.criteria import Check, Criterion
from ..core.json_text import JSONError, dumps, loads
from ..core.record import digest
from ..disk.files import make_folder, sync_folder, write_atomic
from .folder import state_home

Command = str | tuple[str, ...]


def holdout_criterion(name: str, command: Command, timeout: int) -> Criterion:
    """What the loop is told of it."""
    return Criterion(name, Check(_command_digest(command), timeout, origin="holdout"))


def _command_digest(command: Command) -> str:
    return f"(held out: {digest(dumps(command).encode('utf-8', 'surrogatepass'))})"


def holdout_folder(loop_id: str) -> str:
    return os.path.join(state_home(), "holdouts", loop_id)


def save_commands(loop_id: str, commands: dict[str, Command]) -> None:
    make_folder(holdout_folder(loop_id))
    write_atomic(
        os.path.join(holdout_folder(loop_id), "commands.json"),
        dumps(commands).encode("utf-8", "surrogatepass"),
    )
    sync_folder(holdout_folder(loop_id))


def load_check(loop_id: str, held: Criterion) -> Check | None:
    """The check behind the name; None where it is gone, or is not the one that the loop was started with."""
    try:
        with open(os.path.join(holdout_folder(loop_id), "commands.json"), "rb") as file:
            command = loads(file.read().decode("utf-8", "surrogatepass"))[held.name]
    except (OSError, JSONError, KeyError, TypeError):
        return None
    command = tuple(command) if isinstance(command, list) else command
    assert held.check is not None
    return (
        held.check.but(command=command) if _command_digest(command) == held.check.command else None
    )


def delete_holdouts(loop_id: str) -> None:
    shutil.rmtree(holdout_folder(loop_id), ignore_errors=True)
