"""How Gemini CLI is started for one turn. The prompt goes to its stdin.

Measured with 0.61: it refuses to work in a folder that it does not trust, and with --skip-trust it
loads neither hooks nor MCP servers of the project. Extensions and the MCP servers of the user are
off unless asked for. The user's own hooks cannot be turned off.
"""

from __future__ import annotations

from ..base import ALL, TurnRequest, permitted_commands

ISOLATION_FLAGS = ("--extensions", "none", "--allowed-mcp-server-names", "none")


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ["gemini", "--output-format", "stream-json", "--skip-trust"]
    words += approval_words(request, "auto_edit")
    if not request.settings:
        words += ISOLATION_FLAGS
    if request.model:
        words += ["--model", request.model]
    if request.session:
        words += ["--resume", request.session]
    return tuple(words)


def approval_words(request: TurnRequest, edits: str) -> list[str]:
    """What it may do without asking; Qwen Code, which came from it, has another word for edits."""
    if request.permissions == ALL:
        return ["--approval-mode", "yolo"]
    words = ["--approval-mode", edits]
    for line in permitted_commands(request):
        words += ["--allowed-tools", f"run_shell_command({line})"]
    return words
