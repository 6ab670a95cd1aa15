"""JSON-RPC messages, one per line: what the other side sends, whatever it is, and our answers."""

from __future__ import annotations

from typing import Any

from ..core.json_text import JSONError, dumps, loads
from ..core.record import Record

MAX_LINE_BYTES = 1_000_000
MAX_BATCH = 50
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
UNSUPPORTED_VERSION = -32022

MessageId = str | int | None
Message = dict[str, Any]


class Request(Record):
    """A request, or a notification, which has no id and is never answered."""

    id: MessageId
    method: str
    params: dict[str, Any]


class Problem(Record):
    """A message that cannot be taken as a request, and the error that answers it."""

    id: MessageId
    code: int
    text: str


class Incoming(Record):
    """What one line holds."""

    messages: tuple[Request | Problem, ...]
    is_batch: bool = False


def read_message(line: bytes) -> Incoming:
    """The requests in a line. Answers of the client are left out: we ask it nothing."""
    if len(line) > MAX_LINE_BYTES:
        return _one_problem(INVALID_REQUEST, f"a message has at most {MAX_LINE_BYTES} bytes")
    if not line.strip():
        return Incoming(())
    try:
        value = loads(line)
    except JSONError as error:
        return _one_problem(PARSE_ERROR, f"each line must be one JSON message; {error}")
    if not isinstance(value, list):
        found = _read_request(value)
        return Incoming((found,) if found else ())
    if not 0 < len(value) <= MAX_BATCH:
        return _one_problem(INVALID_REQUEST, f"a batch has 1 to {MAX_BATCH} messages")
    return Incoming(tuple(found for found in map(_read_request, value) if found), is_batch=True)


def _one_problem(code: int, text: str) -> Incoming:
    return Incoming((Problem(None, code, text),))


def _read_request(value: object) -> Request | Problem | None:
    if not isinstance(value, dict):
        return Problem(None, INVALID_REQUEST, "a message is a JSON object")
    if "method" not in value and ("result" in value or "error" in value):
        return None
    known = value.get("id")
    number = known if is_message_id(known) else None
    if "id" in value and number is None:
        return Problem(None, INVALID_REQUEST, "an id is a text or a whole number")
    if value.get("jsonrpc") != "2.0":
        return Problem(number, INVALID_REQUEST, 'a message has "jsonrpc": "2.0"')
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str):
        return Problem(number, INVALID_REQUEST, "a message names its method as a text")
    if not isinstance(params, dict):
        if number is None:
            return None  # nobody waits for the answer to a notification
        return Problem(number, INVALID_PARAMS, f"the params of {method[:100]} are a JSON object")
    return Request(number, method, params)


def is_message_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def result_message(number: MessageId, result: Message) -> Message:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def error_message(number: MessageId, code: int, text: str, data: Message | None = None) -> Message:
    error: Message = {"code": code, "message": text}
    return {"jsonrpc": "2.0", "id": number, "error": {**error, "data": data} if data else error}


def written_line(message: Message | list[Message]) -> bytes:
    """The message as one line; JSON escapes the line ends inside it."""
    return dumps(message).encode() + b"\n"
