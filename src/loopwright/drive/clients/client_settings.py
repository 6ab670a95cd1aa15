"""What a person may add to the settings of their client, and remove again.

Nothing here happens without their order.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ...agents.claude.hooks import BLOCK_CAP_VARIABLE
from ...agents.claude.paths import ALIAS_MARKER, alias_file
from ...disk.files import open_at_once, write_atomic
from ..errors import UserError


def read_settings(path: str) -> dict[str, Any]:
    """A settings file of the client. A file that we cannot read is an error, and stays as it is."""
    try:
        with open(path, encoding="utf-8-sig", opener=open_at_once) as file:
            settings = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} cannot be read ({error}). It was left as it is; mend it, then try again"
        ) from error
    if not isinstance(settings, dict):
        raise UserError(f"{path} holds no settings object. It was left as it is")
    return settings


def settings_text(settings: dict[str, Any]) -> str:
    return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"


def write_settings(path: str, settings: dict[str, Any]) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomic(path, settings_text(settings).encode())


def set_block_cap(path: str, number: int | None) -> str:
    """Set how many answers without a tool call the client lets us hold; None removes the line."""
    settings = read_settings(path)
    env = settings.get("env")
    if not isinstance(env, dict):
        env = {}
    if number is None:
        env.pop(BLOCK_CAP_VARIABLE, None)
    else:
        env[BLOCK_CAP_VARIABLE] = str(number)
    settings["env"] = env
    if not env:
        del settings["env"]
    write_settings(path, settings)
    change = "is out of" if number is None else f"is {number} in"
    return f"{BLOCK_CAP_VARIABLE} {change} {path}"


def set_status_line(path: str, command: str | None) -> str:
    """Show the loop under the prompt. A status line of the person's own is never replaced."""
    settings = read_settings(path)
    current = settings.get("statusLine")
    is_ours = isinstance(current, dict) and str(current.get("command", "")).endswith("statusline")
    if current and not is_ours:
        raise UserError(
            f"{path} has a status line of yours. It was left as it is; "
            "call `loop statusline` from it"
        )
    if command is None:
        settings.pop("statusLine", None)
    else:
        settings["statusLine"] = {"type": "command", "command": command}
    write_settings(path, settings)
    return f"the status line is {'out of' if command is None else 'in'} {path}"


def set_alias(base: str, text: str | None) -> str:
    """Write or remove the command file that makes the bare /loop ours.

    A file without our mark belongs to the person and is never touched.
    """
    path = alias_file(base)
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace", opener=open_at_once) as file:
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
