"""Where Claude Code keeps its own files: settings, commands, plugins, transcripts."""

from __future__ import annotations

import os

from ...disk.user_folders import home_folder

ALIAS_MARKER = "An alias of Loopwright"  # in the command file that makes the bare /loop ours
MANIFEST = ".claude-plugin/plugin.json"  # in every plugin
PACKAGE_IN_PLUGIN = "vendor/loopwright"  # in our plugin: the package, or a link to it


def config_home() -> str:
    """The client's folder in the person's home."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home_folder(), ".claude")


def alias_file(base: str) -> str:
    """The command file that replaces the client's own /loop; `base` is a .claude folder."""
    return os.path.join(base, "commands", "loop.md")
