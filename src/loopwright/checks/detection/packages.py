"""The packages of a monorepo: the folders below the top that are projects of their own."""

from __future__ import annotations

import os

from .folder import ProjectFolder
from .python_tests import FOREIGN_FOLDER

MANIFESTS = ("pyproject.toml", "setup.py", "package.json", "Cargo.toml", "go.mod", "deno.json")
MAX_DEPTH = 3
MAX_FOLDERS = 300


def package_folders(root: ProjectFolder) -> list[ProjectFolder]:
    """The packages, those that are nearest to the top first. None is inside of another."""
    found: list[ProjectFolder] = []
    waiting, seen = [""], 0
    while waiting and seen < MAX_FOLDERS:
        place, seen = waiting.pop(0), seen + 1
        for name in root.names_in(place):
            path = os.path.join(place, name)
            full = os.path.join(root.path, path)
            if FOREIGN_FOLDER.fullmatch(name) or not os.path.isdir(full):
                continue
            if any(os.path.isfile(os.path.join(full, manifest)) for manifest in MANIFESTS):
                found.append(ProjectFolder(full, root.top))
            elif path.count(os.sep) + 1 < MAX_DEPTH:
                waiting.append(path)
    return found
