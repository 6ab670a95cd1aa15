"""The dialect that Codex hears: OpenAI Responses. What a script writes for Claude Code's tools is said with Codex's own."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

from tests.e2e.turn import USAGE, Body, Turn, new_id

PATH = "/v1/responses"
KINDS = {401: "invalid_request_error", 429: "rate_limit_exceeded"}


def refusal(turn: Turn) -> tuple[dict[str, str], Body]:
    """Headers and body of an error."""
    kind, more = KINDS.get(turn.error, "server_error"), {}
    if turn.until:
        kind, at = "usage_limit_reached", int(turn.until)
        more = {"plan_type": "plus", "resets_at": at, "resets_in_seconds": at - int(time.time())}
    return {}, {"error": {"type": kind, "message": turn.text, **more}}


def message(turn: Turn, body: Body) -> Body:
    used = {**USAGE, **turn.usage}
    read, written, out = (
        used[f"{name}_tokens"] for name in ("cache_read_input", "cache_creation_input", "output")
    )
    into = (
        used["input_tokens"] + read + written
    )  # here what the cache held is a part of the input, not beside it
    return {
        "id": new_id("resp"),
        "object": "response",
        "status": "completed",
        "model": body["model"],
        "output": [*_words(turn.text), *(_call(name, given) for name, given in turn.tools)],
        "usage": {
            "input_tokens": into,
            "input_tokens_details": {"cached_tokens": read},
            "output_tokens": out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": into + out,
        },
    }


def stream(whole: Body) -> Iterator[str]:
    """The same response in the pieces of a stream."""
    for event in events(whole):
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


def events(whole: Body) -> Iterator[Body]:
    yield {
        "type": "response.created",
        "response": {**whole, "output": [], "status": "in_progress", "usage": None},
    }
    for index, item in enumerate(whole["output"]):
        yield {
            "type": "response.output_item.added",
            "output_index": index,
            "item": {**item, "status": "in_progress"},
        }
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": whole}


def _words(text: str) -> list[Body]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    said = {
        "type": "message",
        "id": new_id("msg"),
        "role": "assistant",
        "status": "completed",
        "content": content,
    }
    return [said] if text else []


def _call(name: str, given: Mapping[str, Any]) -> Body:
    call = {"call_id": new_id("call"), "status": "completed"}
    if name == "Write":
        patch = f"*** Begin Patch\n*** Add File: {given['file_path']}\n{_add_file_patch(given['content'])}*** End Patch\n"
        return {
            "type": "custom_tool_call",
            "id": new_id("ctc"),
            "name": "apply_patch",
            "input": patch,
            **call,
        }
    if name == "Bash":
        name, given = "exec_command", {"cmd": given["command"]}
    return {
        "type": "function_call",
        "id": new_id("fc"),
        "name": name,
        "arguments": json.dumps(given),
        **call,
    }


def _add_file_patch(content: str) -> str:
    """Adding a file that is there replaces it."""
    return "".join(f"+{line}\n" for line in content.splitlines())
