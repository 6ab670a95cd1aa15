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

from ..base import ALL, EDITS, TurnRequest

# How an agent reports what it found and did.
OWN_COMMAND_RULES = ("Bash(loop claim:*)", "Bash(loop backlog:*)")
WRITE_SCOPE_HOOK = os.path.join(os.path.dirname(__file__), "write_scope_hook.py")
WRITING_TOOLS = "Edit|Write|MultiEdit|NotebookEdit"
PERMISSION_MODES = {EDITS: "acceptEdits", ALL: "bypassPermissions"}


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ["claude", "-p", "--output-format", "stream-json", "--verbose"]
    words += ["--permission-mode", PERMISSION_MODES[request.permissions]]
    words += ["--setting-sources", ",".join(request.settings)]
    if not request.settings:
        words.append("--strict-mcp-config")
    if request.write_scope_file:
        words += ["--settings", write_scope_settings(request.write_scope_file)]
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


def write_scope_settings(file: str) -> str:
    """Settings with one hook, which checks every file against the task's write set."""
    line = shlex.join((sys.executable, "-I", "-S", WRITE_SCOPE_HOOK, file))
    hook = {
        "matcher": WRITING_TOOLS,
        "hooks": [{"type": "command", "command": line, "timeout": 10}],
    }
    return json.dumps({"hooks": {"PreToolUse": [hook]}})


def permission_rule(line: str) -> str:
    """The rule that allows exactly this command; "" when the text could be read as more rules."""
    if not line.strip() or set(line) & set("(),*\n"):
        return ""
    return f"Bash({line})"
