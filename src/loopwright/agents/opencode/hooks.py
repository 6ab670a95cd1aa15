"""What our plugin for OpenCode sends when a session is idle, and what it expects."""

from __future__ import annotations

from ..hook_wire import HookWire

WIRE = HookWire(
    host="opencode",
    events=(("session.idle", "Stop"),),
    context_events=(),
    one_shot=("run",),  # ends at the first idle, whatever we answer
    agent_variables=("OPENCODE",),
)
