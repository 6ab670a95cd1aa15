"""A question that ends a turn, with what it is about: the start screen, criteria, findings."""

from __future__ import annotations

from ..core.directives import Ask, Reply
from ..store.folder import LoopFolder


def with_content(folder: LoopFolder, reply: Reply) -> Reply:
    """A question with what it is about, once, whatever the agent said: at the start the screen."""
    loop = folder.read_loop()
    if not isinstance(reply, Ask) or not loop or not loop.gate or loop.dialogue.person_talked:
        return reply
    if loop.gate.name == "G1":
        from ..views import start_screen

        return reply.but(message=f"{start_screen.text(loop)}\n\n{reply.message}")
    from ..views.gate_content import gate_rows

    return reply.but(message="\n".join((*gate_rows(loop), reply.message)))
