"""How Junie calls our hook: as Claude Code does, for the stop alone."""

from __future__ import annotations

from ..hook_wire import HookWire

CAP_VARIABLE = "JUNIE_STOP_HOOK_BLOCK_CAP"

WIRE = HookWire(
    host="junie",
    events=(("Stop", "Stop"),),
    context_events=(),
    cap=8,
    cap_variable=CAP_VARIABLE,
)
