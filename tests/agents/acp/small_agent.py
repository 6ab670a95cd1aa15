"""A small agent that speaks the Agent Client Protocol on its standard streams, for the cases that no real one can be brought to.

python small_agent.py CASE
"""

from __future__ import annotations

import json
import sys
from typing import Any

CASE = sys.argv[1]
EDIT = {"toolCallId": "1", "title": "Write", "kind": "edit", "status": "pending"}
OPTIONS = [
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "once", "name": "Once", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def update(**what: Any) -> None:
    send(method="session/update", params={"sessionId": "s-1", "update": what})


def says(text: str) -> None:
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def asks(path: str) -> str:
    """Which option the client chooses for an edit of this file."""
    call = {**EDIT, "locations": [{"path": path}]}
    params = {"sessionId": "s-1", "toolCall": call, "options": OPTIONS}
    send(id=900, method="session/request_permission", params=params)
    outcome = receive()["result"]["outcome"]
    return str(outcome.get("optionId") or outcome["outcome"])


def work(request: dict[str, Any]) -> None:
    """One prompt."""
    if CASE == "permissions":
        root = request["params"]["prompt"][0]["text"]
        says(" ".join(asks(path) for path in (f"{root}/in.py", "/etc/passwd", f"{root}/../out")))
    elif CASE == "garbage":
        print("no JSON\n", flush=True)
        says("still here")
    elif CASE == "dies":
        says("I begin.")
        sys.exit(3)
    elif CASE == "cancel":
        says("I begin.")
        while receive().get("method") != "session/cancel":
            pass
        send(id=request["id"], result={"stopReason": "cancelled"})
        return
    else:
        says(f"done in {request['params']['sessionId']}")
    send(id=request["id"], result={"stopReason": "end_turn"})


if CASE == "usage":
    print("usage: agent [FILE]", flush=True)
    sys.exit("agent: no option --acp")

while True:
    asked = receive()
    match asked.get("method"):
        case "initialize":
            if CASE == "silent":
                continue
            can, version = {"loadSession": CASE == "load"}, {"new": 99}.get(CASE, 1)
            send(id=asked["id"], result={"protocolVersion": version, "agentCapabilities": can})
        case "session/new" if CASE == "login":
            send(id=asked["id"], error={"code": -32000, "message": "Authentication required"})
        case "session/new":
            send(id=asked["id"], result={"sessionId": "s-1"})
        case "session/load":
            says("the past, which is not a part of this turn")
            send(id=asked["id"], result={})
        case "session/prompt":
            work(asked)
