"""Packages that arrived in node_modules.

An installer rewrites every file of node_modules, so what is new is not seen by the time of a file:
the names are compared with the packages that were saved before the agent worked.
"""

from __future__ import annotations

import os

from ..ratchet.surrounding_rules.machine import NodePackage
from .checkout_files import environment_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PRESET_FILES = ("jest-preset.js", "jest-preset.json", "jest-preset.cjs", "jest-preset.mjs")


def new_node_packages(root: str, saved: str) -> Iterator[NodePackage]:
    """Packages of the project that the saved ones do not have; none where nothing was saved."""
    if not os.path.isdir(saved):
        return
    for folder in environment_folders(root):
        if os.path.basename(folder) != "node_modules":
            continue
        known = set(_package_names(os.path.join(saved, folder)))
        for name in _package_names(os.path.join(root, folder)):
            if name not in known:
                path = os.path.join(folder, name)
                yield NodePackage(path, name, _has_preset(os.path.join(root, path)))


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


def _has_preset(path: str) -> bool:
    return any(os.path.isfile(os.path.join(path, file)) for file in PRESET_FILES)
