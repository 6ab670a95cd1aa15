"""What `amp -x --stream-json` prints, line by line, and what a turn came to.

Its messages are those of Claude Code; it reports tokens and no dollars, and names no model. Not run
here: written after its documentation.
"""

from __future__ import annotations

from typing import Any

from ..base import MAX_TEXT, ProcessExit, TurnOutput, TurnRequest, judge_exit, parse_event
from ..message_stream import read_message, tell_message
from ..stream_parts import fail_turn, judge_limit


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "system" if event.get("subtype") == "init":
            return output.but(session=str(event.get("session_id") or ""))
        case "assistant" | "user":
            return read_message(output, event)
        case "result":
            return _read_result(output, event)
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    output = judge_limit(output, process_exit.at).but(unpriced=("amp",))
    return judge_exit(output, "amp", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    if event.get("type") == "result" and event.get("is_error") is True:
        return f"! {_failure_words(event)}"
    return tell_message(event)


def _read_result(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    output = output.but(
        results=output.results + 1,
        open_tool_calls=(),
        session=str(event.get("session_id") or output.session),
    )
    if event.get("is_error") is True:
        return fail_turn(output, _failure_words(event))
    text = event.get("result")
    return output.but(text=text[:MAX_TEXT]) if isinstance(text, str) and text else output


def _failure_words(event: dict[str, Any]) -> str:
    return str(event.get("error") or event.get("subtype") or "")
