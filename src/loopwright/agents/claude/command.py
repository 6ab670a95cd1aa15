"""How Claude Code is started for one turn. The prompt goes to its stdin.

Measured with 2.1.325: without --setting-sources a headless client runs the hooks of a cloned
repository without a question, and starts its MCP servers. So we always name the sources, and name
none unless the user asks for some.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import Any

from ..base import ALL, EDITS, TurnRequest
from .hooks import parse_version

# How an agent reports what it found and did.
OWN_COMMAND_RULES = ("Bash(loop claim:*)", "Bash(loop backlog:*)")
WRITE_SCOPE_HOOK = os.path.join(os.path.dirname(__file__), "write_scope_hook.py")
WRITING_TOOLS = "Edit|Write|MultiEdit|NotebookEdit"
PERMISSION_MODES = {EDITS: "acceptEdits", ALL: "bypassPermissions"}
# Since then it can be told that nobody answers. It denies the same either way, but with this the
# agent reads that a second attempt is useless. An older client ends at an option it does not know.
NO_PROMPTS_SINCE = (2, 1, 259)


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ["claude", "-p", "--output-format", "stream-json", "--verbose"]
    words += ["--permission-mode", PERMISSION_MODES[request.permissions]]
    if parse_version(request.version) >= NO_PROMPTS_SINCE:
        words += ["--permission-prompts", "none"]
    words += ["--setting-sources", ",".join(request.settings)]
    if not request.settings:
        words.append("--strict-mcp-config")
    if settings := turn_settings(request):
        words += ["--settings", json.dumps(settings)]
    if request.budget:
        words += ["--max-budget-usd", f"{max(request.budget, 0.0001):.4f}"]
    if request.model:
        words += ["--model", request.model]
    if request.session:
        words += ["--resume", request.session]
    check_rules = filter(None, map(permission_rule, request.checks))
    for rule in (*request.allow, *OWN_COMMAND_RULES, *check_rules):
        words += ["--allowedTools", rule]
    return tuple(words)


def turn_settings(request: TurnRequest) -> dict[str, Any]:
    """Settings of this turn. Its own sandbox cannot start inside ours, so it is off there."""
    settings: dict[str, Any] = {}
    if request.write_scope_file:
        settings["hooks"] = write_scope_hooks(request.write_scope_file)
    if request.boxed and request.settings:  # only loaded settings can have switched it on
        settings["sandbox"] = {"enabled": False}
    return settings


def write_scope_hooks(file: str) -> dict[str, Any]:
    """One hook, which checks every file against the task's write set."""
    line = shlex.join((sys.executable, "-I", "-S", WRITE_SCOPE_HOOK, file))
    hook = {
        "matcher": WRITING_TOOLS,
        "hooks": [{"type": "command", "command": line, "timeout": 10}],
    }
    return {"PreToolUse": [hook]}


def permission_rule(line: str) -> str:
    """The rule that allows exactly this command; "" when the text could be read as more rules."""
    if not line.strip() or set(line) & set("(),*\n"):
        return ""
    return f"Bash({line})"
