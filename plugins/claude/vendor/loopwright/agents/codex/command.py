"""How Codex is started for one turn. The prompt goes to its stdin.

The user's config names provider and model, so it is read; hooks, plugins and MCP servers are turned off unless asked for.
"""

from __future__ import annotations

from ..base import ALL, Call

ISOLATED = ("--disable", "hooks", "--disable", "plugins", "-c", "mcp_servers={}", "--ignore-rules")


def command(call: Call) -> tuple[str, ...]:
    words = ["codex", "exec", "--json", "--skip-git-repo-check"]
    words += ["--dangerously-bypass-approvals-and-sandbox"] if call.permissions == ALL else ["--sandbox", "workspace-write"]
    if not call.settings:
        words += ISOLATED
    if call.model:
        words += ["--model", call.model]
    return (*words, "resume", call.session, "-") if call.session else (*words, "-")
