"""The dialect that Qwen, Copilot and OpenCode hear: OpenAI Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.e2e.offered import as_offered
from tests.e2e.turn import USAGE, Body, Turn, new_id

PATH = "/v1/chat/completions"
KINDS = {401: "invalid_request_error", 429: "rate_limit_exceeded"}


def refusal(turn: Turn) -> tuple[dict[str, str], Body]:
    """Headers and body of an error."""
    kind = KINDS.get(turn.error, "server_error")
    return {}, {"error": {"type": kind, "code": kind, "message": turn.text}}


def message(turn: Turn, body: Body) -> Body:
    used = {**USAGE, **turn.usage}
    read, out = used["cache_read_input_tokens"], used["output_tokens"]
    into = used["input_tokens"] + read  # what the cache held is a part of the input
    offered = [tool["function"]["name"] for tool in body.get("tools") or ()]
    calls = [one for name, given in turn.tools for one in as_offered(name, given, offered)]
    said: Body = {"role": "assistant", "content": turn.text or None}
    if calls:
        said["tool_calls"] = [
            {
                "id": new_id("call"),
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(given)},
            }
            for name, given in calls
        ]
    return {
        "id": new_id("chatcmpl"),
        "object": "chat.completion",
        "created": 1_800_000_000,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": said, "finish_reason": "tool_calls" if calls else "stop"}
        ],
        "usage": {
            "prompt_tokens": into,
            "completion_tokens": out,
            "total_tokens": into + out,
            "prompt_tokens_details": {"cached_tokens": read},
        },
    }


def stream(whole: Body) -> Iterator[str]:
    """The same message in the pieces of a stream."""
    (choice,) = whole["choices"]
    said, calls = choice["message"], choice["message"].get("tool_calls", ())
    base = {**whole, "object": "chat.completion.chunk", "usage": None}
    delta = {"role": "assistant", "content": said["content"] or ""}
    if calls:
        delta["tool_calls"] = [{**call, "index": index} for index, call in enumerate(calls)]
    pieces = (
        [{"index": 0, "delta": delta, "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}],
    )
    for choices in pieces:
        yield f"data: {json.dumps({**base, 'choices': choices})}\n\n"
    yield f"data: {json.dumps({**base, 'choices': [], 'usage': whole['usage']})}\n\n"
    yield "data: [DONE]\n\n"
