"""What GitHub Copilot CLI can do."""

from ..base import VETO, About

HOME_VARIABLE = "COPILOT_HOME"

ABOUT = About(
    name="copilot",
    program="copilot",
    dollars="unknown",
    resumes=True,
    fenced="--allow-tool write: edits files; a command is refused without a person",
    config=(HOME_VARIABLE, ".copilot", "mcp-config.json"),
    reads=("AGENTS.md", ".github/copilot-instructions.md"),
    credentials=(("COPILOT_", ""), ("GH_TOKEN", ""), ("GITHUB_TOKEN", "")),
    install="npm install -g @github/copilot",
    hold=VETO,
    cap=8,
    cap_counts="answers to one prompt, with or without tool calls",
    commands="loop status",
    headless="copilot -p --output-format json",
    measured="1.0.102",
)
