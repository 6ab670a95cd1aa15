"""The orders that a person gives from outside a session: a terminal, `loop watch` or `loop serve`.

Each takes effect on the loop of a folder and returns the message for the person.
"""

from __future__ import annotations

import time

from ...core.signals import Answered, Ordered
from ...store.folder import LoopFolder
from ..errors import UserError
from ..step import step
from .loop_orders import cancel_loop, write_halt_file
from .rulings import rule_on_criterion

CONTINUING = "[LOOP] ▶ Continuing. The agent reads it with its next prompt."
CANCELLED = "[LOOP] Cancelled by the person."


def give_pause(folder: LoopFolder, reason: str = "") -> str:
    """Pause, and halt the driving session at its next tool call."""
    why = reason or "asked by a person"
    reply = step(folder, Ordered(time.time(), "pause", by="person", reason=why))
    write_halt_file(folder, reply.message)
    return reply.message


def give_cancel(folder: LoopFolder, keep: bool = False) -> str:
    """End the loop, and halt the driving session at its next tool call."""
    reply = cancel_loop(folder, keep)
    write_halt_file(folder, CANCELLED)
    return reply.message


def give_answer(folder: LoopFolder, text: str) -> str:
    """Answer the open question."""
    loop = folder.read_loop()
    if loop is None or loop.status != "asking":
        status = loop.status if loop else "over"
        raise UserError(f"the loop is {status} and has asked nothing. See: loop status")
    if not text.strip():
        raise UserError("an answer needs words: yes, no, or what the agent should know")
    return step(folder, Answered(time.time(), text)).message or CONTINUING


def give_ruling(folder: LoopFolder, name: str, ruling: str, command: str = "") -> str:
    """Decide about a disputed criterion, or a final check without looks left."""
    loop = folder.read_loop()
    if loop is None:
        raise UserError("the loop is over, so there is nothing to rule on. See: loop history")
    return rule_on_criterion(folder, loop, name, ruling, command).message
