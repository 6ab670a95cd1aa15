"""The next prompt of a loop: the opening of a new one, or the reason why a running one continues."""

from __future__ import annotations

from ..draft import Draft
from ..prompts import messages


def next_prompt(draft: Draft) -> str:
    if draft.loop.plan:
        from .assigning import assign_work

        assign_work(draft)
    return (
        messages.continue_prompt(draft.loop)
        if draft.loop.spend.iterations
        else messages.opening_prompt(draft.loop)
    )
