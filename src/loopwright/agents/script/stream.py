"""The output of play.py: a JSON object for each tool used, and one for the text at the end."""

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


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "text":
            return output.but(
                text=event["text"],
                dollars=output.dollars + event["dollars"],
                results=output.results + 1,
            )
        case "tool":
            if event["tool"] == "write":
                output = add_edit(output, event["key"])
            key, result = f"{event['tool']} {event['key']}", event.get("result", "")
            output = add_outcome(output, key, event["error"], result)
            dollars = output.dollars + event.get("dollars", 0.0)
            return output.but(tools=output.tools + 1, dollars=dollars)
        case "failure":
            return output.but(failure=event["text"], limited=event["limited"], until=event["until"])
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    return judge_exit(output, "script", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    match event.get("type"):
        case "text" | "failure":
            return str(event["text"])
        case "tool":
            row = f"→ {event['tool']} {event['key']}"
            return f"{row}\n✗ {event['error']}" if event["error"] else row
    return ""
