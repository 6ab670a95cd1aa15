"""Events about disputes, and about the looks of the final checks: a person decides about both."""

from __future__ import annotations

from ..criteria import Check, Criterion, change_criteria
from ..event import Event
from ..loop import Loop
from .disputes import CHANGE, DROP, WITHDRAWN, Dispute

MAX_DISPUTES = 100


class CriterionDisputed(Event):
    """The agent says that the check of a criterion is wrong."""

    criterion: str
    why: str
    at: float

    def apply(self, loop: Loop) -> Loop:
        others = [d for d in loop.disputes if d.ruling or d.criterion != self.criterion]
        dispute = Dispute(
            self.criterion, self.why, independent=_is_independent(loop, self.criterion)
        )
        return loop.but(disputes=(*others, dispute)[-MAX_DISPUTES:])


class DisputeWithdrawn(Event):
    """A disputed criterion passed in our own run."""

    criterion: str

    def apply(self, loop: Loop) -> Loop:
        return loop.but(disputes=_settled(loop, self.criterion, WITHDRAWN))


class CriterionRuled(Event):
    """A person decided about a dispute, or about a final check without looks left."""

    criterion: str
    ruling: str
    at: float
    check: Check | None = None  # of the ruling `change`

    def apply(self, loop: Loop) -> Loop:
        loop = loop.but(
            disputes=_settled(loop, self.criterion, self.ruling),
            streak=loop.streak.but(stuck=0, stuck_half=False, unmet=()),
            exit_claimed=False,
        )
        if self.ruling == DROP:
            return loop.but(
                criteria=tuple(c for c in loop.criteria if c.name != self.criterion),
                final_checks=tuple(c for c in loop.final_checks if c.name != self.criterion),
            )

        def change(c: Criterion) -> Criterion:
            # Nothing that the old command showed is valid for the new one.
            return Criterion(c.name, check=self.check, detailed=c.detailed)

        def keep(c: Criterion) -> Criterion:
            return c.but(extra_looks=c.extra_looks + loop.limits.looks)

        if self.ruling == CHANGE:
            return loop.but(criteria=change_criteria(loop.criteria, (self.criterion,), change))
        return loop.but(final_checks=change_criteria(loop.final_checks, (self.criterion,), keep))


class FinalChecksAnswered(Event):
    """Final checks ran at the end, and the loop acts on their results: one look of each."""

    names: tuple[str, ...]

    def apply(self, loop: Loop) -> Loop:
        final_checks = change_criteria(
            loop.final_checks, self.names, lambda c: c.but(looks=c.looks + 1)
        )
        return loop.but(final_checks=final_checks)


def _settled(loop: Loop, name: str, ruling: str) -> tuple[Dispute, ...]:
    """The disputes with this ruling for the open one; a check that had none gets its own entry."""
    if not any(d.criterion == name and not d.ruling for d in loop.disputes):
        dispute = Dispute(name, ruling=ruling, independent=_is_independent(loop, name))
        return (*loop.disputes, dispute)[-MAX_DISPUTES:]
    return tuple(
        d.but(ruling=ruling) if d.criterion == name and not d.ruling else d for d in loop.disputes
    )


def _is_independent(loop: Loop, name: str) -> bool:
    return any(c.name == name and c.is_independent for c in loop.final_checks)
