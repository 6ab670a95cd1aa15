"""What we answer when an agent asks for permission: the same rule as for other agents.

With `edits` it may read, edit files of the project and run the commands that are named.
"""

from __future__ import annotations

import os
from typing import Any

from ...core.json_text import as_dict
from ..base import ALL, OWN_COMMANDS

READING, EDITING = ("read", "search", "think"), ("edit", "delete", "move")
SHELL_CHARACTERS = set(";&|<>$`(){}\\\n")
ALLOW, REJECT = ("allow_once", "allow_always"), ("reject_once", "reject_always")


def is_allowed(call: dict[str, Any], options: dict[str, Any]) -> bool:
    """May this tool call be made? Its kind, files and input are what the agent says of it."""
    if options.get("permissions") == ALL:
        return True
    kind = call.get("kind")
    if kind in READING:
        return True
    if kind in EDITING:
        files = call_files(call)
        return bool(files) and all(is_inside(str(options.get("root")), file) for file in files)
    if kind == "execute":
        return is_command_allowed(call_command(call), options.get("commands"))
    return False


def call_files(call: dict[str, Any]) -> list[str]:
    """The files that it names: where it works, and what it shows as a change."""
    named = [*_dicts(call.get("locations")), *_dicts(call.get("content"))]
    return [one["path"] for one in named if isinstance(one.get("path"), str)]


def call_command(call: dict[str, Any]) -> str:
    """The command that it runs. Gemini sends no input of the tool: its title is the command."""
    given = as_dict(call.get("rawInput")).get("command")
    return str(given or (call.get("title") if call.get("kind") == "execute" else "") or "")


def is_command_allowed(line: str, commands: Any) -> bool:
    """Is it one of these commands, or a plain report of what it found?"""
    if not isinstance(commands, list) or not line.strip():
        return False
    is_report = line.startswith(tuple(f"{name} " for name in OWN_COMMANDS))
    return line in commands or (is_report and not set(line) & SHELL_CHARACTERS)


def is_inside(root: str, file: str) -> bool:
    """Is the file in the project, after every symbolic link?"""
    top = os.path.realpath(root)
    return os.path.realpath(os.path.join(top, file)).startswith(top.rstrip(os.sep) + os.sep)


def chosen_option(offered: Any, allowed: bool) -> str:
    """The id of the option that says so, for this call alone if possible; "": none does."""
    by_kind = {str(one.get("kind")): str(one.get("optionId")) for one in _dicts(offered)}
    return next((by_kind[kind] for kind in (ALLOW if allowed else REJECT) if kind in by_kind), "")


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
