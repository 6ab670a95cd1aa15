"""How Gemini CLI calls our hook. `prompt_response` holds every answer since the person's prompt."""

from __future__ import annotations

from ..hook_wire import HookWire

WIRE = HookWire(
    host="gemini",
    events=(
        ("AfterAgent", "Stop"),
        ("BeforeAgent", "UserPromptSubmit"),
        ("SessionStart", "SessionStart"),
        ("SessionEnd", "SessionEnd"),
        ("PreCompress", "PreCompact"),
    ),
    fields=(("last_assistant_message", "prompt_response"),),
    refusal="deny",
    context_events=("SessionStart",),
    one_shot=("-p", "--prompt"),
    text_in_file=True,
    echoes=True,
    agent_variables=("GEMINI_CLI",),
)
