"""How Qwen Code calls our hook."""

from __future__ import annotations

from ..hook_wire import HookWire

CAP_VARIABLE = "QWEN_CODE_STOP_HOOK_BLOCK_CAP"

WIRE = HookWire(
    host="qwen",
    events=(
        ("Stop", "Stop"),
        ("UserPromptSubmit", "UserPromptSubmit"),
        ("SessionStart", "SessionStart"),
        ("SessionEnd", "SessionEnd"),
        ("PreCompact", "PreCompact"),
    ),
    cap=8,
    cap_variable=CAP_VARIABLE,
    shows_in_one_shot=False,
    one_shot=("-p", "--prompt"),
    echoes=True,
    agent_variables=("QWEN_CODE",),
)
