"""What `gemini --output-format stream-json` prints, line by line, and what a turn came to.

It reports tokens for each model and no dollars.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.json_text import as_dict
from .. import stream_notes as notes
from ..base import ProcessExit, TurnOutput, TurnRequest
from ..stream_parts import (
    api_error_words,
    call_words,
    edited_file,
    judge_cut_off_cost,
    judge_turn,
    uncached_tokens,
)

EDITING_TOOLS = ("write_file", "replace")


def translate(event: dict[str, Any], request: TurnRequest) -> Iterator[notes.Note]:
    match event.get("type"):
        case "init":
            yield notes.Session(str(event.get("session_id") or ""))
        case "message" if event.get("role") == "assistant":
            yield notes.Message(str(event.get("content") or ""), is_part=True)
        case "tool_use":
            tool, given = event.get("tool_name"), as_dict(event.get("parameters"))
            file = edited_file(tool, given.get("file_path"), EDITING_TOOLS)
            yield notes.CallStart(
                str(event.get("tool_id")), call_words(tool, given, "file_path"), file
            )
        case "tool_result":
            yield _call_end(event)
        case "error":
            yield notes.Remark(str(event.get("message")))
        case "result":
            yield from _result_notes(event)


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    output = judge_cut_off_cost(output, "gemini", process_exit)
    return judge_turn(output, "gemini", process_exit)


def _call_end(event: dict[str, Any]) -> notes.CallEnd:
    call_id, error = str(event.get("tool_id")), as_dict(event.get("error"))
    if event.get("status") != "error":
        return notes.CallEnd(call_id)
    words = str(event.get("output") or error.get("message") or "failed")
    return notes.CallEnd(call_id, words, denied=error.get("type") == "policy_violation")


def _result_notes(event: dict[str, Any]) -> Iterator[notes.Note]:
    for model, stats in as_dict(as_dict(event.get("stats")).get("models")).items():
        names = ("input_tokens", "cached", "output_tokens")
        yield notes.Tokens(uncached_tokens(as_dict(stats), *names), model)
    yield notes.TurnEnd()
    if event.get("status") == "error":
        yield notes.Failure(api_error_words(str(as_dict(event.get("error")).get("message") or "")))
