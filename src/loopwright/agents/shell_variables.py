"""The variables by which we know that an agent runs a command, and in which session of it."""

from __future__ import annotations

import os

# Each holds the id of the session; set in the shells of an agent, the first also for hooks.
SESSION_VARIABLES = (
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_THREAD_ID",
    "QWEN_CODE_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
)
# Set in a shell of an agent; LOOP_CHILD by `loop run`.
AGENT_VARIABLES = (
    *("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "LOOP_CHILD"),
    *("CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE", "COPILOT_AGENT_SESSION_ID", "OPENCODE"),
)


def agent_session() -> str:
    """The session whose agent runs us; "" outside of one, and where the client does not tell."""
    values = (os.environ.get(name, "") for name in SESSION_VARIABLES)
    return next(filter(None, values), "")
