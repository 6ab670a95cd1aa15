"""Copilot CLI: a file of our own in the user's folder.

Hooks of a repository stay silent in a folder that the person has not trusted.
"""

from __future__ import annotations

from ..wiring import HOUR, CommandPages, ConfigFolder, HookEvent, OffSwitch, Wiring

HOME_VARIABLE = "COPILOT_HOME"

WIRING = Wiring(
    host="copilot",
    folder=ConfigFolder(HOME_VARIABLE, ".copilot"),
    file="hooks/loopwright.json",
    events=(
        HookEvent("agentStop", HOUR),
        HookEvent("userPromptSubmitted", HOUR),
        HookEvent("sessionStart"),
        HookEvent("sessionEnd", 10),
    ),
    grouped=False,
    command_key="bash",
    timeout_key="timeoutSec",
    top=(("version", 1),),
    whole_file=True,
    names_event=True,
    off_switches=tuple(
        OffSwitch(file, ("disableAllHooks",), True) for file in ("settings.json", "config.json")
    ),
    commands=CommandPages(path="skills/loop-{name}/SKILL.md", style="skill"),
)
