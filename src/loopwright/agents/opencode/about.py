"""What OpenCode can do."""

from ..base import MESSAGE, About

CONFIG_VARIABLE = "XDG_CONFIG_HOME"

ABOUT = About(
    name="opencode",
    program="opencode",
    dollars="reported",
    resumes=True,
    fenced="OPENCODE_PERMISSION: edits files of the project, "
    "other commands only where a check names them",
    config=(CONFIG_VARIABLE, ".config", "opencode/opencode.json"),
    silent=True,  # while it waits for a usage limit
    reads=("AGENTS.md",),
    credentials=(("OPENCODE_", ""), ("OPENAI_", ""), ("ANTHROPIC_", "")),
    install="npm install -g opencode-ai",
    hold=MESSAGE,
    commands="/loop-status",
    headless="opencode run --format json",
    measured="1.18.18",
)
