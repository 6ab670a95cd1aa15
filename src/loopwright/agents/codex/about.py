"""What Codex can do for a runner."""

from ..base import About

ABOUT = About(
    "codex",
    "codex",
    dollars="from tokens",
    resumes=True,
    fenced="--sandbox workspace-write: writes inside the project only, not to .git, and has no network",
    reads=("AGENTS.md",),
    install="npm install -g @openai/codex",
)
