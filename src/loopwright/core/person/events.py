"""Events about what a person is asked, answers and decides."""

from __future__ import annotations

from ..clock import advance_clock
from ..criteria import Check, Criterion, Evidence, change_criteria
from ..loop import Gate, Loop
from ..record import Record
from ..status import with_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_GUIDANCE = 2000  # characters
MAX_REFUSED_ORDERS = 3


class GateOpened(Record):
    gate: Gate
    at: float


class QuestionShown(Record):
    """The person sees the open question now. What they type in the same turn is no answer yet."""

    at: float
    prompt_id: str = ""  # of the turn in which it was shown


class GateAnswered(Record):
    gate: str
    text: str
    at: float
    guidance: str = ""  # what the answer says beyond yes
    delete_mirror: bool = False  # delete state.json after the end


class PersonTalked(Record):
    """A person said neither yes nor no to an open gate: it keeps waiting."""

    text: str
    at: float
    guidance: str = ""  # what the agent has not heard yet


class GuidanceGiven(Record):
    """The person steers the agent, which receives the text with its next prompt."""

    text: str


class PromptQueued(Record):
    """A person continued the loop in a terminal: the agent learns it with its next prompt."""


class GatesLifted(Record):
    pass


class ChecksWaived(Record):
    """The person chose to work without the checks that may not run: it is never proven."""

    at: float


class CriteriaConfirmed(Record):
    """A person confirmed what no check could show."""

    names: tuple[str, ...]
    at: float


class CriteriaChanged(Record):
    criteria: tuple[Criterion, ...]


class IndependentChecksChanged(Record):
    """Which checks of a second agent the loop has from now on."""

    criteria: tuple[Criterion, ...]


class CheckAllowed(Record):
    name: str
    check: Check | None  # None: denied, the check is gone


class LimitsRaised(Record):
    dollars: float = 0.0
    iterations: int = 0
    minutes: float = 0.0


class OrderRefused(Record):
    order: str
    why: str
    forged: bool = False  # it was given in the person's name, and not by the client


class RefusalTold(Record):
    """The person was told which orders were given in their name and refused."""


def _apply_gate_opened(loop: Loop, e: GateOpened) -> Loop:
    loop = advance_clock(loop, e.at, running=False)
    loop = loop.with_dialogue(person_talked=False)
    return with_status(loop, "asking", gate=e.gate, check_round=None)


def _apply_question_shown(loop: Loop, e: QuestionShown) -> Loop:
    gate = loop.gate.but(unseen=False) if loop.gate else None
    return loop.but(gate=gate).with_dialogue(prompt_id=e.prompt_id or loop.dialogue.prompt_id)


def _apply_gate_answered(loop: Loop, e: GateAnswered) -> Loop:
    if e.gate == "finish":  # after a no, the agent gets as many turns again
        streak = loop.streak.but(stuck=0, stuck_half=False, idle=0, unclaimed=0)
        loop = loop.but(streak=streak)
    return with_status(
        loop,
        "running",
        gate=None,
        clock=loop.clock.but(running_since=e.at),
        dialogue=loop.dialogue.but(guidance=_added_guidance(loop, e.guidance), person_talked=False),
        settings=loop.settings.but(keep_mirror=loop.settings.keep_mirror and not e.delete_mirror),
    )


def _apply_person_talked(loop: Loop, e: PersonTalked) -> Loop:
    return loop.with_dialogue(person_talked=True, guidance=_added_guidance(loop, e.guidance))


def _apply_guidance_given(loop: Loop, e: GuidanceGiven) -> Loop:
    return loop.with_dialogue(guidance=_added_guidance(loop, e.text), prompt_queued=True)


def _added_guidance(loop: Loop, text: str) -> str:
    return f"{loop.dialogue.guidance}\n{text}".strip()[-MAX_GUIDANCE:]


def _apply_criteria_confirmed(loop: Loop, e: CriteriaConfirmed) -> Loop:
    def confirm(c: Criterion) -> Criterion:
        kind = c.claim.kind if c.claim and c.claim.kind else "observation"
        return c.but(
            proof=Evidence(
                criterion=c.name, passed=True, kind=kind, by="person", tree=loop.tree, at=e.at
            )
        )

    return loop.but(criteria=change_criteria(loop.criteria, e.names, confirm))


def _apply_independent_checks_changed(loop: Loop, e: IndependentChecksChanged) -> Loop:
    others = (c for c in loop.final_checks if not c.is_independent)
    return loop.but(final_checks=(*e.criteria, *others))


def _apply_criteria_changed(loop: Loop, e: CriteriaChanged) -> Loop:
    """A criterion with the same name and check keeps its proof and claim."""
    today = {c.name: c for c in loop.criteria}

    def merge(new: Criterion) -> Criterion:
        old = today.get(new.name)
        return old if old and old.check == new.check else new

    names = {c.name for c in e.criteria}
    return loop.but(
        criteria=tuple(map(merge, e.criteria)),
        unrequired_checks=tuple(c for c in loop.unrequired_checks if c.name not in names),
        exit_claimed=False,
        streak=loop.streak.but(stuck=0, stuck_half=False, unmet=()),
    )


def _apply_check_allowed(loop: Loop, e: CheckAllowed) -> Loop:
    def change(c: Criterion) -> Criterion:
        if c.name != e.name:
            return c
        allowed = c.check and e.check and e.check.allowed
        keeps_proof = allowed and c.check and e.check and c.check.command == e.check.command
        return c.but(check=e.check, proof=c.proof if keeps_proof else None)

    return loop.but(
        criteria=tuple(map(change, loop.criteria)),
        must_not=tuple(map(change, loop.must_not)),
    )


def _apply_limits_raised(loop: Loop, e: LimitsRaised) -> Loop:
    limits = loop.limits
    return loop.but(
        limits=limits.but(
            dollars=limits.dollars + e.dollars,
            iterations=limits.iterations + e.iterations,
            minutes=limits.minutes + e.minutes,
        )
    )


def _apply_order_refused(loop: Loop, e: OrderRefused) -> Loop:
    if not e.forged:
        return loop
    text = f"{e.order}: {e.why}"
    others = tuple(order for order in loop.dialogue.refused_orders if order != text)
    return loop.with_dialogue(refused_orders=(*others, text)[-MAX_REFUSED_ORDERS:])


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "GateOpened": _apply_gate_opened,
    "QuestionShown": _apply_question_shown,
    "GateAnswered": _apply_gate_answered,
    "PersonTalked": _apply_person_talked,
    "GuidanceGiven": _apply_guidance_given,
    "PromptQueued": lambda loop, e: loop.with_dialogue(prompt_queued=True),
    "GatesLifted": lambda loop, e: loop.but(gates_enabled=False),
    "ChecksWaived": lambda loop, e: loop.but(settings=loop.settings.but(unproven=True)),
    "CriteriaConfirmed": _apply_criteria_confirmed,
    "CriteriaChanged": _apply_criteria_changed,
    "IndependentChecksChanged": _apply_independent_checks_changed,
    "CheckAllowed": _apply_check_allowed,
    "LimitsRaised": _apply_limits_raised,
    "OrderRefused": _apply_order_refused,
    "RefusalTold": lambda loop, e: loop.with_dialogue(refused_orders=()),
}
