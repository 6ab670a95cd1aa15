"""How a command line of the person's is started: no shell; {prompt} in a word is the prompt, else it goes to stdin."""

from __future__ import annotations

from ..base import TurnRequest

PROMPT_PLACEHOLDER = "{prompt}"


def command(call: TurnRequest) -> tuple[str, ...]:
    return tuple(word.replace(PROMPT_PLACEHOLDER, call.prompt) for word in call.agent_command)
