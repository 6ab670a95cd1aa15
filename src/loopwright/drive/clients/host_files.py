"""Where the files of a host are on this machine, and the command that we register there."""

from __future__ import annotations

import json
import os
import shlex
import sys
from importlib import import_module

from ...agents.hook_wire import HookWire
from ...agents.registry import HOST_NAMES, load_about
from ...agents.wiring import Wiring, switch_that_is_off
from ...disk.files import read_text
from ...disk.programs import PACKAGE, own_program
from ...disk.user_folders import home_folder
from ...formats import json_edit, toml_edit

MAX_SETTINGS = 4_000_000  # characters
HOOK_SCRIPT = os.path.join(PACKAGE, "hook", "__main__.py")


def load_wiring(host: str) -> Wiring | None:
    """How our hook is registered with the host; None for Claude Code, and where nothing can be."""
    try:
        wiring: Wiring = import_module(f"loopwright.agents.{host}.wiring").WIRING
    except ModuleNotFoundError:
        return None
    return wiring


def load_wire(host: str) -> HookWire:
    """How the hook of the host speaks."""
    wire: HookWire = import_module(f"loopwright.agents.{host}.hooks").WIRE
    return wire


def wired_hosts() -> dict[str, Wiring]:
    """Every host that has a table of this kind."""
    found = {name: load_wiring(name) for name in HOST_NAMES}
    return {name: wiring for name, wiring in found.items() if wiring}


def config_folder(wiring: Wiring) -> str:
    """The user's folder of the host."""
    folder = wiring.folder
    named = os.environ.get(folder.variable, "") if folder.variable else ""
    if os.path.isabs(named):
        return os.path.join(named, folder.below) if folder.below else named
    return os.path.join(home_folder(), folder.default)


def switched_off(wiring: Wiring) -> str:
    """The setting with which the host runs no hook of ours, and what to do; "" without one."""
    if strange := _strange_member(wiring):
        return strange
    base = config_folder(wiring)
    switches = tuple(
        (switch, _read_settings(os.path.join(base, switch.file))) for switch in wiring.off_switches
    )
    switch = switch_that_is_off(switches)
    if switch is None:
        return ""
    name, path = ".".join(switch.path), os.path.join(base, switch.file)
    if isinstance(switch.off, bool):
        return f"{name} is {str(switch.off).lower()} in {path}. Take it out"
    return f"{name} names {switch.off} in {path}. Take it out"


def _strange_member(wiring: Wiring) -> str:
    """What makes a strict host drop the file with our hook; "" if nothing does."""
    if not wiring.members:
        return ""
    path = hook_file(wiring)[1]
    try:
        found = json.loads(read_text(path, MAX_SETTINGS) or "{}")
    except ValueError:
        return f"{path} is not plain JSON. Take out comments, trailing commas and a BOM"
    more = [name for name in found if name not in wiring.members] if isinstance(found, dict) else []
    return f"{path} has {more[0]}, which {wiring.host} does not take. Take it out" if more else ""


def _read_settings(path: str) -> object:
    """The values in a file of settings; {} where it cannot be read."""
    text = read_text(path, MAX_SETTINGS) or ""
    try:
        return (toml_edit if path.endswith(".toml") else json_edit).read_value(text)
    except ValueError:  # another row of `loop doctor` says so
        return {}


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
    if program and own_program(program):
        return True
    if wiring is None or wiring.folder.default == ".config":
        return False
    return os.path.isdir(config_folder(wiring)) and host != "vscode"


def effective_cap(wiring: Wiring, text: str) -> int:
    """How many stops in a row the host lets us refuse, with the settings in this text; 0: no cap.

    A setting of the person's counts: we add ours only where there is none.
    """
    if not wiring.cap:
        return 0
    settings = json_edit.read_value(text)
    value = settings.get(wiring.settings[0][0]) if isinstance(settings, dict) else None
    return min(value, wiring.cap) if isinstance(value, int) and value > 0 else wiring.cap


def hook_argv(wiring: Wiring, event: str = "", cap: int = 0) -> list[str]:
    """The words that start our hook for this host."""
    words = [sys.executable, "-I", "-S", HOOK_SCRIPT, wiring.host]
    if wiring.names_event and event:
        words += ["--event", event]
    if cap:
        words += ["--cap", str(cap)]
    return words


def hook_command(wiring: Wiring, event: str, cap: int = 0) -> str:
    """The line that we register. When our files are gone it says nothing, and the stop is allowed.

    Some hosts take the error of a missing program for a reason to continue.
    """
    words = hook_argv(wiring, event, cap)
    line = " ".join(shlex.quote(word) for word in words)
    if sys.platform == "win32":
        return line
    return f"[ ! -x {shlex.quote(words[0])} ] || [ ! -f {shlex.quote(HOOK_SCRIPT)} ] || exec {line}"
