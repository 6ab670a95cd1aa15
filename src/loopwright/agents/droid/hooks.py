"""How Factory Droid calls our hook: as Claude Code does."""

from __future__ import annotations

from ..hook_wire import HookWire

WIRE = HookWire(
    host="droid",
    events=(
        ("Stop", "Stop"),
        ("UserPromptSubmit", "UserPromptSubmit"),
        ("SessionStart", "SessionStart"),
        ("SessionEnd", "SessionEnd"),
        ("PreCompact", "PreCompact"),
    ),
    one_shot=("exec",),
)
