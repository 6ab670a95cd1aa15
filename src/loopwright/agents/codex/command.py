"""How Codex is started for one turn. The prompt goes to its stdin.

The user's config names provider and model, so Codex reads it. Hooks, plugins, MCP servers, the
notifier and the settings of a trusted project are off unless the user asks for them. Measured with
0.166: `-c mcp_servers={}` is merged and turns nothing off, so we name each server.
"""

from __future__ import annotations

import tomllib

from ...core.json_text import as_dict, dumps
from ..base import ALL, TurnRequest

ISOLATION_FLAGS = (
    *("--disable", "hooks"),
    *("--disable", "plugins"),
    *("-c", "notify=[]"),
    "--ignore-rules",
)


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ["codex", "exec", "--json", "--skip-git-repo-check"]
    # Its own sandbox cannot start inside ours (measured with 0.166: no second /proc).
    if request.permissions == ALL or request.boxed:
        words.append("--dangerously-bypass-approvals-and-sandbox")
    else:
        words += ["--sandbox", "workspace-write"]
    if not request.settings:
        words += ISOLATION_FLAGS
        words += ["-c", f'projects={{{dumps(request.root)}={{trust_level="untrusted"}}}}']
        for name in mcp_servers(request.config_text):
            words += ["-c", f"mcp_servers.{name}.enabled=false"]
    if request.model:
        words += ["--model", request.model]
    if request.session:
        words += ["resume", request.session]
    return (*words, "-")


def mcp_servers(config: str) -> tuple[str, ...]:
    """The MCP servers in the user's config.toml; none when it is invalid, which Codex reports."""
    try:
        return tuple(as_dict(tomllib.loads(config).get("mcp_servers")))
    except (ValueError, RecursionError):
        return ()
