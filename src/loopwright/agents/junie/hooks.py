"""How Junie calls our hook: as Claude Code does, for the stop alone, and without a session."""

from __future__ import annotations

from ..hook_wire import HookWire, same_names

CAP_VARIABLE = "JUNIE_STOP_HOOK_BLOCK_CAP"

WIRE = HookWire(
    host="junie",
    events=same_names("Stop"),
    context_events=(),
    names_session=False,
    cap=8,
    cap_variable=CAP_VARIABLE,
)
