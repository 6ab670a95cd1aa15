"""How Goose is started for one turn. The prompt goes to its stdin.

A session of it is continued by a name, which its stream does not tell, so every turn begins fresh.
"""

from __future__ import annotations

from ..base import TurnRequest


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ["goose", "run", "-i", "-", "--no-session", "--output-format", "stream-json"]
    if request.model:
        words += ["--model", request.model]
    return tuple(words)


def environment(request: TurnRequest) -> dict[str, str]:
    """Without a person to ask, it must not ask."""
    return {"GOOSE_MODE": "auto"}
