"""Streams of messages as Claude Code prints them, which Qwen Code, Amp and Cursor print too."""

from __future__ import annotations

from typing import Any

from .base import MAX_TEXT, TurnOutput, add_edit, as_dict
from .claude.transcript import EDITING_TOOLS, content_text, tool_call_summary
from .stream_parts import close_call, open_call

OTHER_EDITING_TOOLS = ("edit", "write_file", "notebook_edit", "create_file", "edit_file")


def read_message(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    """The output with one message of the agent, or with the results of its tool calls."""
    is_from_subagent = event.get("parent_tool_use_id") is not None
    is_answer = event["type"] == "assistant" and not is_from_subagent
    for block in content_blocks(event):
        match block.get("type"):
            case "text" if is_answer:
                output = output.but(text=str(block.get("text") or "")[:MAX_TEXT])
            case "tool_use":
                output = _read_tool_use(output, block)
            case "tool_result":
                result = content_text(block.get("content"))
                error = (result or "failed") if block.get("is_error") is True else ""
                output = close_call(output, str(block.get("tool_use_id")), error, result)
    return output


def tell_message(event: dict[str, Any]) -> str:
    """The message in words for people."""
    by_assistant = event.get("type") == "assistant"
    rows = []
    for block in content_blocks(event):
        match block.get("type"):
            case "text" if by_assistant:
                rows.append(str(block.get("text") or ""))
            case "tool_use":
                rows.append(f"→ {tool_call_summary(block)[0]}")
            case "tool_result" if block.get("is_error") is True:
                rows.append(f"✗ {content_text(block.get('content'))[:300]}")
    return "\n".join(rows)


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


def _read_tool_use(output: TurnOutput, block: dict[str, Any]) -> TurnOutput:
    words, file = tool_call_summary(block)
    output = open_call(output, str(block.get("id")), words)
    if file and block.get("name") in (*EDITING_TOOLS, *OTHER_EDITING_TOOLS):
        output = add_edit(output, file)
    return output
