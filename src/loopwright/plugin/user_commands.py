"""Commands for the user's own presets, /loop:NAME, in the client's folder for user commands.

They are not in the plugin: an update replaces the plugin's folder, it may be read-only or a clone,
and a second plugin of the same name silently turns the first one off (all measured).
"""

from __future__ import annotations

import os

from ..agents.claude.paths import config_home
from ..core.prompts.phrases import count_phrase
from ..disk.files import open_at_once, write_atomic
from ..drive.errors import UserError
from ..store.presets import Preset, all_presets, user_files
from .preset_command import GENERATED_MARK, command_page


def commands_folder() -> str:
    return os.path.join(config_home(), "commands", "loop")


def write_user_commands() -> list[str]:
    """Write a command for each preset of the user, remove stale ones, and report what was done."""
    own = [preset for preset in all_presets().values() if preset.user_defined]
    rows = [f"Loaded user presets from {path}" for path in user_files() if os.path.exists(path)]
    if own:
        rows.append(f"Building commands for {count_phrase(len(own), 'preset')}...")
    else:
        rows.append(
            f"No preset of your own. Put a table such as [a11y] into {user_files()[-1]}, "
            "then build again."
        )
    for preset in own:
        _write_command(preset)
        rows.append(f"  Generated: {preset.name}.md")
    stale = _remove_stale({f"{preset.name}.md" for preset in own})
    rows += [f"  Removed: {name}" for name in stale]
    if own:
        names = ", ".join(f"/loop:{preset.name}" for preset in own)
        rows += [
            f"Generated {count_phrase(len(own), 'command file')} in {commands_folder()}",
            f"In an open session type /reload-plugins, then there is {names}. "
            "New sessions have it anyway.",
        ]
    return rows


def _write_command(preset: Preset) -> None:
    path = os.path.join(commands_folder(), f"{preset.name}.md")
    if os.path.exists(path) and not is_ours(path):
        raise UserError(
            f"{path} is not ours. It was left as it is; "
            "move it away, or give the preset another name"
        )
    os.makedirs(commands_folder(), exist_ok=True)
    write_atomic(path, command_page(preset))


def _remove_stale(current: set[str]) -> list[str]:
    """Remove our commands whose preset is gone; their names."""
    folder = commands_folder()
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    others = [name for name in names if name.endswith(".md") and name not in current]
    stale = [name for name in others if is_ours(os.path.join(folder, name))]
    for name in stale:
        os.remove(os.path.join(folder, name))
    return stale


def is_ours(path: str) -> bool:
    with open(path, encoding="utf-8", errors="replace", opener=open_at_once) as file:
        return GENERATED_MARK in file.read(4_000)
