"""Gemini CLI: the hooks of its settings, in milliseconds."""

from __future__ import annotations

from ..wiring import HOUR, CommandPages, ConfigFolder, HookEvent, Wiring

WIRING = Wiring(
    host="gemini",
    folder=ConfigFolder("", ".gemini"),
    file="settings.json",
    events=(
        HookEvent("AfterAgent", HOUR),
        HookEvent("BeforeAgent", HOUR),
        HookEvent("SessionStart"),
        HookEvent("SessionEnd", 10),
        HookEvent("PreCompress"),
    ),
    group=(("matcher", "*"),),
    more=(("name", "loopwright"), ("type", "command")),
    timeout_unit=1000,
    commands=CommandPages(
        path="commands/loop/{name}.toml",
        style="toml",
        arguments="{{args}}",
        prefix="/loop:",
        answered_by_hook=True,
    ),
)
