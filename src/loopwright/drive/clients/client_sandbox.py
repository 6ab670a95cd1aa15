"""The client's own sandbox: what its settings say, and our settings for it.

In a session the client itself cannot be put into a box of ours. The names of Claude Code's settings
are those of its documentation.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator
from typing import Any

from ...agents.codex.about import HOME_VARIABLE
from ...core.json_text import as_dict
from ...disk.files import read_text
from ...disk.programs import own_program
from ...disk.user_folders import home_folder, state_home
from ...sandbox.choose import AUTO, SandboxUnavailable, choose_sandbox
from ...store.config import settings, user_file
from ...store.folder import LoopFolder
from ..doctor.client import MAX_SETTINGS_CHARS, settings_object
from ..doctor.diagnosis import Diagnosis

RESET = f"sandbox.use {AUTO}"
SWITCHES = {"enabled": True, "failIfUnavailable": True, "allowUnsandboxedCommands": False}
INSTALL = "apt install bubblewrap socat"  # of what it needs on Linux
# Our own command writes the journal and the state folder, and runs checks in our own sandbox.
EXCLUDED = ["loop", "loop *"]
SECRETS = ["~/.ssh", "~/.aws", "~/.netrc", "~/.config/gh", "~/.gnupg", "~/.kube"]
PROTECTED = [".git/hooks", ".git/config", ".loop"]


def diagnose_sandboxes(folder: LoopFolder) -> Iterator[Diagnosis]:
    """Is there a sandbox for `loop run` and for checks, and does a session have its own?"""
    wish = str(settings(folder.root)["sandbox.use"])
    try:
        sandbox = choose_sandbox(wish, folder.root, os.path.dirname(user_file()))
    except SandboxUnavailable as error:
        yield Diagnosis("fail", f"your setting sandbox.use: {error}", f"loop config {RESET}")
        sandbox = choose_sandbox(AUTO, folder.root, os.path.dirname(user_file()))
    if sandbox.is_on:
        yield Diagnosis("ok", f"`loop run` and checks have a sandbox: {sandbox.label}")
    else:
        yield Diagnosis("warn", "there is no sandbox for `loop run` and checks", sandbox.why)
    yield _diagnose_claude(folder)
    yield from _diagnose_codex()


def _diagnose_claude(folder: LoopFolder) -> Diagnosis:
    found = settings_object(folder, "sandbox")
    fix = "loop install --sandbox"
    if found.get("enabled") is not True:
        return Diagnosis(
            "ok", f"the sandbox of Claude Code is off: commands of a session run as you ({fix})"
        )
    if found.get("failIfUnavailable") is not True:
        return Diagnosis(
            "warn",
            "the sandbox of Claude Code is on; where it is missing, commands run all the same",
            fix,
        )
    if missing := " and ".join(missing_programs()):
        return Diagnosis(
            "fail",
            f"Claude Code does not start: its sandbox is required and needs {missing}",
            f"{INSTALL}, or: loop install --sandbox --remove",
        )
    return Diagnosis("ok", "the sandbox of Claude Code is on, and required")


def _diagnose_codex() -> Iterator[Diagnosis]:
    base = os.environ.get(HOME_VARIABLE) or os.path.join(home_folder(), ".codex")
    text = read_text(os.path.join(base, "config.toml"), MAX_SETTINGS_CHARS)
    if text is None:
        return
    try:
        mode = tomllib.loads(text).get("sandbox_mode", "")
    except (ValueError, RecursionError):
        return
    if mode == "danger-full-access":
        fix = f'sandbox_mode = "workspace-write" in {os.path.join(base, "config.toml")}'
        yield Diagnosis("warn", "the sandbox of Codex is off in your settings", fix)
    else:
        yield Diagnosis("ok", f"the sandbox of Codex: {mode or 'its default'}")


def missing_programs() -> list[str]:
    """What the sandbox of Claude Code needs and this machine lacks."""
    needed = ("bwrap", "socat") if sys.platform.startswith("linux") else ()
    return [name for name in needed if not own_program(name)]


def sandbox_settings(given: dict[str, Any], remove: bool) -> dict[str, Any]:
    """The settings with Claude Code's own sandbox on and required; what the person has set stays.

    With `remove`: the settings without what is ours.
    """
    sandbox = {**as_dict(given.get("sandbox"))}
    files = {**as_dict(sandbox.get("filesystem"))}
    own_lists = {"denyRead": [*SECRETS, state_home()], "denyWrite": PROTECTED}
    if remove:
        sandbox = {k: v for k, v in sandbox.items() if SWITCHES.get(k) != v}
        files |= {k: _without(files[k], own) for k, own in own_lists.items() if k in files}
        sandbox["excludedCommands"] = _without(sandbox.get("excludedCommands"), EXCLUDED)
    else:
        sandbox |= SWITCHES
        files |= {name: _with(files.get(name), own) for name, own in own_lists.items()}
        sandbox["excludedCommands"] = _with(sandbox.get("excludedCommands"), EXCLUDED)
    sandbox["filesystem"] = {name: value for name, value in files.items() if value != []}
    kept = {name: value for name, value in sandbox.items() if value not in ([], {})}
    others = {name: value for name, value in given.items() if name != "sandbox"}
    return {**others, "sandbox": kept} if kept else others


def _with(given: object, own: list[str]) -> list[str]:
    kept = given if isinstance(given, list) else []
    return [*kept, *(entry for entry in own if entry not in kept)]


def _without(given: object, own: list[str]) -> list[str]:
    return [entry for entry in given if entry not in own] if isinstance(given, list) else []
