"""What `cursor-agent -p --output-format stream-json` prints, and what a turn came to.

It reports neither dollars nor tokens. Not run here: written after its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.json_text import as_dict
from .. import stream_notes as notes
from ..base import TurnRequest
from ..message_stream import message_notes, result_notes
from ..stream_parts import call_words, edited_file

EDITING_TOOLS = ("writeToolCall", "editToolCall")


def translate(event: dict[str, Any], request: TurnRequest) -> Iterator[notes.Note]:
    match event.get("type"):
        case "system" if event.get("subtype") == "init":
            yield notes.Session(str(event.get("session_id") or ""))
        case "assistant":
            yield from message_notes(event)
        case "tool_call":
            yield from _call_notes(event)
        case "result":
            yield from result_notes(event, event.get("result"), is_whole_turn=True)


def _call_notes(event: dict[str, Any]) -> Iterator[notes.Note]:
    """The call is under the name of its tool: {"shellToolCall": {"args": …, "result": …}}."""
    name, call = next(iter(as_dict(event.get("tool_call")).items()), ("tool", {}))
    call_id = str(event.get("call_id"))
    match event.get("subtype"):
        case "started":
            given = as_dict(as_dict(call).get("args"))
            words = call_words(name.removesuffix("ToolCall"), given)
            file = edited_file(name, given.get("path"), EDITING_TOOLS)
            yield notes.CallStart(call_id, words, file)
        case "completed":
            result = as_dict(as_dict(call).get("result"))
            trouble = result.get("error") or result.get("failure") or result.get("rejected")
            error = str(as_dict(trouble).get("message") or trouble) if trouble else ""
            yield notes.CallEnd(call_id, error)
