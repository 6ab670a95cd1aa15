"""One folder of a project: its files as text and as settings, each read once."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, NamedTuple

from ... import lazy_re as re
from ...disk.files import read_text
from ...formats.toml_text import parse_toml
from ..commands import Command, commands_in

MAX_CHARS = 2_000_000  # of a file; lock files are long
CI_FOLDER = ".github/workflows"
CI_FILES = (".gitlab-ci.yml", ".travis.yml", ".circleci/config.yml", "azure-pipelines.yml")
# Files in which a Python project names its tools.
NAMING_FILES = (
    *("pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "tox.ini", "tox.toml", "noxfile.py"),
    *("pytest.ini", "Makefile", "justfile", "environment.yml", "conftest.py", "tests/conftest.py"),
)
REQUIREMENTS = re.compile(r"[\w-]*requirements?[\w-]*\.(?:txt|in)|(?:dev|tests?)\.(?:txt|in)")


class Way(NamedTuple):
    """One way to run a check. It is possible if its program is there."""

    criterion: str
    command: str
    is_possible: bool = True
    reason: str = ""  # why a person should know about it if it is not the way that is used


class ProjectFolder:
    """The files of one folder, below the top of the checkout."""

    def __init__(self, path: str, top: str) -> None:
        self.path, self.top = path, top
        self.text = cache(self._read_text)
        self.commands = cache(self._read_commands)
        self.toml = cache(self._read_toml)

    def _read_text(self, name: str) -> str:
        full = os.path.join(self.path, name)
        return (read_text(full, MAX_CHARS) or "") if os.path.isfile(full) else ""

    def _read_commands(self, name: str) -> tuple[Command, ...]:
        return tuple(commands_in(name, self.text(name)))

    def _read_toml(self, name: str) -> dict[str, Any]:
        try:
            return parse_toml(self.text(name))
        except ValueError:
            return {}

    def has(self, name: str) -> bool:
        return os.path.exists(os.path.join(self.path, name))

    def first_of(self, *names: str) -> str:
        """The first of these files that is there; else ""."""
        return next((name for name in names if self.has(name)), "")

    def names_in(self, folder: str = "") -> list[str]:
        """The names in a folder, sorted."""
        full = os.path.join(self.path, folder)
        return sorted(os.listdir(full)) if os.path.isdir(full) else []

    def table(self, file: str, name: str) -> dict[str, Any] | None:
        """A table of a TOML file by its dotted name; None if it is not there."""
        value: Any = self.toml(file)
        for key in filter(None, name.split(".")):
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else None

    def ci_commands(self) -> list[Command]:
        """The commands of the CI files, in their order."""
        workflows = [name for name in self.names_in(CI_FOLDER) if name.endswith((".yml", ".yaml"))]
        files = (*(f"{CI_FOLDER}/{name}" for name in workflows), *CI_FILES)
        return [command for file in files for command in self.commands(file)]

    def names_tool(self, tool: str) -> bool:
        """Do the manifests, task files or CI of the project name this tool of Python?"""
        word = re.compile(rf"(?<![\w/-]){re.escape(tool)}(?!\w)")
        in_folder = [f"requirements/{name}" for name in self.names_in("requirements")]
        lists = [name for name in (*self.names_in(), *in_folder) if _is_requirements(name)]
        if any(word.search(self.text(name)) for name in (*NAMING_FILES, *lists)):
            return True
        return any(command.words[0].partition(" ")[0] == tool for command in self.ci_commands())


def _is_requirements(path: str) -> bool:
    return bool(REQUIREMENTS.fullmatch(os.path.basename(path)))


def is_on_path(program: str) -> bool:
    from shutil import which

    return which(program) is not None
