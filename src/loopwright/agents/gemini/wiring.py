"""Gemini CLI: the hooks of its settings, in milliseconds."""

from __future__ import annotations

from ..wiring import HOUR, CommandPages, ConfigFolder, HookEvent, OffSwitch, Wiring

GEMINI_HOME_VARIABLE = "GEMINI_CLI_HOME"  # stands for the home
NAME = "loopwright"

WIRING = Wiring(
    host="gemini",
    folder=ConfigFolder(GEMINI_HOME_VARIABLE, ".gemini", below=".gemini"),
    file="settings.json",
    events=(
        HookEvent("AfterAgent", HOUR),
        HookEvent("BeforeAgent", HOUR),
        HookEvent("SessionStart"),
        HookEvent("SessionEnd", 10),
        HookEvent("PreCompress"),
    ),
    group=(("matcher", "*"),),
    more=(("name", NAME), ("type", "command")),
    timeout_unit=1000,
    off_switches=(
        OffSwitch("settings.json", ("hooksConfig", "enabled"), False),
        OffSwitch("settings.json", ("hooksConfig", "disabled"), NAME),
    ),
    commands=CommandPages(
        path="commands/loop/{name}.toml",
        style="toml",
        arguments="{{args}}",
        prefix="/loop:",
        answered_by_hook=True,
    ),
)
