"""What OpenCode can do."""

from ..base import MESSAGE, About

ABOUT = About(
    name="opencode",
    program="opencode",
    dollars="reported",
    resumes=True,
    fenced="permission rules of its own configuration",
    reads=("AGENTS.md",),
    credentials=(("OPENCODE_", ""), ("OPENAI_", ""), ("ANTHROPIC_", "")),
    install="npm install -g opencode-ai",
    hold=MESSAGE,
    commands="/loop-status",
    headless="opencode run --format json",
    measured="1.18.18",
)
