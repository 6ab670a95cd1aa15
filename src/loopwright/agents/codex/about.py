"""What Codex can do for a runner."""

from ..base import About

ABOUT = About(
    "codex",
    "codex",
    dollars="from tokens",
    resumes=True,
    fenced="--sandbox workspace-write: writes in the project and temporary folders, not to .git; no network",
    config=("CODEX_HOME", ".codex", "config.toml"),
    reads=("AGENTS.md",),
    install="npm install -g @openai/codex",
)
