"""What `qwen --output-format stream-json` prints, line by line, and what a turn came to.

It reports tokens and no dollars. The tokens of a result are those of the whole session (0.24), so
we count those of each message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.json_text import as_dict
from .. import stream_notes as notes
from ..base import TurnRequest
from ..message_stream import message_notes, result_notes
from ..stream_parts import api_error_words, uncached_tokens


def translate(event: dict[str, Any], request: TurnRequest) -> Iterator[notes.Note]:
    match event.get("type"):
        case "system" if event.get("subtype") == "init":
            yield notes.Session(str(event.get("session_id") or ""))
        case "assistant" | "user":
            yield _used_tokens(as_dict(event.get("message")), request)
            yield from message_notes(event)
        case "result":
            error = as_dict(event.get("error")).get("message")
            yield from result_notes(event, api_error_words(str(error or "")))


def _used_tokens(message: dict[str, Any], request: TurnRequest) -> notes.Tokens:
    names = ("input_tokens", "cache_read_input_tokens", "output_tokens")
    model = str(message.get("model") or request.model)
    return notes.Tokens(uncached_tokens(as_dict(message.get("usage")), *names), model)
