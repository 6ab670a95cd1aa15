"""The scripted model's ear and voice: Anthropic Messages over HTTP on 127.0.0.1, as far as the client listens."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.e2e.turn import Body, Turn, events, message, refusal

MESSAGES = "/v1/messages"
OTHERS: dict[str, Body] = {"/": {}, "/v1/messages/count_tokens": {"input_tokens": 1000}}


@dataclass
class Request:
    """What the client asked, when, in which lane, what it was answered, and when (0: not yet, or it was gone by then)."""

    path: str
    headers: Message
    body: Body
    at: float = field(default_factory=time.time)
    lane: str = ""
    turn: Turn | None = None
    answered: float = 0.0

    @property
    def text(self) -> str:
        """All that the messages say."""
        return flat(self.body.get("messages"))

    @property
    def news(self) -> str:
        """What the messages say since the model spoke last."""
        messages = self.body.get("messages", [])
        spoken = [number for number, one in enumerate(messages, 1) if one["role"] == "assistant"]
        return flat(messages[max(spoken, default=0) :])


def flat(value: Any) -> str:
    """Every string in a JSON value, one below the other."""
    if isinstance(value, str):
        return value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "\n".join(filter(None, map(flat, inner)))


class Server(ThreadingHTTPServer):
    """Gives every request to `hear`, which chooses the turn, and answers with it."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, hear: Callable[[Request], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Ear)
        self.hear = hear


class _Ear(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        request = Request(self.path.partition("?")[0], self.headers, json.loads(raw or b"{}"))
        self.server.hear(request)
        try:
            self._reply(*_answer(request))
        except ConnectionError:  # the client was killed, or has lost patience
            self.close_connection = True
        else:
            request.answered = time.time()

    def do_GET(self) -> None:
        self.do_POST()

    def do_HEAD(self) -> None:
        self.do_POST()

    def _reply(self, status: int, kind: str, content: str) -> None:
        data = content.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing is printed: the requests are kept."""


def _answer(request: Request) -> tuple[int, str, str]:
    """Status, content type and content."""
    turn, body = request.turn, request.body
    if turn is None:
        return (200 if request.path in OTHERS else 404), "application/json", json.dumps(OTHERS.get(request.path))
    if turn.error:
        return turn.error, "application/json", json.dumps(refusal(turn))
    whole = message(turn, body["model"])
    if not body.get("stream"):
        return 200, "application/json", json.dumps(whole)
    return 200, "text/event-stream", "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events(whole))
