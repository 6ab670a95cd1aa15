"""Where the files of a host are on this machine, and the command that we register there."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from importlib import import_module

from ..agents.registry import HOST_NAMES, load_about
from ..agents.wiring import Wiring
from ..disk.user_folders import home_folder

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOOK_SCRIPT = os.path.join(PACKAGE, "hook", "__main__.py")


def load_wiring(host: str) -> Wiring | None:
    """How our hook is registered with the host; None for Claude Code, and where nothing can be."""
    try:
        wiring: Wiring = import_module(f"loopwright.agents.{host}.wiring").WIRING
    except ModuleNotFoundError:
        return None
    return wiring


def wired_hosts() -> dict[str, Wiring]:
    """Every host that has a table of this kind."""
    found = {name: load_wiring(name) for name in HOST_NAMES}
    return {name: wiring for name, wiring in found.items() if wiring}


def config_folder(wiring: Wiring) -> str:
    """The user's folder of the host."""
    named = os.environ.get(wiring.folder.variable, "") if wiring.folder.variable else ""
    return named if os.path.isabs(named) else os.path.join(home_folder(), wiring.folder.default)


def hook_file(wiring: Wiring) -> tuple[Wiring, str]:
    """The file that holds our hook; and the wiring for it, which may name its events deeper.

    Where a new file would hide the hooks in another, the other one is used.
    """
    path = os.path.join(config_folder(wiring), wiring.file)
    if wiring.masks and not os.path.exists(path):
        path = os.path.join(config_folder(wiring), wiring.masks)
        return wiring.but(path=("hooks", *wiring.path), file=wiring.masks), path
    return wiring, path


def is_client_here(host: str) -> bool:
    """Is the program of the host on the PATH, or its folder in the home?"""
    wiring, program = load_wiring(host), load_about(host).program
    if program and shutil.which(program):
        return True
    if wiring is None or wiring.folder.default == ".config":
        return False
    return os.path.isdir(config_folder(wiring)) and host != "vscode"


def hook_argv(wiring: Wiring, event: str = "") -> list[str]:
    """The words that start our hook for this host."""
    words = [sys.executable, "-I", "-S", HOOK_SCRIPT, wiring.host]
    if wiring.names_event and event:
        words += ["--event", event]
    if wiring.cap:
        words += ["--cap", str(wiring.cap)]
    return words


def hook_command(wiring: Wiring, event: str) -> str:
    """The line that we register. When our files are gone it says nothing, and the stop is allowed.

    Some hosts take the error of a missing program for a reason to continue.
    """
    words = hook_argv(wiring, event)
    line = " ".join(shlex.quote(word) for word in words)
    if sys.platform == "win32":
        return line
    return f"[ ! -x {shlex.quote(words[0])} ] || [ ! -f {shlex.quote(HOOK_SCRIPT)} ] || exec {line}"
