"""What the streams of several agents share: tool calls, failures and the price of tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.json_text import as_dict
from ..core.limits import price_of
from ..core.prompts.phrases import cut_at_word
from .base import (
    MAX_TEXT,
    About,
    ProcessExit,
    TurnOutput,
    TurnRequest,
    add_outcome,
    judge_exit,
    parse_event,
    plausible_number,
)
from .reset_times import reset_time
from .usage_limits import usage_limit_in


def open_call(output: TurnOutput, call_id: str, words: str) -> TurnOutput:
    """The output with a tool call that has begun."""
    return output.but(
        tools=output.tools + 1,
        open_tool_calls=(*output.open_tool_calls, (call_id, words)),
    )


def call_words(tool: object, given: dict[str, Any], path_name: str = "path") -> str:
    """A tool call in a few words: its name, and the command or the file that it was given."""
    target = given.get("command") or given.get(path_name) or ""
    return cut_at_word(f"{tool} {target}".rstrip(), 200)


def edited_file(tool: object, file: object, editing_tools: tuple[str, ...]) -> str:
    """The file, if the tool is one that edits; else ""."""
    return file if isinstance(file, str) and tool in editing_tools else ""


def close_call(output: TurnOutput, call_id: str, error: str = "", result: str = "") -> TurnOutput:
    """The output with the end of a tool call; `error` is what went wrong in it."""
    open_calls = dict(output.open_tool_calls)
    words = open_calls.pop(call_id, "tool")
    return add_outcome(output, words, error, result).but(open_tool_calls=tuple(open_calls.items()))


def add_denied_call(output: TurnOutput, words: str) -> TurnOutput:
    """The output with a tool call that had no permission."""
    return output.but(denied=tuple(dict.fromkeys((*output.denied, words)))[:20])


def add_token_cost(
    output: TurnOutput, tokens: tuple[float, ...], model: str, request: TurnRequest
) -> TurnOutput:
    """The output with the price of these tokens: input, cache read, cache write, output.

    The input does not count what the cache held. Without a price the model is named as unpriced.
    """
    price = price_of(model, request.prices)
    if price is None:
        return output.but(unpriced=(model[:60] or "its own choice of model",))
    new, cached, written, out = tokens
    return output.but(dollars=output.dollars + price.dollars(new, out, cached, written))


def uncached_tokens(
    usage: dict[str, Any], input_name: str, cached_name: str, output_name: str
) -> tuple[float, ...]:
    """The tokens of a usage whose input counts what the cache held too, for `add_token_cost`."""
    names = (input_name, cached_name, output_name)
    into, cached, out = (plausible_number(usage.get(name)) for name in names)
    return max(0.0, into - cached), cached, 0.0, out


def fail_turn(output: TurnOutput, words: str, status: Any = 0) -> TurnOutput:
    """The output of a turn that its API ended. An HTTP status, where it has one, comes first."""
    code = str(status) if isinstance(status, int) and status > 0 else ""
    words = " ".join(words.split())
    if code and not words.startswith(code):
        words = f"{code} {words}"
    return output.but(text="", failure=cut_at_word(words or "no reason given", 1000))


def api_error_words(printed: str) -> str:
    """An API error as Gemini and Qwen print it, without brackets and advice.

    "[API Error: {body}]" becomes the status, the name and the message of the body.
    """
    words = printed.removeprefix("[API Error: ").partition("]\n")[0].removesuffix("]")
    error = as_dict(parse_event(words).get("error"))
    if not error:
        return words
    parts = (error.get("code"), error.get("status"), error.get("message"))
    return " ".join(str(part) for part in parts if part)


def usual_judge(about: About) -> Callable[[TurnOutput, TurnRequest, ProcessExit], TurnOutput]:
    """`judge` of an agent whose stream.py has none."""

    def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
        if about.dollars == "unknown":
            output = output.but(unpriced=(about.name,))
        return judge_turn(output, about.name, process_exit)

    return judge


def judge_turn(output: TurnOutput, name: str, process_exit: ProcessExit) -> TurnOutput:
    """What the turn came to, as most agents tell it."""
    output = judge_limit(end_message(output), process_exit.at)
    return judge_exit(output, name, process_exit)


def judge_cut_off_cost(output: TurnOutput, name: str, process_exit: ProcessExit) -> TurnOutput:
    """The output of an agent that reports its tokens only at the end of a turn."""
    if output.results or not (process_exit.cut or output.tools):
        return output
    return output.but(unpriced=(f"{name}, in a turn that was cut off",))


def judge_limit(output: TurnOutput, at: float) -> TurnOutput:
    """Is its failure a usage limit, and when is that reset?"""
    if not output.failure:
        return output
    limited, until = usage_limit_in(output.failure, "", at)
    if output.limited:  # it has said so itself
        limited, until = True, reset_time(output.failure, at)
    return output.but(limited=limited, until=until)


def add_words(output: TurnOutput, words: str) -> TurnOutput:
    """The output with more of the message that the agent is writing; `end_message` ends it."""
    text = (output.unread_text + words)[:MAX_TEXT]
    return output.but(unread_text=text, text=text)


def end_message(output: TurnOutput) -> TurnOutput:
    return output.but(unread_text="")
