"""How Copilot CLI calls our hook. Its input names no event and does not hold the last answer."""

from __future__ import annotations

from ..hook_wire import FLAT, HookWire

WIRE = HookWire(
    host="copilot",
    events=(
        ("agentStop", "Stop"),
        ("userPromptSubmitted", "UserPromptSubmit"),
        ("sessionStart", "SessionStart"),
        ("sessionEnd", "SessionEnd"),
    ),
    fields=(("session_id", "sessionId"), ("transcript_path", "transcriptPath")),
    context=FLAT,
    shows_messages=False,
    cap=8,  # counts across tool calls too
    one_shot=("-p", "--prompt"),
    counts_if=(("stopReason", "end_turn"),),
    text_in_file=True,
    echoes=True,
    agent_variables=("COPILOT_AGENT_SESSION_ID",),
)
