"""The repository's own test, lint, type and build commands, found from its files. Found here, they may run."""

from __future__ import annotations

import json
import os
import re
import sys

from ..core.criteria import Check
from ..disk.files import read_text
from ..store.config import parse_toml

MAX_FILE_CHARS = 200_000
CRITERION_NAMES = ("tests pass", "lint clean", "no type errors", "build succeeds")
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


def repository_checks(root: str, timeout: int = 300) -> dict[str, Check]:
    """Criterion name → the check this repository has for it. The first source that knows a name wins."""
    found: dict[str, str] = {}
    for source in (python_commands, node_commands, cargo_commands, go_commands, make_commands):
        for name, command in source(root).items():
            found.setdefault(name, command)
    return {
        name: Check(found[name], timeout, origin="detected")
        for name in CRITERION_NAMES
        if name in found
    }


def python_commands(root: str) -> dict[str, str]:
    project = _read_toml(root, "pyproject.toml")
    tools = project["tool"] if isinstance(project.get("tool"), dict) else {}
    found = {}
    files = [
        name for folder in ("", "tests", "test") for name in _file_names(os.path.join(root, folder))
    ]
    tests = [name for name in files if re.fullmatch(r"test_.+\.py|.+_test\.py", name)]
    if (
        "pytest" in tools
        or os.path.exists(os.path.join(root, "pytest.ini"))
        or (tests and _is_installed("pytest"))
    ):
        found["tests pass"] = "python -m pytest -q" if not _is_installed("pytest") else "pytest -q"
    elif tests:
        name = (
            "python3" if _is_installed("python3") and sys.platform != "win32" else "python"
        )  # theirs, not ours; there it opens a shop
        found["tests pass"] = f"{name} -m unittest discover -q"
    if "ruff" in tools:
        found["lint clean"] = "ruff check ."
    if "mypy" in tools:
        found["no type errors"] = "mypy ."
    return found


def node_commands(root: str) -> dict[str, str]:
    try:
        with open(os.path.join(root, "package.json"), encoding="utf-8") as file:
            package = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return {}
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun"}
    tool = next(
        (tool for lock, tool in locks.items() if os.path.exists(os.path.join(root, lock))), "npm"
    )
    real = {
        name: text
        for name, text in scripts.items()
        if isinstance(text, str) and "no test specified" not in text
    }
    return {
        criterion: f"{tool} run {script}"
        for script, criterion in NODE_SCRIPTS.items()
        if script in real
    }


def cargo_commands(root: str) -> dict[str, str]:
    there = os.path.exists(os.path.join(root, "Cargo.toml"))
    return (
        {
            "tests pass": "cargo test -q",
            "lint clean": "cargo clippy -q",
            "build succeeds": "cargo build -q",
        }
        if there
        else {}
    )


def go_commands(root: str) -> dict[str, str]:
    there = os.path.exists(os.path.join(root, "go.mod"))
    return (
        {
            "tests pass": "go test ./...",
            "lint clean": "go vet ./...",
            "build succeeds": "go build ./...",
        }
        if there
        else {}
    )


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
