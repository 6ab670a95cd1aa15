"""The dialect that Gemini hears: generateContent."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.e2e.offered import as_offered
from tests.e2e.turn import USAGE, Body, Turn, new_id

PATH_ENDS = (":generateContent", ":streamGenerateContent")
STREAMING = ":streamGenerateContent"
KINDS = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


def refusal(turn: Turn) -> tuple[dict[str, str], Body]:
    """Headers and body of an error."""
    kind = KINDS.get(turn.error, "INTERNAL")
    return {}, {"error": {"code": turn.error, "message": turn.text, "status": kind}}


def message(turn: Turn, body: Body) -> Body:
    used = {**USAGE, **turn.usage}
    read, out = used["cache_read_input_tokens"], used["output_tokens"]
    into = used["input_tokens"] + read  # what the cache held is a part of the input
    offered = [
        one["name"] for tool in body.get("tools") or () for one in tool["functionDeclarations"]
    ]
    parts: list[Body] = [{"text": turn.text}] if turn.text or not turn.tools else []
    for name, given in turn.tools:
        for tool, told in as_offered(name, given, offered):
            parts.append({"functionCall": {"name": tool, "args": told}})
    return {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}
        ],
        "modelVersion": "scripted",
        "responseId": new_id("resp"),
        "usageMetadata": {
            "promptTokenCount": into,
            "cachedContentTokenCount": read,
            "candidatesTokenCount": out,
            "totalTokenCount": into + out,
        },
    }


def stream(whole: Body) -> Iterator[str]:
    """The whole message is one piece."""
    yield f"data: {json.dumps(whole)}\n\n"
