"""One answer of the scripted model, as a test writes it: the same for every client."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]
USAGE = {
    "input_tokens": 1000,
    "output_tokens": 100,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


@dataclass(frozen=True)
class Turn:
    """Text, then tool calls, after a delay in seconds (a long one is a hang); or an error, which is an HTTP status and the text.

    An error may have a body of its own, or be a usage limit `until` then, which each client's model says in its own words.
    """

    text: str = ""
    tools: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    delay: float = 0.0
    error: int = 0
    until: float = 0.0
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


Script = Sequence[Turn] | Callable[[int, Body], Turn]


def says(text: str, **more: Any) -> Turn:
    return Turn(text, **more)


def uses(tool: str, given: Mapping[str, Any], text: str = "", **more: Any) -> Turn:
    return Turn(text, ((tool, given),), **more)


def runs(command: str, text: str = "", **more: Any) -> Turn:
    return uses(
        "Bash", {"command": command, "description": "a command of the script"}, text, **more
    )


def writes(path: object, content: str, text: str = "", **more: Any) -> Turn:
    return uses("Write", {"file_path": str(path), "content": content}, text, **more)


def delegates(prompt: str, text: str = "", background: bool = False, **more: Any) -> Turn:
    """A sub-agent gets the prompt and plays the lane "agent". In the background (the client's default) main goes on meanwhile."""
    given = {
        "description": "a part of it",
        "prompt": prompt,
        "subagent_type": "general-purpose",
        "run_in_background": background,
    }
    return uses("Agent", given, text, **more)


def fails(status: int = 400, text: str = "scripted", **more: Any) -> Turn:
    """Claude Code asks again at least once: after a lone failure the script goes on with its next turn."""
    return Turn(text, error=status, **more)


def hits_limit(until: float) -> Turn:
    """The subscription is used up until then, in seconds since 1970. Neither client asks again."""
    return fails(429, "This request would exceed your account's rate limit.", until=until)


def new_id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:24]}"
