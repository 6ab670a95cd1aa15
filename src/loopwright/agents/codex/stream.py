"""What `codex exec --json` says, line by line, and what a turn came to. It reports tokens and no dollars."""

from __future__ import annotations

import re
import time
from typing import Any

from ...core.prices import price_of
from ...core.prompts.phrases import cut_at_word
from ..base import (
    MAX_TEXT,
    ProcessExit,
    TurnOutput,
    TurnRequest,
    add_edit,
    add_outcome,
    as_dict,
    judge_exit,
    parse_event,
    plausible_number,
)

TOKEN_FIELDS = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
USAGE_LIMIT = re.compile(
    r"You.ve hit your usage limit\b"
)  # at the beginning of an error event, never in the words of a model
RETRY_TIME = re.compile(
    r"try again at (?:([A-Z][a-z]{2}) (\d{1,2})[a-z]{2}, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP]M)\.?$"
)
DAY_SECONDS = 86_400


def read(heard: TurnOutput, line: str, call: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "thread.started":
            return heard.but(session=str(event.get("thread_id") or ""))
        case "item.started" | "item.completed":
            return _read_item(
                heard, as_dict(event.get("item")), over=event["type"] == "item.completed"
            )
        case "turn.completed":
            return _add_cost(heard, as_dict(event.get("usage")), call).but(
                results=heard.results + 1, open_tool_calls=()
            )
        case "turn.failed":
            words = str(as_dict(event.get("error")).get("message") or "no reason given")
            return heard.but(
                failure=cut_at_word(words, 1000),
                limited=bool(USAGE_LIMIT.match(words)),
                open_tool_calls=(),
            )
    return heard


def judge(heard: TurnOutput, call: TurnRequest, ending: ProcessExit) -> TurnOutput:
    if not heard.results and (ending.cut or heard.tools):  # it tells its tokens only at the end
        heard = heard.but(unpriced=("codex, in a turn that was cut off",))
    if heard.failure:
        return heard.but(
            text="", until=limit_reset_time(heard.failure, ending.at) if heard.limited else 0.0
        )
    return judge_exit(heard, "codex", ending)


def tell(line: str) -> str:
    event = parse_event(line)
    item = as_dict(event.get("item"))
    match event.get("type"), item.get("type"):
        case "item.completed", "agent_message":
            return str(item.get("text") or "")
        case "item.started", "command_execution":
            return f"→ {item.get('command')}"
        case "item.completed", "command_execution" if item.get("exit_code"):
            return f"✗ exit code {item.get('exit_code')}: {str(item.get('aggregated_output'))[-300:].strip()}"
        case "item.completed", "file_change":
            return "\n".join(
                f"→ {change.get('kind')} {change.get('path')}" for change in _file_changes(item)
            )
        case "error", _:
            return f"! {event.get('message')}"
    return ""


def limit_reset_time(words: str, at: float) -> float:
    """The moment that "try again at 10:45 AM" means: the next such time in this time zone; 0.0 where none is said."""
    found = RETRY_TIME.search(words)
    if not found:
        return 0.0
    month, day, year, hour, minute, half = found.groups()
    date = f"{month} {day} {year}" if month else time.strftime("%b %d %Y", time.localtime(at))
    try:
        then = time.mktime(time.strptime(f"{date} {hour}:{minute} {half}", "%b %d %Y %I:%M %p"))
    except (ValueError, OverflowError):
        return 0.0
    return then + DAY_SECONDS if not month and then < at - DAY_SECONDS / 2 else then


def _read_item(heard: TurnOutput, item: dict[str, Any], over: bool) -> TurnOutput:
    kind, name = item.get("type"), str(item.get("id"))
    if kind == "agent_message":
        return heard.but(text=str(item.get("text") or "")[:MAX_TEXT]) if over else heard
    if kind in (None, "reasoning", "error", "todo_list"):
        return heard
    key = cut_at_word(f"{kind} {item.get('command') or item.get('tool') or ''}".strip(), 200)
    if not over:
        return heard.but(open_tool_calls=(*heard.open_tool_calls, (name, key)))
    known = dict(heard.open_tool_calls)
    known.pop(name, None)
    for change in _file_changes(item):
        heard = add_edit(heard, str(change.get("path")))
    failed = item.get("status") == "failed" or bool(item.get("exit_code"))
    error = (
        f"Exit code {item.get('exit_code')}\n{item.get('aggregated_output') or ''}"
        if failed
        else ""
    )
    return add_outcome(heard, key, error).but(
        tools=heard.tools + 1, open_tool_calls=tuple(known.items())
    )


def _add_cost(heard: TurnOutput, usage: dict[str, Any], call: TurnRequest) -> TurnOutput:
    """Its numbers count on when a session is resumed (0.166): what was counted before is taken off."""
    total, known = (
        tuple(int(plausible_number(usage.get(name))) for name in TOKEN_FIELDS),
        heard.tokens or call.tokens_before,
    )
    before = (
        known
        if len(known) == len(total) and all(map(int.__le__, known, total))
        else (0,) * len(total)
    )
    new, cached, written, out = (now - then for now, then in zip(total, before, strict=True))
    price = price_of(call.model, call.prices)
    if price is None:
        return heard.but(tokens=total, unpriced=(call.model or "codex's own choice of model",))
    dollars = (
        max(0, new - cached) * price.input
        + cached * price.cache_read
        + written * price.cache_write
        + out * price.output
    ) / 1e6
    return heard.but(tokens=total, dollars=heard.dollars + dollars)


def _file_changes(item: dict[str, Any]) -> list[dict[str, Any]]:
    changes = item.get("changes")
    return (
        [change for change in changes if isinstance(change, dict)]
        if isinstance(changes, list)
        else []
    )
