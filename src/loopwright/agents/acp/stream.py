"""What our client of the protocol prints, line by line, and what a turn came to.

An agent may report the dollars that its session has cost so far. We subtract what it had reported
before, which we keep as a number of millionths.
"""

from __future__ import annotations

from typing import Any

from ...core.json_text import as_dict
from ...core.prompts.phrases import cut_at_word
from ..base import ProcessExit, TurnOutput, TurnRequest, add_edit, parse_event, plausible_number
from ..stream_parts import (
    add_denied_call,
    add_words,
    api_error_words,
    close_call,
    end_message,
    fail_turn,
    judge_turn,
    open_call,
)
from .permissions import EDITING, call_command, call_files

ENDED = ("completed", "failed")
NO_ANSWER = "the agent does not answer: "


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("method"):
        case "session/new" | "session/load":
            return output.but(session=str(as_dict(event.get("result")).get("sessionId") or ""))
        case "session/update":
            update = as_dict(as_dict(event.get("params")).get("update"))
            return _read_update(output, update, request)
        case "session/request_permission":
            call = as_dict(as_dict(event.get("params")).get("toolCall"))
            if event.get("allowed") is True:
                return _begin_call(output, call)
            return add_denied_call(output, _call_words(call))
        case "session/prompt":
            return _read_end(end_message(output), as_dict(event.get("result")))
        case "error":
            return _read_error(output, as_dict(event.get("error")))
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    if output.failure.startswith(NO_ANSWER.strip()):
        printed = [line.strip() for line in process_exit.stderr.splitlines() if line.strip()]
        if printed:
            output = fail_turn(output, f"{output.failure}; it printed: {printed[-1][:300]}")
    if not output.tokens:
        output = output.but(unpriced=("the agent",))
    return judge_turn(output, "the agent", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    update = as_dict(as_dict(event.get("params")).get("update"))
    match event.get("method"), update.get("sessionUpdate"):
        case "session/update", "agent_message_chunk":
            return _chunk(update)
        case "session/update", "tool_call" | "tool_call_update":
            return _tell_call(update)
        case "session/request_permission", _:
            call = as_dict(as_dict(event.get("params")).get("toolCall"))
            if event.get("allowed") is not True:
                return f"✗ not allowed: {_call_words(call)}"
            is_told = "sessionUpdate" in call  # it is known from an update
            return "" if is_told else f"→ {_call_words(call)}"
        case "error", _:
            return f"! {_failure_words(as_dict(event.get('error')))}"
    return ""


def _tell_call(update: dict[str, Any]) -> str:
    if update.get("status") == "in_progress":
        return f"→ {_call_words(update)}"
    return f"✗ {_error_words(update)[:300]}" if update.get("status") == "failed" else ""


def _read_update(output: TurnOutput, update: dict[str, Any], request: TurnRequest) -> TurnOutput:
    match update.get("sessionUpdate"):
        case "agent_message_chunk":
            return add_words(output, _chunk(update))
        case "tool_call" | "tool_call_update":
            return _read_call_state(_begin_call(end_message(output), update), update)
        case "usage_update":
            return _read_cost(output, as_dict(update.get("cost")), request)
    return output


def _chunk(update: dict[str, Any]) -> str:
    return str(as_dict(update.get("content")).get("text") or "")


def _begin_call(output: TurnOutput, call: dict[str, Any]) -> TurnOutput:
    """The output with this call begun. Gemini tells of one first when it asks, or at its end."""
    call_id = str(call.get("toolCallId"))
    open_calls = dict(output.open_tool_calls)
    if call_id in open_calls:
        if call.get("kind"):  # it now knows more of it
            open_calls[call_id] = _call_words(call)
        return output.but(open_tool_calls=tuple(open_calls.items()))
    return open_call(output, call_id, _call_words(call))


def _read_call_state(output: TurnOutput, update: dict[str, Any]) -> TurnOutput:
    call = str(update.get("toolCallId"))
    if update.get("status") not in ENDED:
        return output
    if update.get("kind") in EDITING:
        for file in dict.fromkeys(call_files(update)):
            output = add_edit(output, file)
    error = _error_words(update) if update.get("status") == "failed" else ""
    return close_call(output, call, error)


def _call_words(call: dict[str, Any]) -> str:
    words = f"{call.get('kind') or 'tool'} {call_command(call) or call.get('title') or ''}"
    return cut_at_word(words.strip(), 200)


def _error_words(update: dict[str, Any]) -> str:
    content = update.get("content")
    for part in content if isinstance(content, list) else ():
        text = as_dict(as_dict(part).get("content")).get("text")
        if isinstance(text, str) and text:
            return text
    return "failed"


def _read_cost(output: TurnOutput, cost: dict[str, Any], request: TurnRequest) -> TurnOutput:
    if cost.get("currency") != "USD":
        return output
    total = int(plausible_number(cost.get("amount")) * 1e6)
    if not total:  # OpenCode, for a model whose price it does not know
        return output
    before = request.tokens_before[0] if len(request.tokens_before) == 1 else 0
    return output.but(tokens=(total,), dollars=max(0, total - before) / 1e6)


def _read_end(output: TurnOutput, result: dict[str, Any]) -> TurnOutput:
    reason = str(result.get("stopReason") or "no reason given")
    cut = "" if reason == "end_turn" else f"the agent stopped: {reason}"[:200]
    return output.but(results=output.results + 1, cut=cut, open_tool_calls=())


def _read_error(output: TurnOutput, error: dict[str, Any]) -> TurnOutput:
    data = as_dict(error.get("data"))
    return fail_turn(output, _failure_words(error), data.get("statusCode") or data.get("status"))


def _failure_words(error: dict[str, Any]) -> str:
    data = as_dict(error.get("data"))
    details = data.get("details") or data.get("message")
    words = api_error_words(str(error.get("message") or ""))
    return f"{words} {details}" if isinstance(details, str) else words
