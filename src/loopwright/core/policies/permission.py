"""Checks that may not run: no loop works while it has some, unless the person chose so."""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..draft import Draft
from ..prompts import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..directives import Ask

ALLOW = "allow"  # the gate


def ask_for_permission(draft: Draft, at: float) -> Ask | None:
    """Ask to allow the checks that may not run; None: the loop may work."""
    loop = draft.loop
    waiting = loop.waiting_checks
    if not waiting or loop.settings.unproven:
        return None
    if loop.gate and loop.gate.name == ALLOW:
        from ..directives import Ask

        return Ask(loop.gate.question, messages.question_text(loop))
    question = messages.allow_question(waiting)
    return breakers.ask_person(draft, ALLOW, question, at, tuple(c.name for c in waiting))


def allow_checks(draft: Draft, names: tuple[str, ...]) -> None:
    """Allow the checks of these criteria, which the question has listed."""
    for c in draft.loop.waiting_checks:
        if c.name in names and c.check:
            draft.record(ev.CheckAllowed(c.name, c.check.but(allowed=True)))
