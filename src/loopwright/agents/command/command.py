"""The person's own command line, without a shell: {prompt} in a word becomes the prompt.

Without {prompt}, the prompt goes to stdin.
"""

from __future__ import annotations

from ..base import TurnRequest

PROMPT_PLACEHOLDER = "{prompt}"


def command(request: TurnRequest) -> tuple[str, ...]:
    return tuple(word.replace(PROMPT_PLACEHOLDER, request.prompt) for word in request.agent_command)
