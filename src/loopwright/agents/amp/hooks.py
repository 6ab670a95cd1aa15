"""What our plugin for Amp sends at the end of a turn, and what it expects."""

from __future__ import annotations

from ..hook_wire import HookWire

WIRE = HookWire(
    host="amp",
    events=(("agent.end", "Stop"),),
    context_events=(),
    shows_messages=False,
    cap=50,  # as our plugin asks for
    counts_if=(("status", "done"),),
)
