"""What `gemini --output-format stream-json` prints, line by line, and what a turn came to.

It reports tokens for each model and no dollars.
"""

from __future__ import annotations

from typing import Any

from ..base import (
    ProcessExit,
    TurnOutput,
    TurnRequest,
    as_dict,
    judge_exit,
    parse_event,
    plausible_number,
)
from ..stream_parts import (
    add_denied_call,
    add_token_cost,
    add_tool_edit,
    add_words,
    api_error_words,
    call_words,
    close_call,
    end_message,
    fail_turn,
    judge_limit,
    open_call,
)

EDITING_TOOLS = ("write_file", "replace")


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "init":
            return output.but(session=str(event.get("session_id") or ""))
        case "message" if event.get("role") == "assistant":
            return add_words(output, str(event.get("content") or ""))
        case "tool_use":
            return _read_tool_use(end_message(output), event)
        case "tool_result":
            return _read_tool_result(output, event)
        case "result":
            return _read_result(end_message(output), event, request)
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    output = judge_limit(end_message(output), process_exit.at)
    if not output.results and (process_exit.cut or output.tools):
        output = output.but(unpriced=("gemini, in a turn that was cut off",))
    return judge_exit(output, "gemini", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    match event.get("type"):
        case "message" if event.get("role") == "assistant":
            return str(event.get("content") or "")
        case "tool_use":
            return f"→ {_call_words(event)}"
        case "tool_result" if event.get("status") == "error":
            return f"✗ {_error_words(event)[:300]}"
        case "error":
            return f"! {event.get('message')}"
        case "result" if event.get("status") == "error":
            return f"! {_failure_words(event)}"
    return ""


def _call_words(event: dict[str, Any]) -> str:
    given = as_dict(event.get("parameters"))
    return call_words(event.get("tool_name"), given, "file_path")


def _read_tool_use(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    file = as_dict(event.get("parameters")).get("file_path")
    output = add_tool_edit(output, event.get("tool_name"), file, EDITING_TOOLS)
    return open_call(output, str(event.get("tool_id")), _call_words(event))


def _read_tool_result(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    call = str(event.get("tool_id"))
    if event.get("status") != "error":
        return close_call(output, call)
    if as_dict(event.get("error")).get("type") == "policy_violation":
        output = add_denied_call(output, dict(output.open_tool_calls).get(call, "tool"))
    return close_call(output, call, _error_words(event))


def _error_words(event: dict[str, Any]) -> str:
    return str(event.get("output") or as_dict(event.get("error")).get("message") or "failed")


def _read_result(output: TurnOutput, event: dict[str, Any], request: TurnRequest) -> TurnOutput:
    output = output.but(results=output.results + 1, open_tool_calls=())
    for model, stats in as_dict(as_dict(event.get("stats")).get("models")).items():
        output = _add_cost(output, model, as_dict(stats), request)
    if event.get("status") != "error":
        return output
    return fail_turn(output, _failure_words(event))


def _failure_words(event: dict[str, Any]) -> str:
    return api_error_words(str(as_dict(event.get("error")).get("message") or ""))


def _add_cost(
    output: TurnOutput, model: str, stats: dict[str, Any], request: TurnRequest
) -> TurnOutput:
    into, cached, out = (
        plausible_number(stats.get(name)) for name in ("input_tokens", "cached", "output_tokens")
    )
    if not into and not out:
        return output
    return add_token_cost(output, (max(0.0, into - cached), cached, 0.0, out), model, request)
