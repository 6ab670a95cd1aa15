"""The input and the answers of Claude Code's hooks.

Pure functions: decode turns the JSON of an event into a signal, encode a directive into JSON.
"""

from __future__ import annotations

from ...core.directives import Continue, Reply, Stop
from ...core.prompts.phrases import cut_at_word, strip_control_characters
from ...core.signals import Signal, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Since this version a Stop hook may continue with additionalContext: no error label, sent once.
CONTEXT_SINCE = (2, 1, 163)
ANSWER_FORMATS = ("claude", "ok", "gsd")
# Typed as /loop:..., and answered by hook/typed_commands.py.
TYPED_COMMANDS = (
    *("continue", "pause", "cancel", "status", "why"),
    *("answer", "accept", "attach", "detach", "restore", "forget", "allow", "criteria", "rule"),
)
RECORD_COMMANDS = ("rewind", "receipt", "history")  # answered there too, also after the end
# Without a slash command: typed with `!`, which runs the `loop` of the plugin's bin folder.
SHELL_COMMANDS = ("audit", "doctor", "backlog", "diff")
PLAN_COMMANDS = ("execute", "verify")  # answered there too, once a loop has a plan
MAX_TEXT, MAX_ID = 1_000_000, 200
BLOCK_CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
DEFAULT_BLOCK_CAP = 8  # without that variable; a tool call resets the client's count
CLIENT_EVENTS = {
    "UserPromptSubmit": "prompt",
    "SessionStart": "start",
    "SessionEnd": "end",
    "PreCompact": "compact",
}
MAX_PROMPT = 10_000
BUSY_FIELDS = ("background_tasks", "session_crons", "crons")


def decode(data: Mapping[str, Any], env: Mapping[str, str], at: float) -> Signal | None:
    """The signal in a hook's input; None for what does not concern a loop."""
    pid = parse_number(env.get("CLAUDE_PID", ""))
    attended = is_attended(env, text_field(data, "session_id"))
    event = str(data.get("hook_event_name", "Stop"))
    if event in ("Stop", "StopFailure"):
        turn = turn_over(data, at, pid, attended)
        failure = _failure_text(text_field(data, "error"), turn.text)
        return turn.but(
            api_failure=cut_at_word(failure, 1000) if event == "StopFailure" else "",
            toolless_cap=block_cap(env.get(BLOCK_CAP_VARIABLE, "")),
        )
    if text_field(data, "prompt").startswith("<task-notification>"):  # not typed by a person
        return None
    return client_event(data, event, at, pid, attended)


def turn_over(data: Mapping[str, Any], at: float, pid: int, attended: bool) -> TurnOver:
    """The end of a turn, as far as every host tells it."""
    return TurnOver(
        at=at,
        session=text_field(data, "session_id"),
        text=text_field(data, "last_assistant_message"),
        pid=pid,
        transcript=text_field(data, "transcript_path"),
        busy=any(data.get(field) for field in BUSY_FIELDS),
        plan_mode=data.get("permission_mode") == "plan",
        attended=attended,
        prompt_id=text_field(data, "prompt_id"),
    )


def client_event(
    data: Mapping[str, Any], event: str, at: float, pid: int, attended: bool
) -> Signal | None:
    """A prompt, or a start, end or compaction of the session; None for any other event."""
    if event not in CLIENT_EVENTS:
        return None
    from ...core.signals import ClientEvent

    return ClientEvent(
        at=at,
        event=CLIENT_EVENTS[event],
        session=text_field(data, "session_id"),
        pid=pid,
        text=text_field(data, "prompt")[:MAX_PROMPT],
        source=text_field(data, "source"),
        attended=attended,
        prompt_id=text_field(data, "prompt_id"),
    )


def is_attended(env: Mapping[str, str], session: str) -> bool:
    """May the session take a free loop? A one-shot run may not, unless LOOP_SESSION names it."""
    if session and env.get("LOOP_SESSION", "") in (session, "*"):
        return True
    one_shot = env.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")
    return not one_shot and env.get("CLAUDE_CODE_SESSION_ATTENDED", "") != "0"


def _failure_text(error: str, text: str) -> str:
    """The class of the failure and its words; the client calls a class that it lacks `unknown`."""
    return text if text and error in ("", "unknown") else f"{error}: {text}".removesuffix(": ")


def text_field(data: Mapping[str, Any], name: str) -> str:
    """The text of a field up to our limits; of a message the end, because the claims are there."""
    value = data.get(name)
    if not isinstance(value, str):
        return ""
    if name == "last_assistant_message":
        return value[-MAX_TEXT:]
    if name in ("session_id", "prompt_id"):
        return value[:MAX_ID].encode("utf-8", "replace").decode()  # half a character is none
    return value[:MAX_TEXT]


def parse_number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def block_cap(text: str) -> int:
    """How many answers without a tool call a Stop hook may hold in a row; 0: any number."""
    is_number = text.removeprefix("-").isdecimal() and len(text) < 10
    return max(0, int(text)) if is_number else DEFAULT_BLOCK_CAP


def encode(
    event: str, directive: Reply, version: str = "", style: str = "claude", plugin: bool = False
) -> dict[str, Any]:
    """The one JSON object to print; empty means print nothing."""
    if style != "claude":
        return _legacy_answer(directive, style)
    message = {}
    if directive.message:
        message["systemMessage"] = respell_commands(directive.message, plugin)
    if event == "UserPromptSubmit" and getattr(directive, "answers_prompt", False):
        # The prompt was the answer to a question of ours: no model call. `decision: block` would
        # leave it in the input box, where the next word would follow it.
        # It shows the text after words of its own, so a box begins on a new line.
        return {"continue": False, "stopReason": f"\n{message.get('systemMessage', '')}"}
    if not isinstance(directive, Continue):
        return message
    if event == "Stop" and parse_version(version) < CONTEXT_SINCE:
        return {"decision": "block", "reason": directive.prompt, **message}
    output = {"hookEventName": event, "additionalContext": directive.prompt}
    return {"hookSpecificOutput": output, **message}


def _legacy_answer(directive: Reply, style: str) -> dict[str, Any]:
    """The answers of the documented formats: {ok, reason}, or {decision, prompt} for "gsd"."""
    if style == "gsd":
        if isinstance(directive, Continue):
            return {"decision": "block", "prompt": directive.prompt}
        return {"decision": "allow"}
    if isinstance(directive, Continue):
        return {"ok": False, "reason": directive.prompt.partition("\n")[0]}
    reason = directive.reason if isinstance(directive, Stop) else getattr(directive, "question", "")
    return {"ok": True, "reason": reason} if reason else {"ok": True}


def respell_commands(text: str, plugin: bool) -> str:
    """The text with commands as they are typed here: with the plugin, `loop why` is /loop:why."""
    text = strip_control_characters(text)
    if not plugin:
        return text
    before, hint, after = text.partition("`loop attach --session ")
    if hint:  # the slash command knows its session
        text = f"{before}`/loop:attach`{after.partition('`')[2]}"
    for command in ("start", *TYPED_COMMANDS, *PLAN_COMMANDS, *RECORD_COMMANDS):
        text = text.replace(f"`loop {command}", f"`/loop:{command}")
    for command in SHELL_COMMANDS:
        text = text.replace(f"`loop {command}", f"`!loop {command}")
    return text


def parse_version(text: str) -> tuple[int, ...]:
    """The numbers of a version. An unknown one counts as old: block and reason work everywhere."""
    parts = text.split(".")
    if not all(part.isdecimal() for part in parts):
        return (0,)
    return tuple(int(part) for part in parts)
