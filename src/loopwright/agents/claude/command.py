"""How Claude Code is started for one turn. The prompt goes to its stdin.

Measured with 2.1.325: without --setting-sources a headless client runs the hooks of a cloned repository without a question, and
starts its MCP servers. So the sources are named, none unless asked for.
"""

from __future__ import annotations

import json
import os
import shlex
import sys

from ..base import ALL, EDITS, TurnRequest

OWN_COMMAND_RULES = (
    "Bash(loop claim:*)",
    "Bash(loop backlog:*)",
)  # how an agent tells us what it found and did
WRITE_SCOPE_HOOK = os.path.join(os.path.dirname(__file__), "write_scope_hook.py")
WRITING_TOOLS = "Edit|Write|MultiEdit|NotebookEdit"
PERMISSION_MODES = {EDITS: "acceptEdits", ALL: "bypassPermissions"}


def command(call: TurnRequest) -> tuple[str, ...]:
    words = [
        "claude",
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-mode",
        PERMISSION_MODES[call.permissions],
    ]
    words += ["--setting-sources", ",".join(call.settings)]
    if not call.settings:
        words.append("--strict-mcp-config")
    if call.write_scope_file:
        words += ["--settings", write_scope_settings(call.write_scope_file)]
    if call.budget:
        words += ["--max-budget-usd", f"{max(call.budget, 0.0001):.4f}"]
    if call.model:
        words += ["--model", call.model]
    if call.session:
        words += ["--resume", call.session]
    for rule in (*call.allow, *OWN_COMMAND_RULES, *filter(None, map(permission_rule, call.checks))):
        words += ["--allowedTools", rule]
    return tuple(words)


def write_scope_settings(file: str) -> str:
    """Settings with one hook: before a file is written, the task's write set is asked."""
    line = shlex.join((sys.executable, "-I", "-S", WRITE_SCOPE_HOOK, file))
    hook = {
        "matcher": WRITING_TOOLS,
        "hooks": [{"type": "command", "command": line, "timeout": 10}],
    }
    return json.dumps({"hooks": {"PreToolUse": [hook]}})


def permission_rule(line: str) -> str:
    """The permission to run exactly this command; "" where its text would be read as more than one rule."""
    return "" if set(line) & set("(),*\n") or not line.strip() else f"Bash({line})"
