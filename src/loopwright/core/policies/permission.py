"""Checks that may not run: no loop works while it has some, unless the person chose so.

Once a person allows them, they are measured as at the start.
"""

from __future__ import annotations

from .. import events as ev
from ..directives import Ask, Directive, RunInCleanCheckout, Stop
from ..draft import Draft
from ..pausing import breakers
from ..prompts import questions
from ..status import ENDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..criteria import Criterion
    from ..loop import Loop
    from ..signals import StartMeasurement

ALLOW = "allow"  # the gate


def ask_for_permission(draft: Draft, at: float) -> Ask | None:
    """Ask to allow the checks that may not run; None: the loop may work."""
    loop = draft.loop
    waiting = loop.waiting_checks
    if not waiting or loop.settings.unproven:
        return None
    if loop.gate and loop.gate.name == ALLOW:
        return Ask(loop.gate.question, questions.question_text(loop))
    question = questions.allow_question(waiting)
    return breakers.ask_person(draft, ALLOW, question, at, tuple(c.name for c in waiting))


def allow_checks(draft: Draft, names: tuple[str, ...]) -> None:
    """Allow the checks of these criteria, which the question has listed."""
    for c in draft.loop.waiting_checks:
        if c.name in names and c.check:
            draft.record(ev.CheckAllowed(c.name, c.check.but(allowed=True)))


def handle_start_measurement(draft: Draft, signal: StartMeasurement) -> Directive:
    """Record how checks that were allowed late do on the tree of the start, and calibrate.

    A session does not wait for the clean checkout: there it is tried in the background.
    """
    from ..prompts.order_replies import measured_text
    from ..proof.clean_checkout import CALIBRATION_RUN, PENDING
    from ..proof.events import ChecksMeasured

    loop = draft.loop
    criteria = tuple(c for c in signal.criteria if _is_unmeasured(loop, c))
    if loop.status in ENDED or not criteria:
        return Stop()
    checkout = signal.room
    draft.record(
        ChecksMeasured(
            at=signal.at,
            criteria=criteria,
            room_status=checkout.status,
            room_why=checkout.why,
            baseline_commit=checkout.baseline_commit,
            files_digest=checkout.files_digest,
        )
    )
    text = measured_text(criteria)
    if not draft.loop.gate and (ask := ask_for_permission(draft, signal.at)):
        return ask.but(message=f"{text}\n{ask.message}")  # it passes only outside its sandbox
    is_session = bool(loop.lease.holder) and not loop.headless_run
    if checkout.status == PENDING and not is_session:
        return RunInCleanCheckout(CALIBRATION_RUN, 0, loop.lease.fence, loop.tree, message=text)
    return Stop(message=text)


def _is_unmeasured(loop: Loop, measured: Criterion) -> bool:
    """Is the criterion still the one that was measured, and has no later result?"""
    now = next((c for c in loop.criteria if c.name == measured.name), None)
    if not (now and now.check and measured.check and measured.proof):
        return False
    is_same = now.check.allowed and now.check.command == measured.check.command
    return is_same and not (now.proof and now.proof.at > measured.proof.at)
