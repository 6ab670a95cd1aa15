"""Factory Droid: hooks.json, which holds the events without a name around them."""

from __future__ import annotations

from ..wiring import HOUR, ConfigFolder, HookEvent, Wiring

WIRING = Wiring(
    host="droid",
    folder=ConfigFolder("", ".factory"),
    file="hooks.json",
    events=(
        HookEvent("Stop", HOUR),
        HookEvent("UserPromptSubmit", HOUR),
        HookEvent("SessionStart"),
        HookEvent("SessionEnd", 10),
        HookEvent("PreCompact"),
    ),
    path=(),
    masks="settings.json",
    steps=("open /hooks in Droid and accept the change",),
)
