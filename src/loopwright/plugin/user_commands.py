"""Commands for the user's own presets, /loop:NAME, as files in the client's folder for user commands.

There and not in the plugin: an update replaces the plugin's folder, it may be read-only or a clone, and a second plugin of the
same name silently turns the first one off (all measured).
"""

from __future__ import annotations

import os

from ..agents.claude.paths import config_home
from ..core.prompts.phrases import count_phrase
from ..disk.files import write_atomic
from ..drive.errors import UserError
from ..store.presets import all_presets, user_files
from .preset_command import GENERATED_MARK, command_page


def commands_folder() -> str:
    return os.path.join(config_home(), "commands", "loop")


def write_user_commands() -> list[str]:
    """Write a command for each preset of the user, take away those whose preset is gone, and say what was done."""
    own = [preset for preset in all_presets().values() if preset.user_defined]
    sources = [path for path in user_files() if os.path.exists(path)]
    told = [f"Loaded user presets from {path}" for path in sources]
    if not own:
        told.append(
            f"No preset of your own. Put a table such as [a11y] into {user_files()[-1]}, then build again."
        )
    else:
        told.append(f"Building commands for {count_phrase(len(own), 'preset')}...")
    for preset in own:
        path = os.path.join(commands_folder(), f"{preset.name}.md")
        if os.path.exists(path) and not is_ours(path):
            raise UserError(
                f"{path} is not ours. It was left as it is; move it away, or give the preset another name"
            )
        os.makedirs(commands_folder(), exist_ok=True)
        write_atomic(path, command_page(preset))
        told.append(f"  Generated: {preset.name}.md")
    told += [
        f"  Removed: {name}" for name in _remove_stale({f"{preset.name}.md" for preset in own})
    ]
    if own:
        names = ", ".join(f"/loop:{preset.name}" for preset in own)
        told.append(f"Generated {count_phrase(len(own), 'command file')} in {commands_folder()}")
        told.append(
            f"In an open session type /reload-plugins, then there is {names}. New sessions have it anyway."
        )
    return told


def _remove_stale(wanted: set[str]) -> list[str]:
    have = sorted(os.listdir(commands_folder())) if os.path.isdir(commands_folder()) else []
    stale = [
        name
        for name in have
        if name.endswith(".md")
        and name not in wanted
        and is_ours(os.path.join(commands_folder(), name))
    ]
    for name in stale:
        os.remove(os.path.join(commands_folder(), name))
    return stale


def is_ours(path: str) -> bool:
    with open(path, encoding="utf-8", errors="replace") as file:
        return GENERATED_MARK in file.read(4_000)
