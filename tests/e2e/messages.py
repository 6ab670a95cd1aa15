"""The dialect that Claude Code hears: Anthropic Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.e2e.turn import USAGE, Body, Turn, new_id

PATH = "/v1/messages"
KINDS = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}


def refusal(turn: Turn) -> tuple[dict[str, str], Body]:
    """Headers and body of an error."""
    limits = (
        {**limit_headers("rejected", turn.until), "x-should-retry": "false"} if turn.until else {}
    )
    return limits, {
        "type": "error",
        "error": {"type": KINDS.get(turn.error, "api_error"), "message": turn.text},
    }


def limit_headers(status: str, until: float) -> dict[str, str]:
    """How a subscription's five hours stand, in the headers of any answer: allowed, allowed_warning or rejected."""
    told = {
        "status": status,
        "reset": f"{until:.0f}",
        "representative-claim": "five_hour",
        "overage-status": "rejected",
    }
    told |= {"5h-status": status, "5h-reset": f"{until:.0f}"}
    if status == "allowed_warning":
        told |= {"5h-utilization": "0.93", "5h-surpassed-threshold": "0.9"}
    return {f"anthropic-ratelimit-unified-{name}": value for name, value in told.items()}


def message(turn: Turn, body: Body) -> Body:
    calls: list[Body] = [
        {"type": "tool_use", "id": new_id("toolu"), "name": name, "input": given}
        for name, given in turn.tools
    ]
    words: list[Body] = [{"type": "text", "text": turn.text}] if turn.text or not calls else []
    return {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": words + calls,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {**USAGE, **turn.usage},
    }


def stream(whole: Body) -> Iterator[str]:
    """The same message in the pieces of a stream."""
    for event in events(whole):
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


def events(whole: Body) -> Iterator[Body]:
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
