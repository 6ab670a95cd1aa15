"""What a person may add to their client's settings, each on their word alone, each taken out again the same way."""

from __future__ import annotations

import json
import os
from typing import Any

from ..agents.claude.hooks import BLOCK_CAP_VARIABLE
from ..agents.claude.paths import ALIAS_MARKER, alias_file
from ..disk.files import write_atomic
from .errors import UserError


def read_settings(path: str) -> dict[str, Any]:
    """A settings file of the client; what we cannot read we do not touch."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            found = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} cannot be read ({error}). It was left as it is; mend it, then try again"
        ) from error
    if not isinstance(found, dict):
        raise UserError(f"{path} holds no settings object. It was left as it is")
    return found


def write_settings(path: str, found: dict[str, Any]) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomic(path, (json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode())


def set_block_cap(path: str, number: int | None) -> str:
    """Raise how many answers without a tool call the client lets us hold; None takes the line out."""
    found = read_settings(path)
    env = found.get("env") if isinstance(found.get("env"), dict) else {}
    assert isinstance(env, dict)
    if number is None:
        env.pop(BLOCK_CAP_VARIABLE, None)
    else:
        env[BLOCK_CAP_VARIABLE] = str(number)
    found["env"] = env
    if not env:
        del found["env"]
    write_settings(path, found)
    return f"{BLOCK_CAP_VARIABLE} {'is out of' if number is None else f'is {number} in'} {path}"


def set_status_line(path: str, command: str | None) -> str:
    """Show the loop under the prompt. Somebody's own status line is not taken from them."""
    found = read_settings(path)
    there = found.get("statusLine")
    ours = isinstance(there, dict) and str(there.get("command", "")).endswith("statusline")
    if there and not ours:
        raise UserError(
            f"{path} has a status line of yours. It was left as it is; call `loop statusline` from it"
        )
    if command is None:
        found.pop("statusLine", None)
    else:
        found["statusLine"] = {"type": "command", "command": command}
    write_settings(path, found)
    return f"the status line is {'out of' if command is None else 'in'} {path}"


def set_alias(base: str, text: str | None) -> str:
    """A command file that makes the bare /loop ours. A file without our mark is somebody else's."""
    path = alias_file(base)
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            if ALIAS_MARKER not in file.read(2000):
                raise UserError(
                    f"{path} is not ours. It was left as it is; move it away if you want the alias"
                )
        if text is None:
            os.remove(path)
            return f"{path} is removed: /loop is the client's own again"
    if text is None:
        return f"there is no {path}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomic(path, text.encode())
    return f"{path} is written: /loop SPEC, /loop continue, /loop status and /loop cancel are ours"
