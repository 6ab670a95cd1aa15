"""What `cursor-agent -p --output-format stream-json` prints, and what a turn came to.

It reports neither dollars nor tokens. Not run here: written after its documentation.
"""

from __future__ import annotations

from typing import Any

from ..base import (
    MAX_TEXT,
    ProcessExit,
    TurnOutput,
    TurnRequest,
    add_edit,
    as_dict,
    judge_exit,
    parse_event,
)
from ..message_stream import read_message, tell_message
from ..stream_parts import call_words, close_call, fail_turn, judge_limit, open_call

EDITING_TOOLS = ("writeToolCall", "editToolCall")


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "system" if event.get("subtype") == "init":
            return output.but(session=str(event.get("session_id") or ""))
        case "assistant":
            return read_message(output, event)
        case "tool_call":
            return _read_tool_call(output, event)
        case "result":
            return _read_result(output, event)
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    output = judge_limit(output, process_exit.at).but(unpriced=("cursor",))
    return judge_exit(output, "cursor", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    if event.get("type") == "tool_call" and event.get("subtype") == "started":
        return f"→ {_call(event)[0]}"
    if event.get("type") == "result" and event.get("is_error") is True:
        return f"! {_failure_words(event)}"
    return tell_message(event)


def _call(event: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """The call in a few words, the file that it writes, and its result."""
    for name, call in as_dict(event.get("tool_call")).items():
        given = as_dict(as_dict(call).get("args"))
        path = given.get("path")
        file = path if isinstance(path, str) and name in EDITING_TOOLS else ""
        words = call_words(name.removesuffix("ToolCall"), given)
        return words, file, as_dict(as_dict(call).get("result"))
    return "tool", "", {}


def _read_tool_call(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    words, file, result = _call(event)
    call = str(event.get("call_id"))
    if event.get("subtype") == "started":
        return open_call(add_edit(output, file) if file else output, call, words)
    if event.get("subtype") != "completed":
        return output
    trouble = result.get("error") or result.get("failure") or result.get("rejected")
    error = str(as_dict(trouble).get("message") or trouble) if trouble else ""
    return close_call(output, call, error)


def _read_result(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    output = output.but(
        results=output.results + 1,
        open_tool_calls=(),
        session=str(event.get("session_id") or output.session),
    )
    if event.get("is_error") is True:
        return fail_turn(output, _failure_words(event))
    # The result is all that it said in the turn; we want the last message.
    return output if output.text else output.but(text=str(event.get("result") or "")[:MAX_TEXT])


def _failure_words(event: dict[str, Any]) -> str:
    return str(event.get("result") or event.get("subtype") or "")
