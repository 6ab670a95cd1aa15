"""Qwen Code: the hooks of its settings, in milliseconds, and a higher cap."""

from __future__ import annotations

from ..wiring import HOUR, CommandPages, ConfigFolder, HookEvent, OffSwitch, Wiring

QWEN_HOME_VARIABLE = "QWEN_HOME"

WIRING = Wiring(
    host="qwen",
    folder=ConfigFolder(QWEN_HOME_VARIABLE, ".qwen"),
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
    off_switches=(OffSwitch("settings.json", ("disableAllHooks",), True),),
    commands=CommandPages(
        path="commands/loop/{name}.md",
        style="markdown",
        arguments="{{args}}",
        prefix="/loop:",
        answered_by_hook=True,
    ),
)
