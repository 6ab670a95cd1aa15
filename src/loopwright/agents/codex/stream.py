"""What `codex exec --json` prints, line by line, and what a turn came to.

Codex reports tokens and no dollars.
"""

from __future__ import annotations

from typing import Any

from ... import lazy_re as re
from ...core.json_text import as_dict
from ...core.prompts.phrases import cut_at_word
from ..base import (
    MAX_TEXT,
    ProcessExit,
    TurnOutput,
    TurnRequest,
    add_edit,
    add_outcome,
    parse_event,
    plausible_number,
)
from ..stream_parts import add_token_cost, fail_turn, judge_cut_off_cost, judge_turn

TOKEN_FIELDS = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
# At the beginning of an error event, never in the words of a model.
USAGE_LIMIT = re.compile(r"You.ve hit your usage limit\b")


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "thread.started":
            return output.but(session=str(event.get("thread_id") or ""))
        case "item.started":
            return _read_item_start(output, as_dict(event.get("item")))
        case "item.completed":
            return _read_item_end(output, as_dict(event.get("item")))
        case "turn.completed":
            output = _add_cost(output, as_dict(event.get("usage")), request)
            return output.but(results=output.results + 1, open_tool_calls=())
        case "turn.failed":
            words = str(as_dict(event.get("error")).get("message") or "")
            limited = bool(USAGE_LIMIT.match(words))
            return fail_turn(output, words).but(limited=limited, open_tool_calls=())
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    output = judge_cut_off_cost(output, "codex", process_exit)
    return judge_turn(output, "codex", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    item = as_dict(event.get("item"))
    match event.get("type"), item.get("type"):
        case "item.completed", "agent_message":
            return str(item.get("text") or "")
        case "item.started", "command_execution":
            return f"→ {item.get('command')}"
        case "item.completed", "command_execution" if item.get("exit_code"):
            tail = str(item.get("aggregated_output"))[-300:].strip()
            return f"✗ exit code {item.get('exit_code')}: {tail}"
        case "item.completed", "file_change":
            changes = _file_changes(item)
            return "\n".join(f"→ {change.get('kind')} {change.get('path')}" for change in changes)
        case "error", _:
            return f"! {event.get('message')}"
    return ""


def _is_tool_call(item: dict[str, Any]) -> bool:
    return item.get("type") not in (None, "agent_message", "reasoning", "error", "todo_list")


def _tool_call_key(item: dict[str, Any]) -> str:
    target = item.get("command") or item.get("tool") or ""
    return cut_at_word(f"{item.get('type')} {target}".strip(), 200)


def _read_item_start(output: TurnOutput, item: dict[str, Any]) -> TurnOutput:
    if not _is_tool_call(item):
        return output
    call = (str(item.get("id")), _tool_call_key(item))
    return output.but(open_tool_calls=(*output.open_tool_calls, call))


def _read_item_end(output: TurnOutput, item: dict[str, Any]) -> TurnOutput:
    if item.get("type") == "agent_message":
        return output.but(text=str(item.get("text") or "")[:MAX_TEXT])
    if not _is_tool_call(item):
        return output
    open_calls = dict(output.open_tool_calls)
    open_calls.pop(str(item.get("id")), None)
    for change in _file_changes(item):
        output = add_edit(output, str(change.get("path")))
    error = ""
    if item.get("status") == "failed" or item.get("exit_code"):
        error = f"Exit code {item.get('exit_code')}\n{item.get('aggregated_output') or ''}"
    result = str(item.get("aggregated_output") or "")
    output = add_outcome(output, _tool_call_key(item), error, result)
    return output.but(tools=output.tools + 1, open_tool_calls=tuple(open_calls.items()))


def _add_cost(output: TurnOutput, usage: dict[str, Any], request: TurnRequest) -> TurnOutput:
    """The output with the cost of the tokens that are new.

    After a resume Codex continues to count (0.166), so we subtract what was counted before.
    """
    total = tuple(int(plausible_number(usage.get(name))) for name in TOKEN_FIELDS)
    counted = output.tokens or request.tokens_before
    if len(counted) != len(total) or not all(map(int.__le__, counted, total)):
        counted = (0,) * len(total)
    new, cached, written, out = (now - then for now, then in zip(total, counted, strict=True))
    used = (max(0, new - cached), cached, written, out)
    model = request.model or "codex's own choice of model"
    return add_token_cost(output, used, model, request).but(tokens=total)


def _file_changes(item: dict[str, Any]) -> list[dict[str, Any]]:
    changes = item.get("changes")
    if not isinstance(changes, list):
        return []
    return [change for change in changes if isinstance(change, dict)]
