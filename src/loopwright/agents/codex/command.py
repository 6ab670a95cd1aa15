"""How Codex is started for one turn. The prompt goes to its stdin.

The user's config names provider and model, so it is read; hooks, plugins, MCP servers, the notifier and all that a trusted
project configures are turned off unless asked for. Measured with 0.166: `-c mcp_servers={}` is merged and turns nothing off,
so each server is turned off by its name.
"""

from __future__ import annotations

import tomllib

from ...core.json_text import dumps
from ..base import ALL, TurnRequest, as_dict

ISOLATION_FLAGS = (
    "--disable",
    "hooks",
    "--disable",
    "plugins",
    "-c",
    "notify=[]",
    "--ignore-rules",
)


def command(call: TurnRequest) -> tuple[str, ...]:
    words = ["codex", "exec", "--json", "--skip-git-repo-check"]
    words += (
        ["--dangerously-bypass-approvals-and-sandbox"]
        if call.permissions == ALL
        else ["--sandbox", "workspace-write"]
    )
    if not call.settings:
        words += [
            *ISOLATION_FLAGS,
            "-c",
            f'projects={{{dumps(call.root)}={{trust_level="untrusted"}}}}',
        ]
        words += [
            word
            for name in mcp_servers(call.config_text)
            for word in ("-c", f"mcp_servers.{name}.enabled=false")
        ]
    if call.model:
        words += ["--model", call.model]
    return (*words, "resume", call.session, "-") if call.session else (*words, "-")


def mcp_servers(config: str) -> tuple[str, ...]:
    """The MCP servers that the user's config.toml starts. One that cannot be read Codex will complain of itself."""
    try:
        return tuple(as_dict(tomllib.loads(config).get("mcp_servers")))
    except (ValueError, RecursionError):
        return ()
