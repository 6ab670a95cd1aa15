"""Why a runner ended a turn: the agent of the next turn reads it, and the person."""

from __future__ import annotations

from .phrases import clip_text, one_line

MAX_CALL, MAX_ERROR = 160, 300


def same_error_reason(call: str, error: str, times: int) -> str:
    return (
        f"the same call failed {times} times with the same error and no file changed in between: "
        f"{clip_text(one_line(call), MAX_CALL)}: {clip_text(one_line(error), MAX_ERROR)}"
    )


def same_line_reason(line: str, times: int) -> str:
    return f"it printed {clip_text(one_line(line), MAX_ERROR)!r} {times} times and changed no file"


def same_result_reason(call: str) -> str:
    return (
        "it made the same call again and again, which returned the same and changed no file: "
        f"{clip_text(one_line(call), MAX_CALL)}"
    )


def no_change_reason(calls: int) -> str:
    return f"{calls} tool calls in a row changed no file"


def turn_budget_reason(dollars: float) -> str:
    return f"it had cost ${dollars:.2f}, the most that one turn may cost"


def next_turn_advice(breaker: str) -> str:
    """What the next turn must do differently, with a space after it; "" for any other cut."""
    return {
        "same-error": "Do not make this call again as it is; find another way. ",
        "same-line": "Do not do the same again; find another way. ",
        "same-result": "It returns nothing new; decide with what you know now. ",
        "no-change": "Decide with what you know now, and change something. ",
        "turn-budget": "Do one small part of the work in this turn. ",
    }.get(breaker, "")
