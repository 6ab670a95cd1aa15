"""Events about disputes, and about the looks of the final checks: a person decides about both."""

from __future__ import annotations

from ..criteria import Check, Criterion, change_criteria
from ..loop import Loop
from ..record import Record
from .disputes import CHANGE, DROP, WITHDRAWN, Dispute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_DISPUTES = 100


class CriterionDisputed(Record):
    """The agent says that the check of a criterion is wrong."""

    criterion: str
    why: str
    at: float


class DisputeWithdrawn(Record):
    """A disputed criterion passed in our own run."""

    criterion: str


class CriterionRuled(Record):
    """A person decided about a dispute, or about a final check without looks left."""

    criterion: str
    ruling: str
    at: float
    check: Check | None = None  # of the ruling `change`


class FinalChecksAnswered(Record):
    """Final checks ran at the end, and the loop acts on their results: one look of each."""

    names: tuple[str, ...]


def _settled(loop: Loop, name: str, ruling: str) -> tuple[Dispute, ...]:
    """The disputes with this ruling for the open one; a check that had none gets its own entry."""
    if not any(d.criterion == name and not d.ruling for d in loop.disputes):
        dispute = Dispute(name, ruling=ruling, independent=_is_independent(loop, name))
        return (*loop.disputes, dispute)[-MAX_DISPUTES:]
    return tuple(
        d.but(ruling=ruling) if d.criterion == name and not d.ruling else d for d in loop.disputes
    )


def _apply_criterion_disputed(loop: Loop, e: CriterionDisputed) -> Loop:
    others = [d for d in loop.disputes if d.ruling or d.criterion != e.criterion]
    dispute = Dispute(e.criterion, e.why, independent=_is_independent(loop, e.criterion))
    return loop.but(disputes=(*others, dispute)[-MAX_DISPUTES:])


def _is_independent(loop: Loop, name: str) -> bool:
    return any(c.name == name and c.is_independent for c in loop.final_checks)


def _apply_criterion_ruled(loop: Loop, e: CriterionRuled) -> Loop:
    loop = loop.but(
        disputes=_settled(loop, e.criterion, e.ruling),
        streak=loop.streak.but(stuck=0, stuck_half=False, unmet=()),
        exit_claimed=False,
    )
    if e.ruling == DROP:
        return loop.but(
            criteria=tuple(c for c in loop.criteria if c.name != e.criterion),
            final_checks=tuple(c for c in loop.final_checks if c.name != e.criterion),
        )

    def change(c: Criterion) -> Criterion:
        # Nothing that the old command showed is valid for the new one.
        return Criterion(c.name, check=e.check, detailed=c.detailed)

    def keep(c: Criterion) -> Criterion:
        return c.but(extra_looks=c.extra_looks + loop.limits.looks)

    if e.ruling == CHANGE:
        return loop.but(criteria=change_criteria(loop.criteria, (e.criterion,), change))
    return loop.but(final_checks=change_criteria(loop.final_checks, (e.criterion,), keep))


def _apply_final_checks_answered(loop: Loop, e: FinalChecksAnswered) -> Loop:
    final_checks = change_criteria(loop.final_checks, e.names, lambda c: c.but(looks=c.looks + 1))
    return loop.but(final_checks=final_checks)


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "CriterionDisputed": _apply_criterion_disputed,
    "DisputeWithdrawn": lambda loop, e: loop.but(disputes=_settled(loop, e.criterion, WITHDRAWN)),
    "CriterionRuled": _apply_criterion_ruled,
    "FinalChecksAnswered": _apply_final_checks_answered,
}
