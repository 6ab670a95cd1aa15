"""Streams of messages as Claude Code prints them, which Qwen Code, Amp and Cursor print too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.json_text import as_dict
from .claude.transcript import EDITING_TOOLS, content_text, tool_call_summary
from .stream_notes import CallEnd, CallStart, Failure, Message, Note, TurnEnd

OTHER_EDITING_TOOLS = ("edit", "write_file", "notebook_edit", "create_file", "edit_file")


def message_notes(event: dict[str, Any]) -> Iterator[Note]:
    """What a message of the agent says, or one with the results of its tool calls."""
    is_from_subagent = event.get("parent_tool_use_id") is not None
    for block in content_blocks(event):
        match block.get("type"):
            case "text" if event.get("type") == "assistant":
                yield Message(str(block.get("text") or ""), by_subagent=is_from_subagent)
            case "tool_use":
                words, file = tool_call_summary(block)
                is_edit = block.get("name") in (*EDITING_TOOLS, *OTHER_EDITING_TOOLS)
                yield CallStart(str(block.get("id")), words, file if is_edit else "")
            case "tool_result":
                result = content_text(block.get("content"))
                error = (result or "failed") if block.get("is_error") is True else ""
                yield CallEnd(str(block.get("tool_use_id")), error, result)


def result_notes(
    event: dict[str, Any], failure: Any = None, is_whole_turn: bool = False
) -> Iterator[Note]:
    """What the event at the end of a turn says; `failure` is why, if it is an error."""
    text = event.get("result")
    yield TurnEnd(
        session=str(event.get("session_id") or ""),
        denied=denied_calls(event),
        text=text if isinstance(text, str) else "",
        is_whole_turn=is_whole_turn,
    )
    if event.get("is_error") is True:
        yield Failure(str(failure or event.get("subtype") or ""))


def denied_calls(event: dict[str, Any]) -> tuple[str, ...]:
    """The tool calls without permission, in a few words each."""
    denials = event.get("permission_denials")
    words = []
    for denial in denials if isinstance(denials, list) else ():
        if isinstance(denial, dict):
            call = {"name": denial.get("tool_name"), "input": denial.get("tool_input")}
            words.append(tool_call_summary(call)[0])
    return tuple(dict.fromkeys(words))[:20]


def content_blocks(event: dict[str, Any]) -> list[dict[str, Any]]:
    content = as_dict(event.get("message")).get("content")
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]
