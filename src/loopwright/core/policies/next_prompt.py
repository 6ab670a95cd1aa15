"""The next prompt of a loop: the opening of a new loop, or why a running one continues."""

from __future__ import annotations

from .. import events as ev
from ..directives import Continue
from ..draft import Draft
from ..prompts import messages


def next_prompt(draft: Draft) -> str:
    """The prompt. In a plan loop this also assigns the next tasks."""
    if draft.loop.plan:
        from .assignments import assign_work

        assign_work(draft)
    if draft.loop.spend.iterations:
        return continue_prompt(draft)
    prompt = messages.opening_prompt(draft.loop)
    record_protocol_sent(draft)
    return prompt


def continue_prompt(draft: Draft) -> str:
    """Why a running loop continues; with the whole protocol if the agent's context lacks it."""
    prompt = messages.continue_prompt(draft.loop)
    record_protocol_sent(draft)
    return prompt


def continue_turn(draft: Draft, note: str) -> Continue:
    """Hold the turn of a spec loop; `note` is for the person.

    Its first line is enough where there is work to do and the agent knows how to report it.
    """
    loop = draft.loop
    is_known = not (loop.headless_run or loop.dialogue.protocol_due)
    has_work = bool(loop.unmet_criteria or loop.objections)
    return Continue(continue_prompt(draft), note, first_line_is_enough=is_known and has_work)


def record_protocol_sent(draft: Draft) -> None:
    if draft.loop.dialogue.protocol_due:
        draft.record(ev.ProtocolSent())
