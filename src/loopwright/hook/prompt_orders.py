"""Prompts that would count as orders of the person, and did not come from the person."""

from __future__ import annotations

from ..agents.claude.hooks import text_field
from ..core.directives import Continue
from ..core.person.answers import lifts_gates
from ..core.prompts.phrases import cut_at_word
from ..core.prompts.questions import talk_at_gate_prompt
from ..core.session.client_events import asks_to_continue
from ..disk.light_os import os
from .sender import FROM_QUEUE, answers_for_ended_client, refuse_order, sender_problem, was_queued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.directives import Reply
    from ..core.loop import Loop
    from ..store.folder import LoopFolder


def refuse_forged_prompt(data: dict[str, Any], folder: LoopFolder) -> Reply | None:
    """The refusal of a prompt that is not the person's; None if the loop may have it."""
    prompt = text_field(data, "prompt")
    if prompt.startswith("<task-notification>") or not os.path.exists(folder.journal_path):
        return None
    loop = folder.read_loop()
    if loop is None or loop.lease.holder not in ("", text_field(data, "session_id")):
        return None
    problem = sender_problem(folder, loop)
    if not problem and _is_order(prompt, loop) and not answers_for_ended_client(folder, loop):
        problem = FROM_QUEUE if was_queued(text_field(data, "transcript_path"), prompt) else ""
    if not problem:
        return None
    shown = cut_at_word(" ".join(prompt.split()), 60)
    reply = refuse_order(folder, f'the prompt "{shown}"', problem)
    if loop.gate:
        return Continue(talk_at_gate_prompt(loop.gate), reply.message)
    return reply


def _is_order(prompt: str, loop: Loop) -> bool:
    """Would it answer a question, end the gates, or give the turn back to the loop?"""
    if loop.status == "asking":
        return not prompt.startswith("/")
    return lifts_gates(prompt) or (loop.waits_for_person and asks_to_continue(prompt))
