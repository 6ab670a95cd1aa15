"""What `loop doctor` finds in Claude Code: our plugin, our hook, the client's own settings."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from glob import glob
from typing import Any

from ... import __version__
from ...agents.claude import hooks
from ...agents.claude.paths import config_home
from ...core.json_text import as_dict, json_object
from ...disk.files import read_text
from ...disk.programs import PACKAGE, own_environment
from ...store.folder import LoopFolder
from ..clients.plugin_folders import (
    install_commands,
    installed_folder,
    installed_plugins,
    package_fault,
)
from .diagnosis import Diagnosis

MAX_SETTINGS_CHARS = 1_000_000
NO_HOOKS, MANAGED_ONLY = "disableAllHooks", "allowManagedHooksOnly"
MANAGED_FOLDERS = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": r"C:\Program Files\ClaudeCode",
}


def diagnose_hook_output() -> Iterator[Diagnosis]:
    """«JSON validation failed»: anything but one JSON object on stdout."""
    script = os.path.join(PACKAGE, "hook", "__main__.py")
    argv = [sys.executable, "-I", "-S", "-B", script, "claude", "--format", "ok"]
    done = subprocess.run(
        argv,
        cwd=os.path.dirname(script),
        env=own_environment(),
        input=b"{}",
        capture_output=True,
        timeout=30,
        check=False,
    )
    if done.returncode == 0 and json_object(done.stdout) == {"ok": True}:
        yield Diagnosis("ok", "the hook prints exactly one JSON object")
    else:
        output = (done.stdout + done.stderr)[-300:].decode("utf-8", "replace")
        yield Diagnosis(
            "fail", f"the hook does not answer as it should: {output!r}", "reinstall loopwright"
        )


def diagnose_hook_registration(folder: LoopFolder) -> Iterator[Diagnosis]:
    """By the plugin or in a settings file. With both, the hook runs twice at each stop."""
    plugins, disabled = installed_versions(), disabled_plugins(folder)
    for name, version in plugins:
        yield Diagnosis("ok", f"the plugin {name} {version} is installed")
        if name in disabled:
            yield Diagnosis(
                "warn", f"the plugin {name} is disabled", f"claude plugin enable {name}"
            )
        if version != __version__:
            yield Diagnosis(
                "warn",
                f"this command is {__version__}, the plugin {version}",
                f"claude plugin update {name}",
            )
    if off := hooks_off(folder):
        yield Diagnosis("fail", f"Claude Code runs no hook of ours: {off[0]}", off[1])
    if path := file_with_hook(folder):
        yield Diagnosis("ok", f"the hook is registered in {path}")
        if len(plugins) > len(disabled):
            yield Diagnosis(
                "warn",
                f"the hook is there twice: by the plugin and in {path}",
                "take it out of that file",
            )
    elif not plugins:
        yield Diagnosis(
            "warn",
            "neither plugin nor hook of ours in Claude Code: a session is not held",
            ", then: ".join(install_commands()),
        )


def file_with_hook(folder: LoopFolder) -> str:
    """The settings file that registers our hook; "" if none does."""
    for path in settings_files(folder):
        commands = _hook_commands(read_settings(path).get("hooks"))
        if any("loopwright" in command or "loop hook" in command for command in commands):
            return path
    return ""


def _hook_commands(value: object) -> Iterator[str]:
    """Every command in this part of the settings, at whatever depth."""
    if isinstance(value, dict):
        command = value.get("command")
        yield from [command] if isinstance(command, str) else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _hook_commands(part)


def has_hook(folder: LoopFolder) -> bool:
    """Does a session of Claude Code in this folder have our hook?"""
    plugins = set(installed_plugins()) - set(disabled_plugins(folder))
    return bool(plugins or file_with_hook(folder))


def disabled_plugins(folder: LoopFolder) -> list[str]:
    """Our plugins that are installed, and switched off in the settings."""
    enabled = settings_object(folder, "enabledPlugins")
    return [name for name in installed_plugins() if enabled.get(name) is False]


def hooks_off(folder: LoopFolder) -> tuple[str, str] | None:
    """Why the client runs no hook of ours, and the way out; None if it does."""
    found = ""
    for path in settings_files(folder):
        value = read_settings(path).get(NO_HOOKS)
        found = path if value is True else "" if value is False else found
    for path in _managed_files():
        for name in (NO_HOOKS, MANAGED_ONLY):
            if read_settings(path).get(name) is True:
                way_out = "ask who manages it, or work without a session: loop run"
                return f"{name} is true in {path}", way_out
    return (f"{NO_HOOKS} is true in {found}", f"set it to false in {found}") if found else None


def _managed_files() -> list[str]:
    """The settings that an organization gives; they are above all others."""
    base = MANAGED_FOLDERS.get(sys.platform, "/etc/claude-code")
    single = os.path.join(base, "managed-settings.json")
    return [single, *sorted(glob(os.path.join(base, "managed-settings.d", "*.json")))]


def read_settings(path: str) -> dict[str, Any]:
    return json_object(read_text(path, MAX_SETTINGS_CHARS) or "") or {}


def installed_versions() -> list[tuple[str, str]]:
    """Name and version of our plugin, if the client has it installed."""
    return [
        (name, str(entry["version"]))
        for name, entry in installed_plugins().items()
        if "version" in entry
    ]


def diagnose_plugin_package(folder: LoopFolder) -> Iterator[Diagnosis]:
    """«The plugin does nothing»: the checkout has no symbolic links, or the link leads nowhere."""
    fix = (
        "loop plugin build --out DIR, then: claude plugin marketplace add DIR (its full path), "
        "then: claude plugin install loop@loopwright. Keep DIR; the plugin is read from it"
    )
    levels = {os.path.join(folder.root, "plugins", "claude"): "warn"}
    for name, entry in installed_plugins().items():
        levels[installed_folder(name, entry)] = "fail"
    for path, level in levels.items():
        if fault := package_fault(path):
            yield Diagnosis(level, f"the plugin has no package: {fault}", fix)


def settings_files(folder: LoopFolder) -> list[str]:
    """Where Claude Code reads its settings, the later over the earlier."""
    names = ("settings.json", "settings.local.json")
    folders = (config_home(), os.path.join(folder.root, ".claude"))
    return [os.path.join(base, name) for base in folders for name in names]


def settings_object(folder: LoopFolder, name: str) -> dict[str, Any]:
    """The object of this name in the settings: members of later files over those of earlier."""
    found: dict[str, Any] = {}
    for path in settings_files(folder):
        found |= as_dict(read_settings(path).get(name))
    return found


def block_cap(folder: LoopFolder) -> int:
    """How many answers without a tool call the client takes in a row, as far as we can see."""
    value = os.environ.get(hooks.BLOCK_CAP_VARIABLE, "")
    value = settings_object(folder, "env").get(hooks.BLOCK_CAP_VARIABLE, value)
    return hooks.block_cap(str(value))
