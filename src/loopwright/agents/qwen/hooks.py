"""How Qwen Code calls our hook."""

from __future__ import annotations

from ..hook_wire import HookWire, same_names

CAP_VARIABLE = "QWEN_CODE_STOP_HOOK_BLOCK_CAP"

WIRE = HookWire(
    host="qwen",
    events=same_names("Stop", "UserPromptSubmit", "SessionStart", "SessionEnd", "PreCompact"),
    cap=8,
    cap_variable=CAP_VARIABLE,
    shows_in_one_shot=False,
    one_shot=("-p", "--prompt"),
    echoes=True,
    agent_variables=("QWEN_CODE",),
)
