"""How the Cursor CLI is started for one turn. The prompt is its last word.

Without --force it only proposes changes. With it, it also runs commands: the rules for them are in
its own configuration.
"""

from __future__ import annotations

from ..base import TurnRequest, not_a_flag


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ["cursor-agent", "-p", "--output-format", "stream-json", "--trust", "--force"]
    if request.model:
        words += ["--model", request.model]
    if request.session:
        words += ["--resume", request.session]
    return (*words, not_a_flag(request.prompt))
