"""What the player of a script prints: a JSON object for each tool used, and one for the text that ends the turn."""

from __future__ import annotations

from ..base import Call, Ending, Heard, came_to, edited, event_of, used


def read(heard: Heard, line: str, call: Call) -> Heard:
    event = event_of(line)
    match event.get("type"):
        case "text":
            return heard.but(text=event["text"], dollars=heard.dollars + event["dollars"], results=heard.results + 1)
        case "tool":
            if event["tool"] == "write":
                heard = edited(heard, event["key"])
            return used(heard, f"{event['tool']} {event['key']}", event["error"]).but(tools=heard.tools + 1)
        case "failure":
            return heard.but(failure=event["text"], limited=event["limited"], until=event["until"])
    return heard


def judge(heard: Heard, call: Call, ending: Ending) -> Heard:
    return came_to(heard, "script", ending)


def tell(line: str) -> str:
    event = event_of(line)
    match event.get("type"):
        case "text" | "failure":
            return str(event["text"])
        case "tool":
            return f"→ {event['tool']} {event['key']}" + (f"\n✗ {event['error']}" if event["error"] else "")
    return ""
