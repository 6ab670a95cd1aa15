"""What Codex can do."""

from ..base import VETO, About

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
    hold=VETO,
    commands="loop status",
    headless="codex exec --json",
    sandbox="bubblewrap or Seatbelt, on by default",
    measured="0.166.0",
)
