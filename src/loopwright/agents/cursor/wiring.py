"""Cursor: hooks.json, without its limit of five follow-up messages."""

from __future__ import annotations

from ..wiring import HOUR, CommandPages, ConfigFolder, HookEvent, Wiring

WIRING = Wiring(
    host="cursor",
    folder=ConfigFolder("", ".cursor"),
    file="hooks.json",
    events=(HookEvent("stop", HOUR),),
    grouped=False,
    more=(("loop_limit", None),),
    top=(("version", 1),),
    commands=CommandPages(path="commands/loop-{name}.md", style="plain", prefix="/loop-"),
)
