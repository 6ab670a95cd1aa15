"""How the hook of a host speaks, as a table; and the functions that read and answer by it.

Claude Code has its own module (claude/hooks.py). Every other host has a HookWire in its hooks.py:
its names of events and fields, and the form of its answers. Inside we use Claude Code's names.
"""

from __future__ import annotations

from ..core.directives import Continue, Reply
from ..core.prompts.host_words import repeat_to_person
from ..core.prompts.phrases import strip_control_characters
from ..core.record import Record
from ..core.signals import Signal
from .claude.hooks import client_event, turn_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NESTED, FLAT = "nested", "flat"  # where an answer holds its additionalContext


class HookWire(Record):
    """The words of a host's hook."""

    host: str
    events: tuple[tuple[str, str], ...]  # the host's name of an event, and ours
    fields: tuple[tuple[str, str], ...] = ()  # our name of a field, and the host's
    refusal: str = "block"  # the `decision` that refuses a stop
    follow_up: str = ""  # the field whose text becomes the next message, instead of a decision
    repeats_nested: bool = False  # the decision is repeated inside hookSpecificOutput
    context: str = NESTED
    context_events: tuple[str, ...] = ("SessionStart", "UserPromptSubmit")  # that take a context
    shows_messages: bool = True  # the person sees `systemMessage`
    shows_in_one_shot: bool = True  # it is in the output of a one-shot run too
    names_session: bool = True  # its input says which session it is, and in which folder
    cap: int = 0  # how many stops of one prompt it lets us refuse; 0: any number
    cap_variable: str = ""  # the environment variable that changes it
    one_shot: tuple[str, ...] = ()  # words of a command line that is a one-shot run
    counts_if: tuple[tuple[str, str], ...] = ()  # field and value: else the stop was an abort
    text_in_file: bool = False  # the last answer alone is only in its session file
    echoes: bool = False  # our own continuation arrives again as a prompt
    agent_variables: tuple[str, ...] = ()  # set in a shell of its agent, and not for a hook


def same_names(*events: str) -> tuple[tuple[str, str], ...]:
    """The events of a host that calls them as Claude Code does."""
    return tuple((event, event) for event in events)


class HookClient(Record):
    """What we know of the process that called the hook."""

    pid: int = 0  # 0: unknown
    attended: bool = True


def translate_event(wire: HookWire, data: Mapping[str, Any], event: str = "") -> dict[str, Any]:
    """The event under our names. `event` is what the registration says, if the input does not."""
    name = str(data.get("hook_event_name") or data.get("hookEventName") or event)
    ours = {"hook_event_name": dict(wire.events).get(name, "")}
    for field, theirs in wire.fields:
        if theirs in data:
            ours[field] = data[theirs]
    folders = data.get("workspace_roots")
    if isinstance(folders, list) and folders and "cwd" not in data:
        ours["cwd"] = str(folders[0])
    return {**data, **ours}


def decode(
    wire: HookWire, data: Mapping[str, Any], client: HookClient, cap: int, at: float
) -> Signal | None:
    """The signal in a translated event; None for what does not concern a loop."""
    event = str(data["hook_event_name"])
    if event != "Stop":
        return client_event(data, event, at, client.pid, client.attended)
    if any(data.get(field, value) != value for field, value in wire.counts_if):
        return None
    return turn_over(data, at, client.pid, client.attended).but(
        host=wire.host,
        # The last refusal is kept for the words that hand the loop over.
        hold_cap=max(0, cap - 1),
        begins_turn=data.get("stop_hook_active") is not True,
    )


def encode(wire: HookWire, event: str, directive: Reply) -> dict[str, Any]:
    """The one JSON object to print; empty means print nothing."""
    message = strip_control_characters(directive.message)
    if event == "Stop":
        return _encode_stop(wire, directive, message)
    if getattr(directive, "answers_prompt", False):
        return refuse_prompt(wire, message)
    answer: dict[str, Any] = {"systemMessage": message} if message and wire.shows_messages else {}
    if isinstance(directive, Continue) and event in wire.context_events:
        name = next(theirs for theirs, ours in wire.events if ours == event)
        context = {"additionalContext": directive.prompt}
        if wire.context == NESTED:
            answer["hookSpecificOutput"] = {"hookEventName": name, **context}
        else:
            answer |= context
    return answer


def _encode_stop(wire: HookWire, directive: Reply, message: str) -> dict[str, Any]:
    words = directive.prompt if isinstance(directive, Continue) else ""
    if message and not wire.shows_messages:
        # Nothing of ours reaches the person there but what the agent says at the end.
        words, message = words or repeat_to_person(message), ""
    shown: dict[str, Any] = {"systemMessage": message} if message else {}
    if not words:
        return shown
    if wire.follow_up:
        return {wire.follow_up: words, **shown}
    decision = {"decision": wire.refusal, "reason": words}
    if wire.repeats_nested:
        return {**decision, "hookSpecificOutput": {"hookEventName": "Stop", **decision}, **shown}
    return {**decision, **shown}


def refuse_prompt(wire: HookWire, answer: str) -> dict[str, Any]:
    """No model call: the person reads the answer."""
    return {"decision": wire.refusal, "reason": answer}
