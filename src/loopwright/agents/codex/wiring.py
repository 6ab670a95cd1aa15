"""Codex: hooks.json, and the hash of each hook in config.toml."""

from __future__ import annotations

from ..wiring import HOUR, CommandPages, ConfigFolder, HookEvent, OffSwitch, Wiring
from .about import HOME_VARIABLE

WIRING = Wiring(
    host="codex",
    folder=ConfigFolder(HOME_VARIABLE, ".codex"),
    file="hooks.json",
    events=(
        HookEvent("Stop", HOUR),
        HookEvent("UserPromptSubmit", HOUR),
        HookEvent("SessionStart"),
        HookEvent("PreCompact"),
    ),
    trust_file="config.toml",
    members=("description", "hooks"),
    off_switches=(OffSwitch("config.toml", ("features", "hooks"), False),),
    commands=CommandPages(path="skills/loop-{name}/SKILL.md", style="skill"),
)
