"""The next prompt of a loop: the opening of a new loop, or why a running one continues."""

from __future__ import annotations

from ..draft import Draft
from ..prompts import messages


def next_prompt(draft: Draft) -> str:
    """The prompt. In a plan loop this also assigns the next tasks."""
    if draft.loop.plan:
        from .assigning import assign_work

        assign_work(draft)
    if draft.loop.spend.iterations:
        return messages.continue_prompt(draft.loop)
    return messages.opening_prompt(draft.loop)
