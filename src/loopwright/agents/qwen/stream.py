"""What `qwen --output-format stream-json` prints, line by line, and what a turn came to.

It reports tokens and no dollars. The tokens of a result are those of the whole session (0.24), so
we count those of each message.
"""

from __future__ import annotations

from typing import Any

from ..base import (
    MAX_TEXT,
    ProcessExit,
    TurnOutput,
    TurnRequest,
    as_dict,
    judge_exit,
    parse_event,
    plausible_number,
)
from ..message_stream import denied_calls, read_message, tell_message
from ..stream_parts import add_token_cost, api_error_words, fail_turn, judge_limit


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "system" if event.get("subtype") == "init":
            return output.but(session=str(event.get("session_id") or ""))
        case "assistant" | "user":
            output = _add_cost(output, as_dict(event.get("message")), request)
            return read_message(output, event)
        case "result":
            return _read_result(output, event)
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    return judge_exit(judge_limit(output, process_exit.at), "qwen", process_exit)


def tell(line: str) -> str:
    return tell_message(parse_event(line))


def _add_cost(output: TurnOutput, message: dict[str, Any], request: TurnRequest) -> TurnOutput:
    usage = as_dict(message.get("usage"))
    into, cached, out = (
        plausible_number(usage.get(name))
        for name in ("input_tokens", "cache_read_input_tokens", "output_tokens")
    )
    if not into and not out:
        return output
    model = str(message.get("model") or request.model)
    return add_token_cost(output, (max(0.0, into - cached), cached, 0.0, out), model, request)


def _read_result(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    output = output.but(
        results=output.results + 1,
        open_tool_calls=(),
        session=str(event.get("session_id") or output.session),
        denied=denied_calls(event),
    )
    if event.get("is_error") is True:
        error = as_dict(event.get("error")).get("message") or event.get("subtype")
        return fail_turn(output, api_error_words(str(error)))
    text = event.get("result")
    return output.but(text=text[:MAX_TEXT]) if isinstance(text, str) and text else output
