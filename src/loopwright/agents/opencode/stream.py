"""What `opencode run --format json` prints, line by line, and what a turn came to.

It reports dollars for the models whose price it knows, and tokens for all. While it waits for a
usage limit it prints nothing: only its log on stderr tells why.
"""

from __future__ import annotations

import re
from typing import Any

from ..base import (
    MAX_TEXT,
    ProcessExit,
    TurnOutput,
    TurnRequest,
    add_outcome,
    as_dict,
    judge_exit,
    parse_event,
    plausible_number,
)
from ..stream_parts import (
    add_denied_call,
    add_token_cost,
    add_tool_edit,
    call_words,
    fail_turn,
    judge_limit,
)
from ..usage_limits import usage_limit_in

EDITING_TOOLS = ("write", "edit", "patch", "apply_patch")
HANGS = " hangs: "  # why we have ended it
LOGGED_ERROR = re.compile(r'\berror\.error="(?:\w+: )?([^"\n]*)"')
DENIED = "The user has specified a rule which prevents you"


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    event = parse_event(line)
    part = as_dict(event.get("part"))
    if isinstance(event.get("sessionID"), str):
        output = output.but(session=event["sessionID"])
    match event.get("type"):
        case "text":
            return output.but(text=str(part.get("text") or "")[:MAX_TEXT])
        case "tool_use":
            return _read_tool_use(output, part)
        case "step_finish":
            return _read_step_end(output, part, request)
        case "error":
            return _read_error(output, as_dict(event.get("error")))
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    if not output.failure and HANGS in process_exit.cut:
        output = _limit_in_log(output, process_exit)
    return judge_exit(judge_limit(output, process_exit.at), "opencode", process_exit)


def _limit_in_log(output: TurnOutput, process_exit: ProcessExit) -> TurnOutput:
    """The output of a turn that hung because of a usage limit, which its log tells."""
    errors = LOGGED_ERROR.findall(process_exit.stderr)
    if not errors or not usage_limit_in(errors[-1], "", process_exit.at)[0]:
        return output
    return fail_turn(output, errors[-1])


def tell(line: str) -> str:
    event = parse_event(line)
    part = as_dict(event.get("part"))
    match event.get("type"):
        case "text":
            return str(part.get("text") or "")
        case "tool_use":
            error = _error_words(part)
            return f"→ {_call_words(part)}" + (f"\n✗ {error[:300]}" if error else "")
        case "error":
            return f"! {_api_error_words(as_dict(event.get('error')))}"
    return ""


def _call_words(part: dict[str, Any]) -> str:
    given = as_dict(as_dict(part.get("state")).get("input"))
    return call_words(part.get("tool"), given, "filePath")


def _read_tool_use(output: TurnOutput, part: dict[str, Any]) -> TurnOutput:
    """The event comes when the call has ended."""
    file = as_dict(as_dict(part.get("state")).get("input")).get("filePath")
    error = _error_words(part)
    output = add_tool_edit(output, part.get("tool"), file, EDITING_TOOLS)
    if error.startswith(DENIED):
        output = add_denied_call(output, _call_words(part))
    result = str(as_dict(part.get("state")).get("output") or "")
    return add_outcome(output, _call_words(part), error, result).but(tools=output.tools + 1)


def _error_words(part: dict[str, Any]) -> str:
    state = as_dict(part.get("state"))
    if state.get("status") == "error":
        return str(state.get("error") or "failed")
    code = as_dict(state.get("metadata")).get("exit")
    return f"Exit code {code}\n{state.get('output') or ''}" if code else ""


def _read_step_end(output: TurnOutput, part: dict[str, Any], request: TurnRequest) -> TurnOutput:
    output = _add_cost(output, part, request)
    match part.get("reason"):
        case "stop":
            return output.but(results=output.results + 1, cut="")
        case None | "tool-calls":
            return output
        case reason:
            return output.but(results=output.results + 1, cut=f"opencode stopped: {reason}"[:200])


def _add_cost(output: TurnOutput, part: dict[str, Any], request: TurnRequest) -> TurnOutput:
    if dollars := plausible_number(part.get("cost")):
        return output.but(dollars=output.dollars + dollars)
    tokens = as_dict(part.get("tokens"))
    cache = as_dict(tokens.get("cache"))
    out = plausible_number(tokens.get("output")) + plausible_number(tokens.get("reasoning"))
    used = (
        plausible_number(tokens.get("input")),
        plausible_number(cache.get("read")),
        plausible_number(cache.get("write")),
        out,
    )
    model = request.model.rpartition("/")[2]  # provider/model
    return add_token_cost(output, used, model, request) if any(used) else output


def _read_error(output: TurnOutput, error: dict[str, Any]) -> TurnOutput:
    status = as_dict(error.get("data")).get("statusCode")
    return fail_turn(output, _api_error_words(error), status)


def _api_error_words(error: dict[str, Any]) -> str:
    return str(as_dict(error.get("data")).get("message") or error.get("name") or "")
