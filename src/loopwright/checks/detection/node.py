"""The checks of a project of JavaScript: its scripts, and the tasks of a whole workspace."""

from __future__ import annotations

import json
import os
from typing import Any

from ... import lazy_re as re
from ...formats.flat_settings import read
from ..commands import commands_in
from ..reach import package_scripts
from .folder import ProjectFolder, Way
from .script_names import Script, script_ways

LOCK_FILES = {
    "pnpm-lock.yaml": "pnpm",
    "pnpm-workspace.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lockb": "bun",
    "bun.lock": "bun",
    "package-lock.json": "npm",
}
# A tool for workspaces → its file, and the command that runs a script in every package.
WORKSPACE_TOOLS = {
    "turbo.json": "turbo run {}",
    "nx.json": "nx run-many -t {}",
    "lerna.json": "lerna run {}",
}
EVERY_PACKAGE = {
    "npm": "npm run {} --workspaces --if-present",
    "pnpm": "pnpm -r run {}",
    "yarn": "yarn workspaces run {}",
    "bun": "bun run --filter '*' {}",
}
EXECUTE = {"npm": "npx", "pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx"}


def node_ways(folder: ProjectFolder) -> list[Way]:
    """The scripts of package.json or deno.json that are named after a check."""
    if not folder.has("package.json"):
        return _deno_ways(folder)
    scripts = package_scripts(folder.text("package.json"))
    tool = node_tool(folder)
    commands = commands_in("package.json", json.dumps({"scripts": scripts}))
    named = [
        Script(name, text, tuple(c for c in commands if c.entry == name))
        for name, text in scripts.items()
    ]
    return [*script_ways(named, lambda name: f"{tool} run {name}", True), *_monorepo_ways(folder)]


def package(folder: ProjectFolder) -> dict[str, Any]:
    try:
        content = json.loads(folder.text("package.json"))
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def node_tool(folder: ProjectFolder) -> str:
    """The manager of packages that this folder, or one above it, is made for."""
    path = folder.path
    while True:
        place = ProjectFolder(path, folder.top)
        named = re.match(r"(npm|pnpm|yarn|bun)@", str(package(place).get("packageManager", "")))
        if named:
            return named[1]
        if lock := place.first_of(*LOCK_FILES):
            return LOCK_FILES[lock]
        if path == folder.top or len(path) <= len(folder.top):
            return "npm"
        path = os.path.dirname(path)


def workspace_command(folder: ProjectFolder, script: str) -> str:
    """The command that runs a script in every package; "" where there are no workspaces."""
    tool = node_tool(folder)
    has_workspaces = folder.has("pnpm-workspace.yaml") or "workspaces" in package(folder)
    return EVERY_PACKAGE[tool].format(script) if has_workspaces else ""


def _monorepo_ways(folder: ProjectFolder) -> list[Way]:
    """The tasks that turbo, nx or lerna are configured to run in all packages."""
    file = folder.first_of(*WORKSPACE_TOOLS)
    if not file:
        return []
    keys = read(file, folder.text(file)) or {}
    tasks = {
        match[1]: Script(match[1], "")
        for key in keys
        if (match := re.match(r"(?:tasks|pipeline|targetDefaults)\.([\w:-]+)", key))
    }
    command = f"{EXECUTE[node_tool(folder)]} {WORKSPACE_TOOLS[file]}"
    return script_ways(tasks.values(), command.format, True)


def _deno_ways(folder: ProjectFolder) -> list[Way]:
    file = folder.first_of("deno.json", "deno.jsonc")
    keys = read(file, folder.text(file)) or {} if file else {}
    tasks = {key: " ".join(words) for key, words in keys.items() if key.startswith("tasks.")}
    named = [Script(key.removeprefix("tasks."), text) for key, text in tasks.items()]
    return script_ways(named, lambda name: f"deno task {name}", True)
