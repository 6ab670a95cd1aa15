"""The environments in which a Python project runs its tools, its own first and the PATH last."""

from __future__ import annotations

import os
import sys
from glob import escape, glob
from typing import NamedTuple

from .folder import ProjectFolder, is_on_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

VENV_FOLDERS = (".venv", "venv", "env", ".env")
SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"
PYTHON = "python.exe" if sys.platform == "win32" else "python"
# Lock file → the program that made it. A table of pyproject.toml says the same.
LOCK_FILES = {
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
    "Pipfile": "pipenv",
}
MANAGER_TABLES = ("poetry", "pdm")


class Launch(NamedTuple):
    """How a tool is started in one environment."""

    python: str  # the words that start Python
    manager: str = ""  # the program that chooses the environment; "" for a folder
    path: str = ""  # of a folder with an environment
    lock: str = ""  # the text of the lock file

    def tool_command(self, tool: str) -> str:
        """The words that start a tool."""
        return f"{self.manager} run {tool}" if self.manager else f"{self.python} -m {tool}"

    def has_tool(self, tool: str) -> bool:
        """Is the tool in this environment, as far as files can say?"""
        if self.manager:
            is_named = not self.lock or _names(self.lock, tool)
            return is_named and is_on_path(self.manager)
        module = tool.replace("-", "_")
        places = (f"{SCRIPTS}/{tool}*", f"lib*/python*/site-packages/{module}", f"Lib/*/{module}")
        return any(glob(os.path.join(escape(self.path), place)) for place in places)

    @property
    def has_python(self) -> bool:
        return is_on_path(self.manager) if self.manager else True


def _names(lock: str, tool: str) -> bool:
    """Does a lock file, or a Pipfile, hold this tool? It may be long."""
    words = (f'name = "{tool}"', f'"{tool}":', f"\n{tool} = ")
    return any(word in lock for word in words)


def environments(folder: ProjectFolder) -> Iterator[Launch]:
    """The project's own environments, from this folder up to the top of the checkout.

    A package of a monorepo often has the environment and the lock file of the whole.
    """
    for place, prefix in _places(folder):
        for name in VENV_FOLDERS:
            path = os.path.join(place.path, name)
            if os.path.isfile(os.path.join(path, SCRIPTS, PYTHON)):
                yield Launch(f"{prefix}{name}/{SCRIPTS}/python", path=path)
        for lock, manager in LOCK_FILES.items():
            if place.has(lock):
                yield Launch(f"{manager} run python", manager, lock=place.text(lock))
        for manager in MANAGER_TABLES:
            if place.table("pyproject.toml", f"tool.{manager}") is not None:
                yield Launch(f"{manager} run python", manager)


def _places(folder: ProjectFolder) -> Iterator[tuple[ProjectFolder, str]]:
    """This folder and those above it, each with the way to it."""
    path, prefix = folder.path, ""
    yield folder, ""
    while path != folder.top and len(path) > len(folder.top):
        path, prefix = os.path.dirname(path), f"{prefix}../"
        yield ProjectFolder(path, folder.top), prefix


def is_active(tool: str) -> bool:
    """Is the tool on PATH, and from an environment that the person has activated?"""
    from shutil import which

    found = which(tool)
    active = [os.environ.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    return bool(found) and any(path and str(found).startswith(path) for path in active)


def path_python() -> str:
    """The Python of the PATH, not ours. On Windows, python3 opens the store."""
    return "python3" if is_on_path("python3") and sys.platform != "win32" else "python"
