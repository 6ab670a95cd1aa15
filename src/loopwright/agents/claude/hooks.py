"""What Claude Code's hooks say and want to hear. Pure: stdin's JSON in, a signal out; a directive in, JSON out."""

from __future__ import annotations

from ...core.directives import Continue, Reply, Stop
from ...core.prompts.phrases import cut_at_word, strip_control_characters
from ...core.signals import ClientEvent, Signal, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CONTEXT_SINCE = (
    2,
    1,
    163,
)  # from here on a Stop hook may go on with additionalContext: no error label, sent once
ANSWER_FORMATS = ("claude", "ok", "gsd")
TYPED_COMMANDS = (
    "continue",
    "pause",
    "cancel",
    "status",
    "why",
    "answer",
    "accept",
    "attach",
    "detach",
)  # as /loop:..., hook/typed_commands.py
PLAN_COMMANDS = ("execute", "verify")  # too, once a loop has a plan
MAX_TEXT, MAX_ID = 1_000_000, 200
BLOCK_CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
DEFAULT_BLOCK_CAP = 8  # unless that variable says otherwise; a tool call begins the count anew


def decode(data: Mapping[str, Any], env: Mapping[str, str], at: float) -> Signal | None:
    """The signal in a hook's input, or None for what is not ours to hear (sub-agents, machine prompts)."""
    session, pid = text_field(data, "session_id"), parse_number(env.get("CLAUDE_PID", ""))
    event = data.get("hook_event_name", "Stop")
    if event in ("Stop", "StopFailure"):
        failure = ""
        if event == "StopFailure":
            failure = cut_at_word(
                f"{text_field(data, 'error')}: {text_field(data, 'last_assistant_message')}", 1000
            )
        return TurnOver(
            at,
            session,
            text_field(data, "last_assistant_message"),
            pid=pid,
            transcript=text_field(data, "transcript_path"),
            api_failure=failure,
            toolless_cap=block_cap(env.get(BLOCK_CAP_VARIABLE, "")),
            busy=bool(data.get("background_tasks") or data.get("session_crons")),
            plan_mode=data.get("permission_mode") == "plan",
        )
    if event == "UserPromptSubmit":
        prompt = text_field(data, "prompt")
        machine = prompt.startswith("<task-notification>")
        return None if machine else ClientEvent(at, "prompt", session, pid, text=prompt[:10_000])
    kinds = {"SessionStart": "start", "SessionEnd": "end", "PreCompact": "compact"}
    kind = kinds.get(str(event))
    return ClientEvent(at, kind, session, pid, text_field(data, "source")) if kind else None


def text_field(data: Mapping[str, Any], name: str) -> str:
    """As much of it as anybody reads; of a message its end, where the claims stand."""
    value = data.get(name)
    if not isinstance(value, str):
        return ""
    return (
        value[-MAX_TEXT:]
        if name == "last_assistant_message"
        else value[: MAX_ID if name == "session_id" else MAX_TEXT]
    )


def parse_number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def block_cap(text: str) -> int:
    """How many answers without a tool call the client lets a Stop hook hold in a row; 0: any number."""
    return (
        max(0, int(text))
        if text.removeprefix("-").isdecimal() and len(text) < 10
        else DEFAULT_BLOCK_CAP
    )


def encode(
    event: str, directive: Reply, version: str = "", style: str = "claude", plugin: bool = False
) -> dict[str, Any]:
    """The one JSON object to print; empty means print nothing."""
    if style != "claude":
        return _legacy_answer(directive, style)
    said = (
        {"systemMessage": respell_commands(directive.message, plugin)} if directive.message else {}
    )
    if not isinstance(directive, Continue):
        return said
    if event == "Stop" and parse_version(version) < CONTEXT_SINCE:
        return {"decision": "block", "reason": directive.prompt, **said}
    return {
        "hookSpecificOutput": {"hookEventName": event, "additionalContext": directive.prompt},
        **said,
    }


def _legacy_answer(directive: Reply, style: str) -> dict[str, Any]:
    """The literal answers of the seeds: {ok, reason} of 000-002, {decision, prompt} of 003."""
    if isinstance(directive, Continue):
        first = directive.prompt.partition("\n")[0]
        return (
            {"ok": False, "reason": first}
            if style == "ok"
            else {"decision": "block", "prompt": directive.prompt}
        )
    if style == "gsd":
        return {"decision": "allow"}
    why = directive.reason if isinstance(directive, Stop) else getattr(directive, "question", "")
    return {"ok": True, "reason": why} if why else {"ok": True}


def respell_commands(text: str, plugin: bool) -> str:
    """A hint names a command that works where it is shown: with the plugin, `loop why` is typed /loop:why."""
    text = strip_control_characters(text)
    before, found, after = text.partition("`loop attach --session ")
    if plugin and found:  # the session is the one it is typed in
        text = f"{before}`/loop:attach`{after.partition('`')[2]}"
    for command in ("start", *TYPED_COMMANDS, *PLAN_COMMANDS) if plugin else ():
        text = text.replace(f"`loop {command}", f"`/loop:{command}")
    return text


def parse_version(text: str) -> tuple[int, ...]:
    """Unknown is old: block and reason work everywhere."""
    parts = text.split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else (0,)
