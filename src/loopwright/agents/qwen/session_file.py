"""What Qwen Code writes into the chat file of a session (0.24)."""

from __future__ import annotations

from ...core.json_text import as_dict
from ..session_log import SessionLog, Tokens, token_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

END_MARK = b""  # its input holds the answer
EDITING_TOOLS = ("write_file", "edit", "notebook_edit")


def add_entry(log: SessionLog, entry: dict[str, Any]) -> None:
    kind = entry.get("type")
    if kind == "assistant":
        usage = as_dict(entry.get("usageMetadata"))
        cached = token_count(usage, "cachedContentTokenCount")
        tokens = Tokens(
            input=max(0, token_count(usage, "promptTokenCount") - cached),
            output=token_count(usage, "candidatesTokenCount"),
            cache_read=cached,
        )
        log.use(str(entry.get("uuid")), tokens, str(entry.get("model") or ""))
    parts = as_dict(entry.get("message")).get("parts")
    for part in parts if isinstance(parts, list) else []:
        _add_part(log, as_dict(part))


def _add_part(log: SessionLog, part: dict[str, Any]) -> None:
    call, result = as_dict(part.get("functionCall")), as_dict(part.get("functionResponse"))
    if call:
        name, words = str(call.get("name")), as_dict(call.get("args"))
        file = words.get("file_path")
        target = words.get("command") or file
        log.call(str(call.get("id")), name, target, file if name in EDITING_TOOLS else "")
    if result:
        log.finish(str(result.get("id")), as_dict(result.get("response")).get("error"))
