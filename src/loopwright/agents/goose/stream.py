"""What `goose run --output-format stream-json` prints, line by line, and what a turn came to.

It reports how many tokens it used in all, which cannot be priced. Not run here: written after its
documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.json_text import as_dict
from .. import stream_notes as notes
from ..base import TurnRequest
from ..message_stream import content_blocks
from ..stream_parts import call_words


def translate(event: dict[str, Any], request: TurnRequest) -> Iterator[notes.Note]:
    match event.get("type"):
        case "message":
            yield from _message_notes(event)
        case "error":
            yield notes.Failure(str(event.get("error") or event.get("message") or ""))
        case "complete":
            yield notes.TurnEnd()


def _message_notes(event: dict[str, Any]) -> Iterator[notes.Note]:
    """A message of the model comes in pieces, each of them a message of its own."""
    role = as_dict(event.get("message")).get("role")
    for part in content_blocks(event):
        match part.get("type"):
            case "text" if role == "assistant":
                yield notes.Message(str(part.get("text") or ""), is_part=True)
            case "toolRequest":
                call = as_dict(as_dict(part.get("toolCall")).get("value"))
                words = call_words(call.get("name"), as_dict(call.get("arguments")))
                yield notes.CallStart(str(part.get("id")), words)
            case "toolResponse":
                result = as_dict(part.get("toolResult"))
                failed = result.get("status") == "error"
                error = str(result.get("error") or "failed") if failed else ""
                yield notes.CallEnd(str(part.get("id")), error)
