"""Commands for the user's own presets, /loop:NAME, as files in the client's folder for user commands.

There and not in the plugin: an update replaces the plugin's folder, it may be read-only or a clone, and a second plugin of the
same name silently turns the first one off (all measured).
"""

from __future__ import annotations

import os

from ..agents.claude.places import config_home
from ..core.wording import counted
from ..drive.orders import UserError
from ..store.journal import write_atomic
from ..store.presets import presets, user_files
from .preset import MARK, command


def place() -> str:
    return os.path.join(config_home(), "commands", "loop")


def build() -> list[str]:
    """Write a command for each preset of the user, take away those whose preset is gone, and say what was done."""
    own = [preset for preset in presets().values() if preset.own]
    sources = [path for path in user_files() if os.path.exists(path)]
    told = [f"Loaded user presets from {path}" for path in sources]
    if not own:
        told.append(f"No preset of your own. Put a table such as [a11y] into {user_files()[-1]}, then build again.")
    else:
        told.append(f"Building commands for {counted(len(own), 'preset')}...")
    for preset in own:
        path = os.path.join(place(), f"{preset.name}.md")
        if os.path.exists(path) and not ours(path):
            raise UserError(f"{path} is not ours. It was left as it is; move it away, or give the preset another name")
        os.makedirs(place(), exist_ok=True)
        write_atomic(path, command(preset))
        told.append(f"  Generated: {preset.name}.md")
    told += [f"  Removed: {name}" for name in _removed({f"{preset.name}.md" for preset in own})]
    if own:
        names = ", ".join(f"/loop:{preset.name}" for preset in own)
        told.append(f"Generated {counted(len(own), 'command file')} in {place()}")
        told.append(f"In an open session type /reload-plugins, then there is {names}. New sessions have it anyway.")
    return told


def _removed(wanted: set[str]) -> list[str]:
    have = sorted(os.listdir(place())) if os.path.isdir(place()) else []
    stale = [name for name in have if name.endswith(".md") and name not in wanted and ours(os.path.join(place(), name))]
    for name in stale:
        os.remove(os.path.join(place(), name))
    return stale


def ours(path: str) -> bool:
    with open(path, encoding="utf-8", errors="replace") as file:
        return MARK in file.read(4_000)
