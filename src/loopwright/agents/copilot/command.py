"""How GitHub Copilot CLI is started for one turn. The prompt goes to its stdin.

Measured with 1.0.102: a rule for a command counts for its program, whatever words follow, so a rule
for a check would allow everything that a Python can do. We give none: it edits, and we run the
checks. Without trust in the folder, nothing of the repository is loaded. The user's own hooks
cannot be turned off; the user's MCP servers are turned off by name.
"""

from __future__ import annotations

from ...core.json_text import as_dict, json_object
from ..base import ALL, TurnRequest


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ["copilot", "--output-format", "json", "--stream", "off"]
    words += ["--no-ask-user", "--no-auto-update"]
    words += ["--allow-all"] if request.permissions == ALL else ["--allow-tool", "write"]
    if not request.settings:
        words.append("--disable-builtin-mcps")
        for name in mcp_servers(request.config_text):
            words += ["--disable-mcp-server", name]
    elif "project" in request.settings:
        words.append("--trust-folder")
    if request.model:
        words += ["--model", request.model]
    if request.session:
        words.append(f"--resume={request.session}")
    return tuple(words)


def mcp_servers(config: str) -> tuple[str, ...]:
    """The MCP servers in the user's mcp-config.json; none when it is invalid."""
    return tuple(as_dict((json_object(config) or {}).get("mcpServers")))
