"""How OpenCode is started for one turn. The prompt goes to its stdin.

Measured with 1.18: without these variables it loads plugins and starts MCP servers of a cloned
repository without a question. Its permissions are a variable too.
"""

from __future__ import annotations

from ...core.json_text import as_dict, dumps, json_object
from ..base import ALL, TurnRequest, permitted_commands


def command(request: TurnRequest) -> tuple[str, ...]:
    # Its log goes to stderr: only there it says that it waits for a usage limit.
    words = ["opencode", "run", "--format", "json", "--print-logs", "--log-level", "ERROR"]
    if request.permissions == ALL:
        words.append("--auto")
    if not request.settings:
        words.append("--pure")
    if request.model:
        words += ["--model", request.model]
    if request.session:
        words += ["--session", request.session]
    return tuple(words)


def environment(request: TurnRequest) -> dict[str, str]:
    variables = {}
    if request.permissions != ALL:
        variables["OPENCODE_PERMISSION"] = dumps(edit_permissions(request))
    if not request.settings:
        variables["OPENCODE_DISABLE_PROJECT_CONFIG"] = "1"
        if servers := mcp_servers(request.config_text):
            off = {name: {"enabled": False} for name in servers}
            variables["OPENCODE_CONFIG_CONTENT"] = dumps({"mcp": off})
    return variables


def edit_permissions(request: TurnRequest) -> dict[str, object]:
    """What it may do without a person: edit the project, and run these commands exactly."""
    commands = dict.fromkeys(permitted_commands(request), "allow")
    reports = {f"{line} *": "allow" for line in commands if line.startswith("loop ")}
    return {
        "edit": "allow",
        "bash": {"*": "deny", **commands, **reports},
        "external_directory": "deny",
        "webfetch": "deny",
        "websearch": "deny",
    }


def mcp_servers(config: str) -> tuple[str, ...]:
    """The MCP servers in the user's opencode.json; none when it has comments or is invalid."""
    return tuple(as_dict((json_object(config) or {}).get("mcp")))
