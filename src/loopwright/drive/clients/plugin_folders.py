"""Where our plugin is on this machine, and whether the package is in it."""

from __future__ import annotations

import os
import shlex
from typing import Any

from ...agents.claude.paths import MANIFEST, PACKAGE_IN_PLUGIN, config_home
from ...core.json_text import json_object
from ...disk.files import read_text
from ...disk.programs import PACKAGE


def installed_plugins() -> dict[str, dict[str, Any]]:
    """Our plugin as the client lists it: NAME@MARKETPLACE and the first entry of that name."""
    table = _read_json(os.path.join(config_home(), "plugins", "installed_plugins.json"))
    try:
        return {
            name: dict(entries[0])
            for name, entries in table["plugins"].items()
            if name.startswith("loop@")
        }
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return {}


def installed_folder(name: str, entry: dict[str, Any]) -> str:
    """The folder that the client reads: its own copy, or the folder of a local marketplace."""
    markets = _read_json(os.path.join(config_home(), "plugins", "known_marketplaces.json"))
    try:
        market = markets[name.partition("@")[2]]
        if market["source"]["source"] == "directory":
            root = str(market["installLocation"])
            listed = _read_json(os.path.join(root, ".claude-plugin", "marketplace.json"))["plugins"]
            source = next(str(plugin["source"]) for plugin in listed if plugin["name"] == "loop")
            return os.path.normpath(os.path.join(root, source))
    except (KeyError, TypeError, StopIteration):
        pass
    return str(entry.get("installPath", ""))


def install_commands() -> tuple[str, str]:
    """The two commands that install the plugin from where this package is."""
    clone = os.path.dirname(os.path.dirname(PACKAGE))  # above src/
    add = f"claude plugin marketplace add {shlex.quote(clone)}"
    if not os.path.isfile(os.path.join(clone, ".claude-plugin", "marketplace.json")):
        folder = os.path.join("~", ".local", "share", "loopwright-plugin")
        add = f"loop plugin build --out {folder} && claude plugin marketplace add {folder}"
    return add, "claude plugin install loop@loopwright"


def package_fault(plugin: str) -> str:
    """What is wrong with the package in this plugin; "" when nothing is, or without a plugin."""
    package = os.path.join(plugin, PACKAGE_IN_PLUGIN)
    if not os.path.isfile(os.path.join(plugin, MANIFEST)):
        return ""
    if os.path.isfile(os.path.join(package, "__main__.py")):
        return ""
    if os.path.islink(package):
        return f"{package} is a link to {os.readlink(package)}, which is not there"
    if os.path.isfile(package):
        return f"{package} is a text file: git made no symbolic link of it (core.symlinks is false)"
    return f"{package} is missing"


def _read_json(path: str) -> dict[str, Any]:
    return json_object(read_text(path, 1_000_000) or "") or {}
