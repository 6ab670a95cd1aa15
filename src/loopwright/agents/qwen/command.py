"""How Qwen Code is started for one turn. The prompt goes to its stdin.

Measured with 0.24: without --safe-mode it runs the hooks of a cloned repository without a question.
"""

from __future__ import annotations

from ..base import TurnRequest
from ..gemini.command import approval_words


def command(request: TurnRequest) -> tuple[str, ...]:
    words = ["qwen", "--output-format", "stream-json"]
    words += approval_words(request, "auto-edit")
    if not request.settings:
        words.append("--safe-mode")
    if request.model:
        words += ["--model", request.model]
    if request.session:
        words += ["--resume", request.session]
    return tuple(words)
