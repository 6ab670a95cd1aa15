"""What Codex can do for a runner."""

from ..base import About

HOME_VARIABLE = "CODEX_HOME"

ABOUT = About(
    name="codex",
    program="codex",
    dollars="from tokens",
    resumes=True,
    fenced="--sandbox workspace-write: writes in the project and temporary folders, "
    "not to .git; no network",
    config=(HOME_VARIABLE, ".codex", "config.toml"),
    reads=("AGENTS.md",),
    credentials=(("OPENAI_", ""), ("AZURE_OPENAI_", ""), ("CODEX_", "")),
    install="npm install -g @openai/codex",
)
