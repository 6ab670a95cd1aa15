"""The scripted model's ear and voice: HTTP on 127.0.0.1, in the dialect of whoever asks, as far as the clients listen."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any

from tests.e2e import chat, generate_content, messages, responses
from tests.e2e.turn import Body, Turn

DIALECTS = {one.PATH: one for one in (messages, responses, chat)}
JSON = {"content-type": "application/json"}
OTHERS: dict[str, Body] = {"/": {}, "/v1/messages/count_tokens": {"input_tokens": 1000}}


@dataclass
class Request:
    """What a client asked, when, in which lane, what it was answered, and when (0: not yet, or it was gone by then)."""

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
        return flat(self._messages)

    @property
    def news(self) -> str:
        """What the messages say since the model spoke last."""
        spoken = [number for number, one in enumerate(self._messages, 1) if _by_the_model(one)]
        return flat(self._messages[max(spoken, default=0) :])

    @property
    def _messages(self) -> list[Body]:
        body = self.body
        return body.get("messages") or body.get("input") or body.get("contents") or []


def _by_the_model(message: Body) -> bool:
    """In Codex's dialect a tool call is a message of its own."""
    by_role = message.get("role") in ("assistant", "model")
    return by_role or str(message.get("type")).endswith("_call")


def dialect_of(path: str) -> ModuleType | None:
    """Who asks there for an answer of the model; None: nobody."""
    if path.endswith(generate_content.PATH_ENDS):
        return generate_content
    return DIALECTS.get(path)


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
        super().__init__(("127.0.0.1", 0), _HttpEndpoint)
        self.hear = hear


class _HttpEndpoint(BaseHTTPRequestHandler):
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

    def _reply(self, status: int, headers: Mapping[str, str], content: str) -> None:
        data = content.encode()
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing is printed: the requests are kept."""


def _answer(request: Request) -> tuple[int, Mapping[str, str], str]:
    """Status, headers and content."""
    turn, body = request.turn, request.body
    if turn is None:
        return (200 if request.path in OTHERS else 404), JSON, json.dumps(OTHERS.get(request.path))
    dialect = dialect_of(request.path)
    assert dialect, "it has a turn"
    if turn.error:
        headers, refused = dialect.refusal(turn)
        return turn.error, {**JSON, **headers, **turn.headers}, json.dumps(turn.body or refused)
    whole = dialect.message(turn, body)
    if not body.get("stream") and not request.path.endswith(generate_content.STREAMING):
        return 200, {**JSON, **turn.headers}, json.dumps(whole)
    headers = {"content-type": "text/event-stream", **turn.headers}
    return 200, headers, "".join(dialect.stream(whole))
