"""What `amp -x --stream-json` prints, line by line, and what a turn came to.

Its messages are those of Claude Code; it reports tokens and no dollars, and names no model. Not run
here: written after its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import stream_notes as notes
from ..base import TurnRequest
from ..message_stream import message_notes, result_notes


def translate(event: dict[str, Any], request: TurnRequest) -> Iterator[notes.Note]:
    match event.get("type"):
        case "system" if event.get("subtype") == "init":
            yield notes.Session(str(event.get("session_id") or ""))
        case "assistant" | "user":
            yield from message_notes(event)
        case "result":
            yield from result_notes(event, event.get("error"))
