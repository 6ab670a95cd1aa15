"""What Codex writes into the rollout file of a session (0.166)."""

from __future__ import annotations

from ...core.json_text import as_dict
from ..session_log import SessionLog, Tokens, token_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

END_MARK = b""  # its input holds the answer
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ")


def add_entry(log: SessionLog, entry: dict[str, Any]) -> None:
    payload = as_dict(entry.get("payload"))
    kind = entry.get("type")
    if kind == "turn_context":
        log.model = str(payload.get("model") or log.model)
    elif kind == "token_usage_record":
        usage = as_dict(payload.get("usage"))
        cached, written = (
            token_count(usage, "cached_input_tokens"),
            token_count(usage, "cache_write_input_tokens"),
        )
        tokens = Tokens(
            input=max(0, token_count(usage, "input_tokens") - cached - written),
            output=token_count(usage, "output_tokens"),
            cache_read=cached,
            cache_write=written,
        )
        log.use(str(payload.get("response_id")), tokens)
    elif kind == "response_item":
        _add_item(log, payload)


def _add_item(log: SessionLog, item: dict[str, Any]) -> None:
    key = str(item.get("call_id"))
    if item.get("type") in CALLS:
        name, words = str(item.get("name")), str(item.get("arguments") or item.get("input") or "")
        file = next((_patched_file(words, mark) for mark in PATCHED if mark in words), "")
        log.call(key, name, file or words, file)
    elif str(item.get("type")).endswith("_output"):
        output = str(item.get("output"))
        head, _, code = output.partition("Process exited with code ")
        failed = bool(code) and not code.startswith("0") and len(head) < 200
        log.finish(key, output[-500:] if failed else "")


def _patched_file(patch: str, mark: str) -> str:
    return patch.partition(mark)[2].partition("\n")[0].strip()
