"""The repository's own test, lint, type and build commands, detected from its files.

These conventional commands may run without `loop allow`.
"""

from __future__ import annotations

import json
import os
import shlex
import sys

from .. import lazy_re as re
from ..core.criteria import Check
from ..core.start.binding import CHECK_KINDS
from ..disk.files import open_at_once, read_text
from ..formats.toml_text import parse_toml
from .test_files import COLLECTED_NAME

MAX_FILE_CHARS = 200_000
CRITERION_NAMES = tuple(CHECK_KINDS.values())
PROJECT_FILES = (
    *("pyproject.toml", "pytest.ini", "setup.py", "setup.cfg", "tox.ini"),
    *("package.json", "Cargo.toml", "go.mod", "Makefile"),
)
MAKE_TARGETS = {
    "check": "tests pass",
    "test": "tests pass",
    "lint": "lint clean",
    "typecheck": "no type errors",
}
NODE_SCRIPTS = {
    "test": "tests pass",
    "lint": "lint clean",
    "typecheck": "no type errors",
    "build": "build succeeds",
}
NODE_LOCK_FILES = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun"}
CARGO_COMMANDS = {
    "tests pass": "cargo test -q",
    "lint clean": "cargo clippy -q",
    "build succeeds": "cargo build -q",
}
GO_COMMANDS = {
    "tests pass": "go test ./...",
    "lint clean": "go vet ./...",
    "build succeeds": "go build ./...",
}


def repository_checks(root: str, timeout: int = 300, start: str = "") -> dict[str, Check]:
    """Criterion name → the check of this repository, for a person who works in `start`.

    The nearest project folder from there up to `root` wins. A folder without a project file, such
    as tests/, counts only where no project folder above it has the check.
    """
    commands: dict[str, str] = {}
    folders = _folders_between(start or root, root)
    projects = [folder for folder in folders if folder == root or _has_project_file(folder)]
    others = [folder for folder in reversed(folders) if folder not in projects]
    for folder in (*projects, *others):
        for name, command in _folder_commands(folder).items():
            commands.setdefault(name, _command_in(folder, root, command))
    return {
        name: Check(commands[name], timeout, origin="detected")
        for name in CRITERION_NAMES
        if name in commands
    }


def _folders_between(start: str, root: str) -> list[str]:
    """The folders from `start` up to `root`, which is the last."""
    inside = os.path.relpath(os.path.realpath(start), os.path.realpath(root))
    if inside.startswith(os.pardir):
        return [root]
    parts = [] if inside == os.curdir else inside.split(os.sep)
    return [os.path.join(root, *parts[:depth]) for depth in range(len(parts), 0, -1)] + [root]


def _has_project_file(folder: str) -> bool:
    return any(os.path.isfile(os.path.join(folder, name)) for name in PROJECT_FILES)


def _folder_commands(folder: str) -> dict[str, str]:
    """The commands of one folder. The first source that has a name wins."""
    commands: dict[str, str] = {}
    for source in (python_commands, node_commands, cargo_commands, go_commands, make_commands):
        for name, command in source(folder).items():
            commands.setdefault(name, command)
    return commands


def _command_in(folder: str, root: str, command: str) -> str:
    """The command as it runs from the top of the checkout, where every check begins."""
    if folder == root:
        return command
    path = os.path.relpath(folder, root).replace(os.sep, "/")
    return f"cd {shlex.quote(path)} && {command}"


def python_commands(root: str) -> dict[str, str]:
    project = _read_toml(root, "pyproject.toml")
    tools = project["tool"] if isinstance(project.get("tool"), dict) else {}
    commands = {}
    tests = _python_test_command(root, configured="pytest" in tools)
    if tests:
        commands["tests pass"] = tests
    if "ruff" in tools:
        commands["lint clean"] = "ruff check ."
    if "mypy" in tools:
        commands["no type errors"] = "mypy ."
    return commands


def _python_test_command(root: str, configured: bool) -> str:
    """pytest when it is configured or installed, else unittest; "" without tests."""
    has_pytest = _is_installed("pytest")
    if configured or os.path.exists(os.path.join(root, "pytest.ini")):
        return "pytest -q" if has_pytest else "python -m pytest -q"
    if not _has_python_tests(root):
        return ""
    if has_pytest:
        return "pytest -q"
    # The project's Python, not ours. On Windows, python3 opens the store.
    use_python3 = _is_installed("python3") and sys.platform != "win32"
    return f"{'python3' if use_python3 else 'python'} -m unittest discover -q"


def _has_python_tests(root: str) -> bool:
    folders = [os.path.join(root, folder) for folder in ("", "tests", "test")]
    names = [name for folder in folders for name in _file_names(folder)]
    return any(COLLECTED_NAME.fullmatch(name) for name in names)


def node_commands(root: str) -> dict[str, str]:
    try:
        with open(
            os.path.join(root, "package.json"), encoding="utf-8", opener=open_at_once
        ) as file:
            package = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return {}
    tool = _node_tool(root)
    commands = {}
    for script, criterion in NODE_SCRIPTS.items():
        text = scripts.get(script)
        if isinstance(text, str) and "no test specified" not in text:
            commands[criterion] = f"{tool} run {script}"
    return commands


def _node_tool(root: str) -> str:
    for lock, tool in NODE_LOCK_FILES.items():
        if os.path.exists(os.path.join(root, lock)):
            return tool
    return "npm"


def cargo_commands(root: str) -> dict[str, str]:
    return CARGO_COMMANDS if os.path.exists(os.path.join(root, "Cargo.toml")) else {}


def go_commands(root: str) -> dict[str, str]:
    return GO_COMMANDS if os.path.exists(os.path.join(root, "go.mod")) else {}


def make_commands(root: str) -> dict[str, str]:
    text = read_text(os.path.join(root, "Makefile"), MAX_FILE_CHARS) or ""
    targets = re.findall(r"^([a-z-]+):(?!=)", text, re.M)
    return {
        criterion: f"make {target}"
        for target, criterion in MAKE_TARGETS.items()
        if target in targets
    }


def _read_toml(root: str, name: str) -> dict[str, dict[str, object]]:
    try:
        return parse_toml(read_text(os.path.join(root, name), MAX_FILE_CHARS) or "")
    except ValueError:
        return {}


def _file_names(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


def _is_installed(program: str) -> bool:
    from shutil import which

    return which(program) is not None
