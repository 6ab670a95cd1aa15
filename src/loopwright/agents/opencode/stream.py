"""What `opencode run --format json` prints, line by line, and what a turn came to.

It reports dollars for the models whose price it knows, and tokens for all. While it waits for a
usage limit it prints nothing: only its log on stderr tells why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...core.json_text import as_dict
from .. import stream_notes as notes
from ..base import ProcessExit, TurnOutput, TurnRequest, plausible_number
from ..stream_parts import call_words, edited_file, fail_turn, judge_turn
from ..usage_limits import usage_limit_in

EDITING_TOOLS = ("write", "edit", "patch", "apply_patch")
HANGS = " hangs: "  # why we have ended it
LOGGED_ERROR = re.compile(r'\berror\.error="(?:\w+: )?([^"\n]*)"')
DENIED = "The user has specified a rule which prevents you"


def translate(event: dict[str, Any], request: TurnRequest) -> Iterator[notes.Note]:
    part = as_dict(event.get("part"))
    if isinstance(event.get("sessionID"), str):
        yield notes.Session(event["sessionID"])
    match event.get("type"):
        case "text":
            yield notes.Message(str(part.get("text") or ""))
        case "tool_use":
            yield from _call_notes(part)
        case "step_finish":
            yield _step_cost(part, request)
            yield from _step_end(part)
        case "error":
            error = as_dict(event.get("error"))
            data = as_dict(error.get("data"))
            words = str(data.get("message") or error.get("name") or "")
            yield notes.Failure(words, data.get("statusCode"))


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    if not output.failure and HANGS in process_exit.cut:
        output = _limit_in_log(output, process_exit)
    return judge_turn(output, "opencode", process_exit)


def _limit_in_log(output: TurnOutput, process_exit: ProcessExit) -> TurnOutput:
    """The output of a turn that hung because of a usage limit, which its log tells."""
    errors = LOGGED_ERROR.findall(process_exit.stderr)
    if not errors or not usage_limit_in(errors[-1], "", process_exit.at)[0]:
        return output
    return fail_turn(output, errors[-1])


def _call_notes(part: dict[str, Any]) -> Iterator[notes.Note]:
    """The event comes when the call has ended."""
    tool, state, call_id = part.get("tool"), as_dict(part.get("state")), str(part.get("callID"))
    given = as_dict(state.get("input"))
    file = edited_file(tool, given.get("filePath"), EDITING_TOOLS)
    yield notes.CallStart(call_id, call_words(tool, given, "filePath"), file)
    error, result = _error_words(state), str(state.get("output") or "")
    yield notes.CallEnd(call_id, error, result, denied=error.startswith(DENIED))


def _error_words(state: dict[str, Any]) -> str:
    if state.get("status") == "error":
        return str(state.get("error") or "failed")
    code = as_dict(state.get("metadata")).get("exit")
    return f"Exit code {code}\n{state.get('output') or ''}" if code else ""


def _step_end(part: dict[str, Any]) -> Iterator[notes.Note]:
    reason = part.get("reason")
    if reason == "stop":
        yield notes.TurnEnd()
    elif reason not in (None, "tool-calls"):
        yield notes.TurnEnd(cut=f"opencode stopped: {reason}"[:200])


def _step_cost(part: dict[str, Any], request: TurnRequest) -> notes.Note:
    if dollars := plausible_number(part.get("cost")):
        return notes.Dollars(dollars)
    tokens = as_dict(part.get("tokens"))
    cache = as_dict(tokens.get("cache"))
    out = plausible_number(tokens.get("output")) + plausible_number(tokens.get("reasoning"))
    used = (
        plausible_number(tokens.get("input")),
        plausible_number(cache.get("read")),
        plausible_number(cache.get("write")),
        out,
    )
    return notes.Tokens(used, request.model.rpartition("/")[2])  # provider/model
