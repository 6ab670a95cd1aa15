"""What `claude -p --output-format stream-json` prints, line by line, and what a turn came to.

is_error and terminal_reason decide. The exit code and the subtype alone say too little: an API
error has the subtype "success".
"""

from __future__ import annotations

from typing import Any

from ...core.json_text import as_dict
from ...core.limits import price_of
from ...core.prompts.phrases import cut_at_word
from ..base import (
    MAX_TEXT,
    ProcessExit,
    TurnOutput,
    TurnRequest,
    judge_exit,
    parse_event,
    plausible_number,
)
from ..message_stream import content_blocks, denied_calls, message_notes
from ..stream_notes import add_notes, tell_notes

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


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    match event.get("type"):
        case "system":
            return _read_system_event(output, event)
        case "assistant" | "user":
            message = as_dict(event.get("message"))
            output = _add_estimated_cost(output, message, request)
            return add_notes(output, message_notes(event), request)
        case "rate_limit_event":
            return _read_rate_limit(output, as_dict(event.get("rate_limit_info")))
        case "result":
            return _read_result(output, event)
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    # Something is left of the estimate only when the turn had no result.
    output = output.but(dollars=output.cost, estimated_dollars=0.0)
    return judge_exit(output, "claude", process_exit)


def tell(line: str) -> str:
    event = parse_event(line)
    if event.get("type") == "system" and event.get("subtype") == "api_retry":
        error, status = event.get("error"), event.get("error_status")
        return f"! {error} ({status}), asked again ({event.get('attempt')})"
    return tell_notes(message_notes(event))


def _read_system_event(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    match event.get("subtype"):
        case "init":
            return output.but(session=str(event.get("session_id") or ""))
        case "background_tasks_changed":
            tasks = event.get("tasks")
            return output.but(background_tasks=len(tasks) if isinstance(tasks, list) else 0)
    return output


def _read_rate_limit(output: TurnOutput, info: dict[str, Any]) -> TurnOutput:
    used = plausible_number(info.get("utilization"))
    if used > output.window_used:
        reset_at = plausible_number(info.get("resetsAt"))
        output = output.but(window_used=used, window_reset_at=reset_at)
    if info.get("status") != "rejected":
        return output
    return output.but(until=plausible_number(info.get("resetsAt")))


def _add_estimated_cost(
    output: TurnOutput, message: dict[str, Any], request: TurnRequest
) -> TurnOutput:
    """The output with the estimated cost of a message, for a turn that is cut off.

    Only a result tells the cost exactly, and a turn that is cut off has none.
    """
    usage, model = as_dict(message.get("usage")), str(message.get("model"))
    if not usage or model == "<synthetic>":
        return output
    price = price_of(model, request.prices)
    if price is None:
        return output.but(unpriced=(model[:60],))
    # The stream reports the number of output tokens before they are written, so we count letters.
    blocks = content_blocks({"message": message})
    letters = sum(len(str(block.get("text") or block.get("input") or "")) for block in blocks)
    dollars = price.dollars(0, letters / 4)
    message_id = str(message.get("id"))
    if message_id not in output.counted_messages:
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        new, read, written = (plausible_number(usage.get(name)) for name in names)
        dollars += price.dollars(new, 0, read, written)
    return output.but(
        counted_messages=(*output.counted_messages, message_id)[-50:],
        estimated_dollars=output.estimated_dollars + dollars,
    )


def _read_result(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    """One run may have several results, because background work wakes the model again.

    The last result counts, and the costs add up.
    """
    output = output.but(
        results=output.results + 1,
        open_tool_calls=(),
        failure="",
        cut="",
        dollars=_dollars_so_far(output, event),
        session=str(event.get("session_id") or output.session),
        denied=denied_calls(event),
        estimated_dollars=0.0,
        unpriced=(),
    )
    if event.get("is_error") is True:
        return _read_error_result(output, event)
    text = event.get("result")
    # The result is empty when hooks have held the turn up to the client's own cap.
    if text == "" and output.results == 1:
        return output.but(text="", cut=ENDED_WITHOUT_TEXT)
    if isinstance(text, str) and text:
        output = output.but(text=text[:MAX_TEXT])
    return output.but(limited=False, until=0.0)


def _read_error_result(output: TurnOutput, event: dict[str, Any]) -> TurnOutput:
    reason = str(event.get("terminal_reason") or event.get("subtype"))
    errors = event.get("errors")
    if isinstance(errors, list) and errors:
        words = "; ".join(map(str, errors))
    else:
        words = str(event.get("result") or reason)
    if reason == "budget_exhausted":
        return output.but(cut=words)
    if reason in CUT_REASONS:
        return output.but(cut=f"{reason}: {words}")
    status = event.get("api_error_status")
    return output.but(
        text="",
        failure=cut_at_word(f"{status or ''} {words}".strip(), 1000),
        limited=event.get("api_error") == USAGE_LIMIT or status == 429,
    )


def _dollars_so_far(output: TurnOutput, event: dict[str, Any]) -> float:
    """The cost with this result.

    Since 2.1.325 the total after --resume is that of the whole session, and the usage since the
    last result is reported beside it.
    """
    usage_by_model = event.get("model_usage_since_last_result")
    if isinstance(usage_by_model, dict):
        usages = map(as_dict, usage_by_model.values())
        return output.dollars + sum(plausible_number(usage.get("costUSD")) for usage in usages)
    return max(output.dollars, plausible_number(event.get("total_cost_usd")))
