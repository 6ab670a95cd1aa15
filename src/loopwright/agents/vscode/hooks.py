"""How the agent of VS Code calls our hook: the decision stands inside hookSpecificOutput."""

from __future__ import annotations

from ..hook_wire import HookWire, same_names

WIRE = HookWire(
    host="vscode",
    events=same_names("Stop", "UserPromptSubmit", "SessionStart"),
    fields=(("session_id", "sessionId"),),
    repeats_nested=True,
)
