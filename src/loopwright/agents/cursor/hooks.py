"""How Cursor calls our hook: a follow-up message continues the conversation."""

from __future__ import annotations

from ..hook_wire import HookWire

WIRE = HookWire(
    host="cursor",
    events=(("stop", "Stop"),),
    fields=(("session_id", "conversation_id"), ("prompt_id", "generation_id")),
    follow_up="followup_message",
    context_events=(),
    shows_messages=False,
    counts_if=(("status", "completed"),),
)
