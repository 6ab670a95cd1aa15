"""What `claude -p --output-format stream-json` says, line by line, and what a turn came to.

Judged by is_error and terminal_reason; the exit code and the subtype alone say too little (an API error is a "success").
"""

from __future__ import annotations

from typing import Any

from ...core.prices import price_of
from ...core.wording import beginning
from ..base import MOST_TEXT, Call, Ending, Heard, came_to, edited, event_of, number, table, used
from .transcript import EDITORS, wanted_by, words_of

CUT = {"max_turns", "aborted_streaming", "aborted_tools", "hook_stopped", "stop_hook_prevented", "blocking_limit"}
LIMITED = "usage_limit_reached"
BRAKED = "claude ended the turn by itself, without a last word"


def read(heard: Heard, line: str, call: Call) -> Heard:
    event = event_of(line)
    match event.get("type"):
        case "system":
            return _system(heard, event)
        case "assistant" | "user":
            return _message(_counted(heard, table(event.get("message")), call), event)
        case "rate_limit_event":
            info = table(event.get("rate_limit_info"))
            return heard.but(until=number(info.get("resetsAt"))) if info.get("status") == "rejected" else heard
        case "result":
            return _result(heard, event)
    return heard


def judge(heard: Heard, call: Call, ending: Ending) -> Heard:
    heard = heard.but(dollars=heard.dollars + heard.unsettled, unsettled=0.0)  # of a turn that came to no result
    return came_to(heard, "claude", ending)


def tell(line: str) -> str:
    event = event_of(line)
    if event.get("type") == "system" and event.get("subtype") == "api_retry":
        return f"! {event.get('error')} ({event.get('error_status')}), asked again ({event.get('attempt')})"
    rows = []
    for block in _blocks(event):
        if block.get("type") == "text" and event.get("type") == "assistant":
            rows.append(str(block.get("text") or ""))
        elif block.get("type") == "tool_use":
            rows.append(f"→ {wanted_by(block)[0]}")
        elif block.get("type") == "tool_result" and block.get("is_error") is True:
            rows.append(f"✗ {words_of(block.get('content'))[:300]}")
    return "\n".join(rows)


def _system(heard: Heard, event: dict[str, Any]) -> Heard:
    match event.get("subtype"):
        case "init":
            return heard.but(session=str(event.get("session_id") or ""))
        case "background_tasks_changed":
            tasks = event.get("tasks")
            return heard.but(tasks=len(tasks) if isinstance(tasks, list) else 0)
    return heard


def _message(heard: Heard, event: dict[str, Any]) -> Heard:
    ours = event.get("parent_tool_use_id") is None
    for block in _blocks(event):
        kind = block.get("type")
        if kind == "text" and ours and event["type"] == "assistant":
            heard = heard.but(text=str(block.get("text") or "")[:MOST_TEXT])
        elif kind == "tool_use":
            key, file = wanted_by(block)
            heard = heard.but(tools=heard.tools + 1, calls=(*heard.calls, (str(block.get("id")), key)))
            if block.get("name") in EDITORS and file:
                heard = edited(heard, file)
        elif kind == "tool_result":
            known, name = dict(heard.calls), str(block.get("tool_use_id"))
            failed = words_of(block.get("content")) or "failed" if block.get("is_error") is True else ""
            heard = used(heard, known.pop(name, "tool"), failed).but(calls=tuple(known.items()))
    return heard


def _counted(heard: Heard, message: dict[str, Any], call: Call) -> Heard:
    """What the messages so far must have cost. Only a result tells it exactly; a turn that is cut off has none."""
    usage, name, model = table(message.get("usage")), str(message.get("id")), str(message.get("model"))
    if not usage or model == "<synthetic>":
        return heard
    price = price_of(model, call.prices)
    if price is None:
        return heard.but(unpriced=(model[:60],))
    letters = sum(len(str(block.get("text") or block.get("input") or "")) for block in _blocks({"message": message}))
    out = letters / 4 * price.output / 1e6  # the stream gives the number of tokens before they are written
    new = (
        number(usage.get("input_tokens")) * price.input
        + number(usage.get("cache_read_input_tokens")) * price.read
        + number(usage.get("cache_creation_input_tokens")) * price.write
    ) / 1e6
    known = name in heard.counted
    return heard.but(counted=(*heard.counted, name)[-50:], unsettled=heard.unsettled + out + (0.0 if known else new))


def _result(heard: Heard, event: dict[str, Any]) -> Heard:
    """One run may end more than once: background work wakes the model again. The last result counts, the costs add up."""
    heard = heard.but(results=heard.results + 1, calls=(), failure="", cut="", dollars=_dollars(heard, event))
    heard = heard.but(session=str(event.get("session_id") or heard.session), denied=_denied(event), unsettled=0.0, unpriced=())
    text, reason = event.get("result"), str(event.get("terminal_reason") or event.get("subtype"))
    if event.get("is_error") is not True:
        if text == "" and heard.results == 1:  # so it ends where hooks have held it up to its own cap
            return heard.but(text="", cut=BRAKED)
        return heard.but(text=text[:MOST_TEXT] if isinstance(text, str) and text else heard.text, limited=False, until=0.0)
    errors = event.get("errors")
    words = "; ".join(map(str, errors)) if isinstance(errors, list) and errors else str(text or reason)
    if reason == "budget_exhausted":
        return heard.but(cut=words)
    if reason in CUT:
        return heard.but(cut=f"{reason}: {words}")
    status = event.get("api_error_status")
    limited = event.get("api_error") == LIMITED or status == 429
    return heard.but(text="", failure=beginning(f"{status or ''} {words}".strip(), 1000), limited=limited)


def _dollars(heard: Heard, event: dict[str, Any]) -> float:
    """Since 2.1.325 the total after --resume is the whole session's; what is new since the last result is named beside it."""
    since = event.get("model_usage_since_last_result")
    if isinstance(since, dict):
        return heard.dollars + sum(number(table(one).get("costUSD")) for one in since.values())
    return max(heard.dollars, number(event.get("total_cost_usd")))


def _denied(event: dict[str, Any]) -> tuple[str, ...]:
    found = event.get("permission_denials")
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return tuple(dict.fromkeys(wanted_by({"name": r.get("tool_name"), "input": r.get("tool_input")})[0] for r in rows))[:20]


def _blocks(event: dict[str, Any]) -> list[dict[str, Any]]:
    content = table(event.get("message")).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
