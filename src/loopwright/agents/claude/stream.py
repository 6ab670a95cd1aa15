"""What `claude -p --output-format stream-json` says, line by line, and what a turn came to.

Judged by is_error and terminal_reason; the exit code and the subtype alone say too little (an API error is a "success").
"""

from __future__ import annotations

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
from .transcript import EDITING_TOOLS, content_text, tool_call_summary

CUT_REASONS = {
    "max_turns",
    "aborted_streaming",
    "aborted_tools",
    "hook_stopped",
    "stop_hook_prevented",
    "blocking_limit",
}
USAGE_LIMIT = "usage_limit_reached"
ENDED_WITHOUT_TEXT = "claude ended the turn by itself, without a last word"


def read(heard: TurnOutput, line: str, call: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "system":
            return _read_system_event(heard, event)
        case "assistant" | "user":
            return _read_message(
                _add_estimated_cost(heard, as_dict(event.get("message")), call), event
            )
        case "rate_limit_event":
            info = as_dict(event.get("rate_limit_info"))
            return (
                heard.but(until=plausible_number(info.get("resetsAt")))
                if info.get("status") == "rejected"
                else heard
            )
        case "result":
            return _read_result(heard, event)
    return heard


def judge(heard: TurnOutput, call: TurnRequest, ending: ProcessExit) -> TurnOutput:
    heard = heard.but(
        dollars=heard.dollars + heard.estimated_dollars, estimated_dollars=0.0
    )  # of a turn that came to no result
    return judge_exit(heard, "claude", ending)


def tell(line: str) -> str:
    event = parse_event(line)
    if event.get("type") == "system" and event.get("subtype") == "api_retry":
        return f"! {event.get('error')} ({event.get('error_status')}), asked again ({event.get('attempt')})"
    rows = []
    for block in _content_blocks(event):
        if block.get("type") == "text" and event.get("type") == "assistant":
            rows.append(str(block.get("text") or ""))
        elif block.get("type") == "tool_use":
            rows.append(f"→ {tool_call_summary(block)[0]}")
        elif block.get("type") == "tool_result" and block.get("is_error") is True:
            rows.append(f"✗ {content_text(block.get('content'))[:300]}")
    return "\n".join(rows)


def _read_system_event(heard: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    match event.get("subtype"):
        case "init":
            return heard.but(session=str(event.get("session_id") or ""))
        case "background_tasks_changed":
            tasks = event.get("tasks")
            return heard.but(background_tasks=len(tasks) if isinstance(tasks, list) else 0)
    return heard


def _read_message(heard: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    ours = event.get("parent_tool_use_id") is None
    for block in _content_blocks(event):
        kind = block.get("type")
        if kind == "text" and ours and event["type"] == "assistant":
            heard = heard.but(text=str(block.get("text") or "")[:MAX_TEXT])
        elif kind == "tool_use":
            key, file = tool_call_summary(block)
            heard = heard.but(
                tools=heard.tools + 1,
                open_tool_calls=(*heard.open_tool_calls, (str(block.get("id")), key)),
            )
            if block.get("name") in EDITING_TOOLS and file:
                heard = add_edit(heard, file)
        elif kind == "tool_result":
            known, name = dict(heard.open_tool_calls), str(block.get("tool_use_id"))
            failed = (
                content_text(block.get("content")) or "failed"
                if block.get("is_error") is True
                else ""
            )
            heard = add_outcome(heard, known.pop(name, "tool"), failed).but(
                open_tool_calls=tuple(known.items())
            )
    return heard


def _add_estimated_cost(
    heard: TurnOutput, message: dict[str, Any], call: TurnRequest
) -> TurnOutput:
    """What the messages so far must have cost. Only a result tells it exactly; a turn that is cut off has none."""
    usage, name, model = (
        as_dict(message.get("usage")),
        str(message.get("id")),
        str(message.get("model")),
    )
    if not usage or model == "<synthetic>":
        return heard
    price = price_of(model, call.prices)
    if price is None:
        return heard.but(unpriced=(model[:60],))
    letters = sum(
        len(str(block.get("text") or block.get("input") or ""))
        for block in _content_blocks({"message": message})
    )
    out = (
        letters / 4 * price.output / 1e6
    )  # the stream gives the number of tokens before they are written
    new = (
        plausible_number(usage.get("input_tokens")) * price.input
        + plausible_number(usage.get("cache_read_input_tokens")) * price.cache_read
        + plausible_number(usage.get("cache_creation_input_tokens")) * price.cache_write
    ) / 1e6
    known = name in heard.counted_messages
    return heard.but(
        counted_messages=(*heard.counted_messages, name)[-50:],
        estimated_dollars=heard.estimated_dollars + out + (0.0 if known else new),
    )


def _read_result(heard: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    """One run may end more than once: background work wakes the model again. The last result counts, the costs add up."""
    heard = heard.but(
        results=heard.results + 1,
        open_tool_calls=(),
        failure="",
        cut="",
        dollars=_dollars_so_far(heard, event),
    )
    heard = heard.but(
        session=str(event.get("session_id") or heard.session),
        denied=_denied_calls(event),
        estimated_dollars=0.0,
        unpriced=(),
    )
    text, reason = event.get("result"), str(event.get("terminal_reason") or event.get("subtype"))
    if event.get("is_error") is not True:
        if (
            text == "" and heard.results == 1
        ):  # so it ends where hooks have held it up to its own cap
            return heard.but(text="", cut=ENDED_WITHOUT_TEXT)
        return heard.but(
            text=text[:MAX_TEXT] if isinstance(text, str) and text else heard.text,
            limited=False,
            until=0.0,
        )
    errors = event.get("errors")
    words = (
        "; ".join(map(str, errors)) if isinstance(errors, list) and errors else str(text or reason)
    )
    if reason == "budget_exhausted":
        return heard.but(cut=words)
    if reason in CUT_REASONS:
        return heard.but(cut=f"{reason}: {words}")
    status = event.get("api_error_status")
    limited = event.get("api_error") == USAGE_LIMIT or status == 429
    return heard.but(
        text="", failure=cut_at_word(f"{status or ''} {words}".strip(), 1000), limited=limited
    )


def _dollars_so_far(heard: TurnOutput, event: dict[str, Any]) -> float:
    """Since 2.1.325 the total after --resume is the whole session's; what is new since the last result is named beside it."""
    since = event.get("model_usage_since_last_result")
    if isinstance(since, dict):
        return heard.dollars + sum(
            plausible_number(as_dict(one).get("costUSD")) for one in since.values()
        )
    return max(heard.dollars, plausible_number(event.get("total_cost_usd")))


def _denied_calls(event: dict[str, Any]) -> tuple[str, ...]:
    found = event.get("permission_denials")
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return tuple(
        dict.fromkeys(
            tool_call_summary({"name": r.get("tool_name"), "input": r.get("tool_input")})[0]
            for r in rows
        )
    )[:20]


def _content_blocks(event: dict[str, Any]) -> list[dict[str, Any]]:
    content = as_dict(event.get("message")).get("content")
    return (
        [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    )
