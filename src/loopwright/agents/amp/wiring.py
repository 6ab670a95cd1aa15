"""Amp: a plugin, because no hook of it can refuse a stop."""

from __future__ import annotations

from ..wiring import CONFIG_VARIABLE, HOUR, ConfigFolder, HookEvent, Wiring

WIRING = Wiring(
    host="amp",
    folder=ConfigFolder(CONFIG_VARIABLE, ".config"),
    file="amp/plugins/loopwright.ts",
    events=(HookEvent("agent.end", HOUR),),
    whole_file=True,
    plugin="amp.ts",
    steps=("run `plugins: reload` in the palette of Amp",),
)
