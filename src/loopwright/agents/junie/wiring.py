"""Junie: the hooks of its configuration."""

from __future__ import annotations

from ..wiring import HOUR, ConfigFolder, HookEvent, Wiring

WIRING = Wiring(
    host="junie",
    folder=ConfigFolder("", ".junie"),
    file="config.json",
    events=(HookEvent("Stop", HOUR),),
)
