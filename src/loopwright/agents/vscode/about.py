"""What the agent of VS Code can do."""

from ..base import VETO, About

ABOUT = About(
    name="vscode",
    program="code",
    dollars="unknown",
    reads=("AGENTS.md", ".github/copilot-instructions.md"),
    install="https://code.visualstudio.com",
    hold=VETO,
)
