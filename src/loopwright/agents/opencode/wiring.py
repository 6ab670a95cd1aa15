"""OpenCode: a plugin, because no hook of it can refuse a stop."""

from __future__ import annotations

from ..wiring import CONFIG_VARIABLE, HOUR, CommandPages, ConfigFolder, HookEvent, Wiring

WIRING = Wiring(
    host="opencode",
    folder=ConfigFolder(CONFIG_VARIABLE, ".config"),
    file="opencode/plugin/loopwright.js",
    events=(HookEvent("session.idle", HOUR),),
    whole_file=True,
    plugin="opencode.js",
    commands=CommandPages(
        path="opencode/command/loop-{name}.md",
        style="markdown",
        arguments="$ARGUMENTS",
        prefix="/loop-",
        runs_inline="!`{command}`",
    ),
)
