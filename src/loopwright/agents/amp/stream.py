"""What `amp -x --stream-json` prints, line by line, and what a turn came to.

Its messages are those of Claude Code; it reports tokens and no dollars, and names no model. Not run
here: written after its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import stream_notes as notes
from ..base import ProcessExit, TurnOutput, TurnRequest
from ..message_stream import message_notes, result_notes
from ..stream_parts import judge_turn


def translate(event: dict[str, Any], request: TurnRequest) -> Iterator[notes.Note]:
    match event.get("type"):
        case "system" if event.get("subtype") == "init":
            yield notes.Session(str(event.get("session_id") or ""))
        case "assistant" | "user":
            yield from message_notes(event)
        case "result":
            yield from result_notes(event, event.get("error"))


read, tell = notes.stream_reader(translate), notes.stream_teller(translate)


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    return judge_turn(output.but(unpriced=("amp",)), "amp", process_exit)
