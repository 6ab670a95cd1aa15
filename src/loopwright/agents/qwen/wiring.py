"""Qwen Code: the hooks of its settings, in milliseconds, and a higher cap."""

from __future__ import annotations

from ..wiring import HOUR, CommandPages, ConfigFolder, HookEvent, Wiring

WIRING = Wiring(
    host="qwen",
    folder=ConfigFolder("", ".qwen"),
    file="settings.json",
    events=(
        HookEvent("Stop", HOUR),
        HookEvent("UserPromptSubmit", HOUR),
        HookEvent("SessionStart"),
        HookEvent("SessionEnd", 10),
        HookEvent("PreCompact"),
    ),
    group=(("matcher", "*"),),
    more=(("name", "loopwright"), ("type", "command")),
    timeout_unit=1000,
    settings=(("stopHookBlockingCap", 100),),
    cap=100,
    commands=CommandPages(
        path="commands/loop/{name}.md",
        style="markdown",
        arguments="{{args}}",
        prefix="/loop:",
        answered_by_hook=True,
    ),
)
