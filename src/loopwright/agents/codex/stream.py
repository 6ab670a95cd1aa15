"""What `codex exec --json` says, line by line, and what a turn came to. It reports tokens and no dollars."""

from __future__ import annotations

import re
import time
from typing import Any

from ...core.prices import price_of
from ...core.wording import beginning
from ..base import MOST_TEXT, Call, Ending, Heard, came_to, edited, event_of, number, table, used

COUNTED = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
LIMITED = re.compile(r"You.ve hit your usage limit\b")  # at the beginning of an error event, never in the words of a model
CLOCK = re.compile(r"try again at (?:([A-Z][a-z]{2}) (\d{1,2})[a-z]{2}, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP]M)\.?$")
DAY = 86_400


def read(heard: Heard, line: str, call: Call) -> Heard:
    event = event_of(line)
    match event.get("type"):
        case "thread.started":
            return heard.but(session=str(event.get("thread_id") or ""))
        case "item.started" | "item.completed":
            return _item(heard, table(event.get("item")), over=event["type"] == "item.completed")
        case "turn.completed":
            return _spent(heard, table(event.get("usage")), call).but(results=heard.results + 1, calls=())
        case "turn.failed":
            words = str(table(event.get("error")).get("message") or "no reason given")
            return heard.but(failure=beginning(words, 1000), limited=bool(LIMITED.match(words)), calls=())
    return heard


def judge(heard: Heard, call: Call, ending: Ending) -> Heard:
    if not heard.results and (ending.cut or heard.tools):  # it tells its tokens only at the end
        heard = heard.but(unpriced=("codex, in a turn that was cut off",))
    if heard.failure:
        return heard.but(text="", until=reset(heard.failure, ending.at) if heard.limited else 0.0)
    return came_to(heard, "codex", ending)


def tell(line: str) -> str:
    event = event_of(line)
    item = table(event.get("item"))
    match event.get("type"), item.get("type"):
        case "item.completed", "agent_message":
            return str(item.get("text") or "")
        case "item.started", "command_execution":
            return f"→ {item.get('command')}"
        case "item.completed", "command_execution" if item.get("exit_code"):
            return f"✗ exit code {item.get('exit_code')}: {str(item.get('aggregated_output'))[-300:].strip()}"
        case "item.completed", "file_change":
            return "\n".join(f"→ {change.get('kind')} {change.get('path')}" for change in _changes(item))
        case "error", _:
            return f"! {event.get('message')}"
    return ""


def reset(words: str, at: float) -> float:
    """The moment that "try again at 10:45 AM" means: the next such time in this time zone; 0.0 where none is said."""
    found = CLOCK.search(words)
    if not found:
        return 0.0
    month, day, year, hour, minute, half = found.groups()
    date = f"{month} {day} {year}" if month else time.strftime("%b %d %Y", time.localtime(at))
    try:
        then = time.mktime(time.strptime(f"{date} {hour}:{minute} {half}", "%b %d %Y %I:%M %p"))
    except (ValueError, OverflowError):
        return 0.0
    return then + DAY if not month and then < at - DAY / 2 else then


def _item(heard: Heard, item: dict[str, Any], over: bool) -> Heard:
    kind, name = item.get("type"), str(item.get("id"))
    if kind == "agent_message":
        return heard.but(text=str(item.get("text") or "")[:MOST_TEXT]) if over else heard
    if kind in (None, "reasoning", "error", "todo_list"):
        return heard
    key = beginning(f"{kind} {item.get('command') or item.get('tool') or ''}".strip(), 200)
    if not over:
        return heard.but(calls=(*heard.calls, (name, key)))
    known = dict(heard.calls)
    known.pop(name, None)
    for change in _changes(item):
        heard = edited(heard, str(change.get("path")))
    failed = item.get("status") == "failed" or bool(item.get("exit_code"))
    error = f"Exit code {item.get('exit_code')}\n{item.get('aggregated_output') or ''}" if failed else ""
    return used(heard, key, error).but(tools=heard.tools + 1, calls=tuple(known.items()))


def _spent(heard: Heard, usage: dict[str, Any], call: Call) -> Heard:
    """Its numbers count on when a session is resumed (0.166): what was counted before is taken off."""
    total, known = tuple(int(number(usage.get(name))) for name in COUNTED), heard.tokens or call.before
    before = known if len(known) == len(total) and all(map(int.__le__, known, total)) else (0,) * len(total)
    new, cached, written, out = (now - then for now, then in zip(total, before, strict=True))
    price = price_of(call.model, call.prices)
    if price is None:
        return heard.but(tokens=total, unpriced=(call.model or "codex's own choice of model",))
    dollars = (max(0, new - cached) * price.input + cached * price.read + written * price.write + out * price.output) / 1e6
    return heard.but(tokens=total, dollars=heard.dollars + dollars)


def _changes(item: dict[str, Any]) -> list[dict[str, Any]]:
    changes = item.get("changes")
    return [change for change in changes if isinstance(change, dict)] if isinstance(changes, list) else []
