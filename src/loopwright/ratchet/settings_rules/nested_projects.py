"""Finds packages that are still there and no longer belong to what the checks build and test.

A manifest makes a folder a project of its own, which the project around it leaves out. Lists of
members are settings (setting_rules.py).
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

# Manifests that end the project around them: a text that they then have, and their sources.
BORDERS = {
    "go.mod": (re.compile(r"(?m)^module\b"), ".go"),
    "Cargo.toml": (re.compile(r"(?m)^\[workspace\]"), ".rs"),
}


def is_border(path: str) -> bool:
    return posixpath.basename(path) in BORDERS


def find(project: Project) -> Iterator[Finding]:
    """One finding for each folder that leaves.

    A folder in which a check starts is still tested. One with new files only never belonged.
    """
    for path, change in project.changes.items():
        folder, name = posixpath.split(path)
        if name not in BORDERS or not folder or folder in project.reach.folders:
            continue
        border, ending = BORDERS[name]
        is_new = border.search(change.after or "") and not border.search(change.before or "")
        has_sources = any(
            other.startswith(f"{folder}/") and other.endswith(ending)
            for other in project.paths_before
        )
        if is_new and has_sources and _is_inside(folder, name, project):
            after = f"{folder} is a project of its own"
            yield Finding(MEDIUM, "fewer-files-included", path, after=after)


def _is_inside(folder: str, name: str, project: Project) -> bool:
    """Is there a project of the same kind around the folder?"""
    border, _ = BORDERS[name]
    while folder:
        folder = posixpath.dirname(folder)
        if border.search(project.before(posixpath.join(folder, name)) or ""):
            return True
    return False
