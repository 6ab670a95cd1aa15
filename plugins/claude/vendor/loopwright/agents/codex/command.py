"""How Codex is started for one turn. The prompt goes to its stdin.

The user's config names provider and model, so it is read; hooks, plugins, MCP servers, the notifier and all that a trusted
project configures are turned off unless asked for. Measured with 0.166: `-c mcp_servers={}` is merged and turns nothing off,
so each server is turned off by its name.
"""

from __future__ import annotations

import tomllib

from ...core.record import dumps
from ..base import ALL, Call, table

ISOLATED = ("--disable", "hooks", "--disable", "plugins", "-c", "notify=[]", "--ignore-rules")


def command(call: Call) -> tuple[str, ...]:
    words = ["codex", "exec", "--json", "--skip-git-repo-check"]
    words += ["--dangerously-bypass-approvals-and-sandbox"] if call.permissions == ALL else ["--sandbox", "workspace-write"]
    if not call.settings:
        words += [*ISOLATED, "-c", f'projects={{{dumps(call.root)}={{trust_level="untrusted"}}}}']
        words += [word for name in servers(call.config) for word in ("-c", f"mcp_servers.{name}.enabled=false")]
    if call.model:
        words += ["--model", call.model]
    return (*words, "resume", call.session, "-") if call.session else (*words, "-")


def servers(config: str) -> tuple[str, ...]:
    """The MCP servers that the user's config.toml starts. One that cannot be read Codex will complain of itself."""
    try:
        return tuple(table(tomllib.loads(config).get("mcp_servers")))
    except (ValueError, RecursionError):
        return ()
