"""Finds plugins and presets of JavaScript test runners that arrived in node_modules.

An installer rewrites every file of node_modules, so what is new is not seen by the time of a file:
the names are compared with the packages that were saved before the agent worked.
"""

from __future__ import annotations

import os

from ..core.findings import MEDIUM, Finding
from ..ratchet.settings_rules.new_packages import RUNNER_PLUGIN
from .checkout_files import environment_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PRESET_FILES = ("jest-preset.js", "jest-preset.json", "jest-preset.cjs", "jest-preset.mjs")


def new_node_plugins(root: str, saved: str) -> Iterator[Finding]:
    """Plugins in the project that the saved packages do not have; none where nothing was saved."""
    if not os.path.isdir(saved):
        return
    for folder in environment_folders(root):
        if os.path.basename(folder) != "node_modules":
            continue
        known = set(_package_names(os.path.join(saved, folder)))
        for name in _package_names(os.path.join(root, folder)):
            path = os.path.join(folder, name)
            if name not in known and _is_plugin(os.path.join(root, path), name):
                yield Finding(MEDIUM, "runner-plugin-added", path, after="it is newly installed")


def _package_names(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    names = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("@"):
            scope = os.path.join(folder, name)
            names += [f"{name}/{package}" for package in sorted(os.listdir(scope))]
        elif not name.startswith("."):
            names.append(name)
    return names


def _is_plugin(path: str, name: str) -> bool:
    has_preset = any(os.path.isfile(os.path.join(path, file)) for file in PRESET_FILES)
    return has_preset or bool(RUNNER_PLUGIN.fullmatch(name))
