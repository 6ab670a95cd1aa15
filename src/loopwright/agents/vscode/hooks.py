"""How the agent of VS Code calls our hook: the decision stands inside hookSpecificOutput."""

from __future__ import annotations

from ..hook_wire import HookWire

WIRE = HookWire(
    host="vscode",
    events=(
        ("Stop", "Stop"),
        ("UserPromptSubmit", "UserPromptSubmit"),
        ("SessionStart", "SessionStart"),
    ),
    fields=(("session_id", "sessionId"),),
    repeats_nested=True,
)
