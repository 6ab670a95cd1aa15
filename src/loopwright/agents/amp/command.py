"""How Amp is started for one turn. The prompt is a word of the command line."""

from __future__ import annotations

from ..base import TurnRequest, not_a_flag

FLAGS = ("--stream-json", "--dangerously-allow-all")


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ("amp", "threads", "continue", request.session) if request.session else ("amp",)
    return (*words, "-x", not_a_flag(request.prompt), *FLAGS)
