"""How a command line of the person's is started: no shell; {prompt} in a word is the prompt, else it goes to stdin."""

from __future__ import annotations

from ..base import Call

PLACE = "{prompt}"


def command(call: Call) -> tuple[str, ...]:
    return tuple(word.replace(PLACE, call.prompt) for word in call.words)
