"""How Factory Droid calls our hook: as Claude Code does."""

from __future__ import annotations

from ..hook_wire import HookWire, same_names

WIRE = HookWire(
    host="droid",
    events=same_names("Stop", "UserPromptSubmit", "SessionStart", "SessionEnd", "PreCompact"),
    one_shot=("exec",),
)
