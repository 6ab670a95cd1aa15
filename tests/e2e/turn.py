"""One answer of the scripted model: as a test writes it, and as the client reads it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]
USAGE = {"input_tokens": 1000, "output_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


@dataclass(frozen=True)
class Turn:
    """Text, then tool calls, after a delay in seconds; or an error, which is an HTTP status and the text."""

    text: str = ""
    tools: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    delay: float = 0.0
    error: int = 0


Script = Sequence[Turn] | Callable[[int, Body], Turn]


def says(text: str, **more: Any) -> Turn:
    return Turn(text, **more)


def uses(tool: str, given: Mapping[str, Any], text: str = "", **more: Any) -> Turn:
    return Turn(text, ((tool, given),), **more)


def runs(command: str, text: str = "", **more: Any) -> Turn:
    return uses("Bash", {"command": command, "description": "a command of the script"}, text, **more)


def writes(path: object, content: str, text: str = "", **more: Any) -> Turn:
    return uses("Write", {"file_path": str(path), "content": content}, text, **more)


def delegates(prompt: str, text: str = "", background: bool = False, **more: Any) -> Turn:
    """A sub-agent gets the prompt and plays the lane "agent". In the background (the client's default) main goes on meanwhile."""
    given = {"description": "a part of it", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": background}
    return uses("Agent", given, text, **more)


def fails(status: int = 400, text: str = "scripted") -> Turn:
    """The client asks again at least once: after a lone failure the script goes on with its next turn."""
    return Turn(text, error=status)


# --- Anthropic Messages ---


def refusal(turn: Turn) -> Body:
    return {"type": "error", "error": {"type": "api_error", "message": turn.text}}


def message(turn: Turn, model: str) -> Body:
    calls: list[Body] = [{"type": "tool_use", "id": _id("toolu"), "name": name, "input": given} for name, given in turn.tools]
    words: list[Body] = [{"type": "text", "text": turn.text}] if turn.text or not calls else []
    return {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": words + calls,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {**USAGE, **turn.usage},
    }


def events(whole: Body) -> Iterator[Body]:
    """The same message in the pieces of a stream."""
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        empty, delta = _pieces(block)
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    why = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": why, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def _pieces(block: Body) -> tuple[Body, Body]:
    if block["type"] == "text":
        return {"text": ""}, {"type": "text_delta", "text": block["text"]}
    return {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:24]}"
