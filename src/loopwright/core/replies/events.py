"""Events about what the agent says: its claims, its steps and its estimate."""

from __future__ import annotations

from ..criteria import Claim, Criterion, Evidence, PendingClaims, change_criteria
from ..event import Event
from ..loop import Loop, Step


class EstimateRecorded(Event):
    """The agent's own estimate, for the footer."""

    confidence: int | None = None
    points: int | None = None
    alternative: str = ""
    risk: str = ""

    def apply(self, loop: Loop) -> Loop:
        stated = {field: value for field, value in self.__dict__.items() if value not in (None, "")}
        return loop.but(estimate=loop.estimate.but(**stated))


class DoneClaimed(Event):
    tree: str = ""
    at: float = 0.0

    def apply(self, loop: Loop) -> Loop:
        """The exit claim restates every claim and binds it to this tree."""

        def bind(c: Criterion) -> Criterion:
            has_check = c.check and c.check.allowed
            confirmed = c.proof and c.proof.by == "person"
            if has_check or confirmed or not (c.claim and c.claim.met):
                return c
            return c.but(
                proof=Evidence(
                    criterion=c.name,
                    passed=True,
                    kind=c.claim.kind,
                    by="agent",
                    detail=c.claim.evidence,
                    tree=self.tree,
                    at=self.at,
                )
            )

        return loop.but(
            exit_claimed=True,
            criteria=tuple(map(bind, loop.criteria)),
            pending_claims=loop.pending_claims.but(exit=False),
        )


class DoneTakenBack(Event):
    """The exit claim is void: it counts for one tree only, and another needs a new claim."""

    why: str

    def apply(self, loop: Loop) -> Loop:
        return loop.but(exit_claimed=False, pending_claims=loop.pending_claims.but(exit=False))


class ClaimsQueued(Event):
    """Claimed between two Stops; judged at the next."""

    claims: PendingClaims

    def apply(self, loop: Loop) -> Loop:
        return loop.but(pending_claims=loop.pending_claims.merged_with(self.claims))


class CriteriaMismatchSeen(Event):
    """The status block does not name the same criteria as the loop."""

    names: tuple[str, ...]

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(mismatched_criteria=self.names)


class ClaimRefuted(Event):
    """The claim is taken back, not ignored: an agent that said done too early must say it again."""

    names: tuple[str, ...]
    why: str

    def apply(self, loop: Loop) -> Loop:
        criteria = change_criteria(
            loop.criteria, self.names, lambda c: c.but(claim=Claim(c.name, False))
        )
        loop = loop.with_dialogue(refuted_claims=loop.dialogue.refuted_claims + 1)
        return loop.but(criteria=criteria, exit_claimed=False)


class StepAdded(Event):
    name: str

    def apply(self, loop: Loop) -> Loop:
        return loop.but(steps=(*loop.steps, Step(self.name)))


class StepZeroRecorded(Event):
    """Step 0: the libraries compared, the root cause, or what was deleted."""

    text: str

    def apply(self, loop: Loop) -> Loop:
        return loop.but(workflow=loop.workflow.but(step_zero_note=self.text))
