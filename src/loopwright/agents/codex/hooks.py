"""How Codex calls our hook. Its answers are checked strictly: no field beyond those that we use."""

from __future__ import annotations

from ..hook_wire import HookWire, same_names

WIRE = HookWire(
    host="codex",
    events=same_names("Stop", "UserPromptSubmit", "SessionStart", "PreCompact"),
    fields=(("prompt_id", "turn_id"),),
    shows_in_one_shot=False,
    one_shot=("exec",),
    agent_variables=("CODEX_THREAD_ID",),
)
