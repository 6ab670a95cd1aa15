"""What Gemini CLI writes into the chat file of a session (0.61)."""

from __future__ import annotations

from ...core.json_text import as_dict
from ..session_log import SessionLog, Tokens, token_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

END_MARK = b""  # its input ends with the answer
EDITING_TOOLS = ("write_file", "replace", "edit")


def add_entry(log: SessionLog, entry: dict[str, Any]) -> None:
    if entry.get("type") != "gemini":
        return
    log.say(str(entry.get("content") or ""))
    usage = as_dict(entry.get("tokens"))
    cached = token_count(usage, "cached")
    tokens = Tokens(
        input=max(0, token_count(usage, "input") - cached),
        output=token_count(usage, "output") + token_count(usage, "thoughts"),
        cache_read=cached,
    )
    log.use(str(entry.get("id")), tokens, str(entry.get("model") or ""))
    calls = entry.get("toolCalls")
    for call in calls if isinstance(calls, list) else []:
        add_call(log, as_dict(call))


def add_call(log: SessionLog, call: dict[str, Any]) -> None:
    key, name, words = str(call.get("id")), str(call.get("name")), as_dict(call.get("args"))
    file = words.get("file_path")
    log.call(key, name, words.get("command") or file, file if name in EDITING_TOOLS else "")
    if call.get("status") in ("success", "error", "cancelled"):
        log.finish(key, call.get("resultDisplay") if call["status"] == "error" else "")
