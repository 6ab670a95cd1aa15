"""Where Claude Code keeps what is its own: settings, commands, plugins, transcripts."""

from __future__ import annotations

import os

ALIAS_MARKER = "An alias of Loopwright"  # by this line the bare /loop is known as ours
MANIFEST = ".claude-plugin/plugin.json"  # in every plugin
PACKAGE_IN_PLUGIN = "vendor/loopwright"  # in our plugin: the package, or a link to it


def config_home() -> str:
    """The person's own folder of the client."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


def alias_file(base: str) -> str:
    """The command that takes the place of the client's own /loop; `base` is a .claude folder."""
    return os.path.join(base, "commands", "loop.md")
