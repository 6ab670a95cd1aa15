"""What each version of MCP asks of a server, without any input or output.

Up to 2025-11-25 a client shakes hands with `initialize`. From 2026-07-28 on there is no handshake:
each request names its version in `_meta`, and `server/discover` says what we can do.
"""

from __future__ import annotations

from typing import Any

from .. import __version__
from ..core.prompts.mcp_tools import INSTRUCTIONS
from ..core.record import Record
from .messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Message,
    MessageId,
    Request,
    error_message,
    is_message_id,
    result_message,
)
from .tools import TOOLS, described_tool

STATELESS = "2026-07-28"
HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
VERSIONS = (STATELESS, *HANDSHAKE_VERSIONS)  # the newest first
BATCH_VERSIONS = ("2025-03-26", "2024-11-05")
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
SERVER = {"name": "loopwright", "version": __version__}
CAPABILITIES: Message = {"tools": {}}
# The list of tools changes with our version alone, and is the same for everyone.
CACHE_HINTS = {"ttlMs": 300_000, "cacheScope": "public"}


class Session(Record):
    """What a client has agreed on with us; "" before a handshake, or without one."""

    version: str = ""


class Call(Record):
    """A tool to run, and the version in which its result is told."""

    id: MessageId
    tool: str
    arguments: dict[str, Any]
    version: str


class Cancellation(Record):
    """The client no longer waits for the answer to this request."""

    id: MessageId


Outcome = Message | Call | Cancellation | None


def handle_request(session: Session, request: Request) -> tuple[Session, Outcome]:
    """The session afterwards, and the answer, the call to make, or None for nothing."""
    if request.id is None:
        return session, _handle_notification(request)
    if request.method == "initialize":
        return _shake_hands(session, request)
    version = _version_of(session, request)
    if version not in VERSIONS:
        supported = {"supported": list(VERSIONS), "requested": version[:100]}
        text = f"this server speaks no MCP {version[:100]!r}, but {', '.join(VERSIONS)}"
        return session, error_message(request.id, UNSUPPORTED_VERSION, text, supported)
    if request.method == "tools/call":
        return session, _requested_call(request, version)
    result = _plain_result(request.method, version)
    if result is None:
        text = f"no method {request.method[:100]!r}; this server has tools/list and tools/call"
        return session, error_message(request.id, METHOD_NOT_FOUND, text)
    return session, result_message(request.id, complete_result(result, version))


def _handle_notification(request: Request) -> Cancellation | None:
    number = request.params.get("requestId")
    if request.method == "notifications/cancelled" and is_message_id(number):
        return Cancellation(number)
    return None


def _shake_hands(session: Session, request: Request) -> tuple[Session, Message]:
    wanted = request.params.get("protocolVersion")
    if not isinstance(wanted, str):
        text = f"initialize names a protocolVersion, one of {', '.join(HANDSHAKE_VERSIONS)}"
        return session, error_message(request.id, INVALID_PARAMS, text)
    # A client that asks for another version decides itself whether it takes ours.
    version = wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0]
    result = {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER,
        "instructions": INSTRUCTIONS,
    }
    return Session(version), result_message(request.id, result)


def _version_of(session: Session, request: Request) -> str:
    """The version that the request names, else that of the handshake, else a likely one."""
    meta = request.params.get("_meta")
    if isinstance(meta, dict) and VERSION_KEY in meta:
        return str(meta[VERSION_KEY])
    if request.method == "server/discover":
        return STATELESS
    return session.version or HANDSHAKE_VERSIONS[0]


def _plain_result(method: str, version: str) -> Message | None:
    """The result of a method that needs no call; None if this version has no such method."""
    if method == "tools/list":
        tools = [described_tool(tool, version) for tool in TOOLS.values()]
        return {"tools": tools, **(CACHE_HINTS if version == STATELESS else {})}
    if method == "server/discover":
        found = {"supportedVersions": list(VERSIONS), "capabilities": CAPABILITIES}
        return {**found, "instructions": INSTRUCTIONS, **CACHE_HINTS}
    return {} if method == "ping" and version != STATELESS else None


def _requested_call(request: Request, version: str) -> Call | Message:
    name, arguments = request.params.get("name"), request.params.get("arguments")
    if not isinstance(name, str) or name not in TOOLS:
        what = f"no tool {name[:100]!r}" if isinstance(name, str) else "a call names its tool"
        text = f"{what}; there are: {', '.join(TOOLS)}"
        return error_message(request.id, INVALID_PARAMS, text)
    if not isinstance(arguments, dict | None):
        return error_message(request.id, INVALID_PARAMS, "the arguments are a JSON object")
    return Call(request.id, name, arguments or {}, version)


def complete_result(result: Message, version: str) -> Message:
    """The result in the form of this version."""
    if version != STATELESS:
        return result
    return {**result, "resultType": "complete", "_meta": {SERVER_KEY: SERVER}}


def batch_problem(session: Session) -> Message | None:
    """Why a batch cannot be taken; None if the version of the handshake has batches."""
    if session.version in BATCH_VERSIONS:
        return None
    text = f"only MCP {' and '.join(BATCH_VERSIONS)} have batches; send one message per line"
    return error_message(None, INVALID_REQUEST, text)
