"""What `goose run --output-format stream-json` prints, line by line, and what a turn came to.

It reports how many tokens it used in all, which cannot be priced. Not run here: written after its
documentation.
"""

from __future__ import annotations

from typing import Any

from ..base import ProcessExit, TurnOutput, TurnRequest, as_dict, judge_exit, parse_event
from ..stream_parts import (
    add_words,
    call_words,
    close_call,
    end_message,
    fail_turn,
    judge_limit,
    open_call,
)


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "message":
            return _read_message(output, as_dict(event.get("message")))
        case "error":
            return fail_turn(output, str(event.get("error") or event.get("message") or ""))
        case "complete":
            return end_message(output).but(results=output.results + 1, open_tool_calls=())
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    output = judge_limit(end_message(output), process_exit.at).but(unpriced=("goose",))
    return judge_exit(output, "goose", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    if event.get("type") == "error":
        return f"! {event.get('error') or event.get('message')}"
    message = as_dict(event.get("message"))
    rows = []
    for part in _parts(message):
        if part.get("type") == "text" and message.get("role") == "assistant":
            rows.append(str(part.get("text") or ""))
        elif part.get("type") == "toolRequest":
            rows.append(f"→ {_call_words(part)}")
    return "\n".join(rows)


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _read_message(output: TurnOutput, message: dict[str, Any]) -> TurnOutput:
    """A message of the model comes in pieces, each of them a message of its own."""
    for part in _parts(message):
        match part.get("type"):
            case "text" if message.get("role") == "assistant":
                output = add_words(output, str(part.get("text") or ""))
            case "toolRequest":
                output = open_call(end_message(output), str(part.get("id")), _call_words(part))
            case "toolResponse":
                result = as_dict(part.get("toolResult"))
                failed = result.get("status") == "error"
                error = str(result.get("error") or "failed") if failed else ""
                output = close_call(output, str(part.get("id")), error)
    return output


def _call_words(part: dict[str, Any]) -> str:
    call = as_dict(as_dict(part.get("toolCall")).get("value"))
    return call_words(call.get("name"), as_dict(call.get("arguments")))
