"""What `loop doctor` finds beside our Stop hook in Claude Code: Stop hooks of others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ...agents.claude.paths import config_home
from ...core.json_text import as_dict
from ...store.folder import LoopFolder
from .client import read_settings, settings_files, settings_object
from .diagnosis import Diagnosis

OWN_WORDS = ("loopwright", "loop hook")
MAX_COMMAND = 60  # characters of a command that are shown


def diagnose_other_stop_hooks(folder: LoopFolder) -> Iterator[Diagnosis]:
    """Another hook may hold a session that our loop lets go, or end one that it holds."""
    for place, entry in stop_hooks(folder):
        text = str(entry.get("command") or entry.get("prompt") or entry.get("url") or entry)
        shown = " ".join(text.split())[:MAX_COMMAND]
        if not any(word in text for word in OWN_WORDS):
            yield Diagnosis(
                "warn",
                f"another Stop hook in {place}: {shown}. It may hold a session that the "
                "loop lets go, and `continue: false` of it ends a held turn",
                "look at it, and switch it off while a loop runs: /hooks in a session",
            )


def stop_hooks(folder: LoopFolder) -> Iterator[tuple[str, dict[str, Any]]]:
    """The Stop hooks of settings files and of enabled plugins, each with where it is from."""
    for path in settings_files(folder):
        for entry in _entries(read_settings(path)):
            yield path, entry
    enabled = settings_object(folder, "enabledPlugins")
    installed = read_settings(os.path.join(config_home(), "plugins", "installed_plugins.json"))
    for name, versions in as_dict(installed.get("plugins")).items():
        if name.startswith("loop@") or not enabled.get(name):
            continue
        for path in _install_paths(versions):
            for entry in _entries(read_settings(os.path.join(path, "hooks", "hooks.json"))):
                yield f"the plugin {name}", entry


def _install_paths(versions: Any) -> list[str]:
    entries = versions if isinstance(versions, list) else []
    found = [entry.get("installPath") for entry in entries if isinstance(entry, dict)]
    return list(dict.fromkeys(path for path in found if isinstance(path, str) and path))


def _entries(settings: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The hooks below `hooks.Stop`, whatever else is there."""
    groups = as_dict(settings.get("hooks")).get("Stop")
    for group in groups if isinstance(groups, list) else ():
        hooks = as_dict(group).get("hooks")
        for entry in hooks if isinstance(hooks, list) else ():
            if isinstance(entry, dict):
                yield entry
