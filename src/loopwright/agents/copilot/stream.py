"""What `copilot --output-format json` prints, line by line, and what a turn came to.

It reports neither dollars nor tokens, only how many premium requests it made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.json_text import as_dict
from .. import stream_notes as notes
from ..base import TurnRequest
from ..stream_parts import call_words, edited_file

EDITING_TOOLS = ("create", "edit", "str_replace_editor", "apply_patch")


def translate(event: dict[str, Any], request: TurnRequest) -> Iterator[notes.Note]:
    data = as_dict(event.get("data"))
    match event.get("type"):
        case "assistant.message" if data.get("content"):
            yield notes.Message(
                str(data["content"]), by_subagent=bool(data.get("parentToolCallId"))
            )
        case "assistant.turn_retry":
            yield notes.Remark(f"{data.get('reason')}, asked again")
        case "tool.execution_start":
            tool, given = data.get("toolName"), as_dict(data.get("arguments"))
            file = edited_file(tool, given.get("path"), EDITING_TOOLS)
            yield notes.CallStart(str(data.get("toolCallId")), call_words(tool, given), file)
        case "tool.execution_complete":
            denied = as_dict(data.get("error")).get("code") == "denied"
            yield notes.CallEnd(str(data.get("toolCallId")), _error_words(data), denied=denied)
        case "session.error":
            limited = data.get("errorType") in ("rate_limit", "quota")
            yield notes.Failure(str(data.get("message") or ""), data.get("statusCode"), limited)
        case "result":
            session = str(event.get("sessionId") or "")
            yield notes.TurnEnd(session, succeeded=event.get("exitCode") == 0)


def _error_words(data: dict[str, Any]) -> str:
    """What went wrong in a tool call; a command that fails counts as a success there."""
    if data.get("success") is not True:
        return str(as_dict(data.get("error")).get("message") or "failed")
    code = as_dict(data.get("shellExecution")).get("exitCode")
    if not code:
        return ""
    return f"Exit code {code}\n{as_dict(data.get('result')).get('content') or ''}"
