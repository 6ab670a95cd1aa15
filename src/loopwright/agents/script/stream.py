"""What the player of a script prints: a JSON object for each tool used, and one for the text that ends the turn."""

from __future__ import annotations

from ..base import (
    ProcessExit,
    TurnOutput,
    TurnRequest,
    add_edit,
    add_outcome,
    judge_exit,
    parse_event,
)


def read(heard: TurnOutput, line: str, call: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "text":
            return heard.but(
                text=event["text"],
                dollars=heard.dollars + event["dollars"],
                results=heard.results + 1,
            )
        case "tool":
            if event["tool"] == "write":
                heard = add_edit(heard, event["key"])
            return add_outcome(heard, f"{event['tool']} {event['key']}", event["error"]).but(
                tools=heard.tools + 1
            )
        case "failure":
            return heard.but(failure=event["text"], limited=event["limited"], until=event["until"])
    return heard


def judge(heard: TurnOutput, call: TurnRequest, ending: ProcessExit) -> TurnOutput:
    return judge_exit(heard, "script", ending)


def tell(line: str) -> str:
    event = parse_event(line)
    match event.get("type"):
        case "text" | "failure":
            return str(event["text"])
        case "tool":
            return f"→ {event['tool']} {event['key']}" + (
                f"\n✗ {event['error']}" if event["error"] else ""
            )
    return ""
