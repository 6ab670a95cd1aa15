"""What Copilot CLI writes into the events file of a session (1.0.102)."""

from __future__ import annotations

from ...core.json_text import as_dict
from ..session_log import SessionLog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Its input does not hold the answer. The line that says that our hook was started comes after it.
END_MARK = b'"hookType":"agentStop","input"'
EDITING_TOOLS = ("create", "edit", "str_replace_editor", "apply_patch")


def add_entry(log: SessionLog, entry: dict[str, Any]) -> None:
    data, kind = as_dict(entry.get("data")), entry.get("type")
    if kind == "assistant.message":
        log.say(str(data.get("content") or ""))
    elif kind == "session.usage_record":
        log.unpriced.add("copilot, which bills requests and not tokens")
    elif kind == "tool.execution_start":
        name, words = str(data.get("toolName")), as_dict(data.get("arguments"))
        file = words.get("path")
        target = words.get("command") or file
        log.call(str(data.get("toolCallId")), name, target, file if name in EDITING_TOOLS else "")
    elif kind == "tool.execution_complete":
        result = as_dict(data.get("result")) or as_dict(data.get("error"))
        failed = data.get("success") is False or bool(
            as_dict(data.get("shellExecution")).get("exitCode")
        )
        complaint = str(result.get("content") or result.get("message") or "failed")[-500:]
        log.finish(str(data.get("toolCallId")), complaint if failed else "")
