"""What `copilot --output-format json` prints, line by line, and what a turn came to.

It reports neither dollars nor tokens, only how many premium requests it made.
"""

from __future__ import annotations

from typing import Any

from ..base import MAX_TEXT, ProcessExit, TurnOutput, TurnRequest, as_dict, judge_exit, parse_event
from ..stream_parts import (
    add_denied_call,
    add_tool_edit,
    call_words,
    close_call,
    fail_turn,
    judge_limit,
    open_call,
)

EDITING_TOOLS = ("create", "edit", "str_replace_editor", "apply_patch")


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    data = as_dict(event.get("data"))
    match event.get("type"):
        case "assistant.message" if data.get("content") and not data.get("parentToolCallId"):
            return output.but(text=str(data["content"])[:MAX_TEXT])
        case "tool.execution_start":
            return _read_call_start(output, data)
        case "tool.execution_complete":
            return _read_call_end(output, data)
        case "session.error":
            output = fail_turn(output, str(data.get("message") or ""), data.get("statusCode"))
            return output.but(limited=data.get("errorType") in ("rate_limit", "quota"))
        case "result":
            done = event.get("exitCode") == 0 or bool(output.failure)
            return output.but(
                session=str(event.get("sessionId") or output.session),
                results=output.results + int(done),
                open_tool_calls=(),
            )
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    output = judge_limit(output, process_exit.at).but(unpriced=("copilot",))
    return judge_exit(output, "copilot", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    data = as_dict(event.get("data"))
    match event.get("type"):
        case "assistant.message":
            return str(data.get("content") or "")
        case "tool.execution_start":
            return f"→ {_call_words(data)}"
        case "tool.execution_complete" if error := _error_words(data):
            return f"✗ {error[:300]}"
        case "assistant.turn_retry":
            return f"! {data.get('reason')}, asked again"
        case "session.error":
            return f"! {data.get('message')}"
    return ""


def _call_words(data: dict[str, Any]) -> str:
    return call_words(data.get("toolName"), as_dict(data.get("arguments")))


def _read_call_start(output: TurnOutput, data: dict[str, Any]) -> TurnOutput:
    file = as_dict(data.get("arguments")).get("path")
    output = add_tool_edit(output, data.get("toolName"), file, EDITING_TOOLS)
    return open_call(output, str(data.get("toolCallId")), _call_words(data))


def _read_call_end(output: TurnOutput, data: dict[str, Any]) -> TurnOutput:
    call = str(data.get("toolCallId"))
    if as_dict(data.get("error")).get("code") == "denied":
        output = add_denied_call(output, dict(output.open_tool_calls).get(call, "tool"))
    return close_call(output, call, _error_words(data))


def _error_words(data: dict[str, Any]) -> str:
    """What went wrong in a tool call; a command that fails counts as a success there."""
    if data.get("success") is not True:
        return str(as_dict(data.get("error")).get("message") or "failed")
    code = as_dict(data.get("shellExecution")).get("exitCode")
    if not code:
        return ""
    return f"Exit code {code}\n{as_dict(data.get('result')).get('content') or ''}"
