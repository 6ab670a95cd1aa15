"""Events about what the agent says: its claims, its steps and its estimate."""

from __future__ import annotations

from ..criteria import Claim, Criterion, Evidence, PendingClaims, change_criteria
from ..loop import Loop, Step
from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class EstimateRecorded(Record):
    """The agent's own estimate, for the footer."""

    confidence: int | None = None
    points: int | None = None
    alternative: str = ""
    risk: str = ""


class DoneClaimed(Record):
    tree: str = ""
    at: float = 0.0


class DoneTakenBack(Record):
    """The exit claim is void: it counts for one tree only, and another needs a new claim."""

    why: str


class ClaimsQueued(Record):
    """Claimed between two Stops; judged at the next."""

    claims: PendingClaims


class CriteriaMismatchSeen(Record):
    """The status block does not name the same criteria as the loop."""

    names: tuple[str, ...]


class ClaimRefuted(Record):
    """The claim is taken back, not ignored: an agent that said done too early must say it again."""

    names: tuple[str, ...]
    why: str


class StepAdded(Record):
    name: str


class StepZeroRecorded(Record):
    """Step 0: the libraries compared, the root cause, or what was deleted."""

    text: str


def _apply_estimate_recorded(loop: Loop, e: EstimateRecorded) -> Loop:
    stated = {field: value for field, value in e.__dict__.items() if value not in (None, "")}
    return loop.but(estimate=loop.estimate.but(**stated))


def _apply_done_claimed(loop: Loop, e: DoneClaimed) -> Loop:
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
                tree=e.tree,
                at=e.at,
            )
        )

    return loop.but(
        exit_claimed=True,
        criteria=tuple(map(bind, loop.criteria)),
        pending_claims=loop.pending_claims.but(exit=False),
    )


def _apply_done_taken_back(loop: Loop, e: DoneTakenBack) -> Loop:
    return loop.but(exit_claimed=False, pending_claims=loop.pending_claims.but(exit=False))


def _apply_claims_queued(loop: Loop, e: ClaimsQueued) -> Loop:
    return loop.but(pending_claims=loop.pending_claims.merged_with(e.claims))


def _apply_claim_refuted(loop: Loop, e: ClaimRefuted) -> Loop:
    criteria = change_criteria(loop.criteria, e.names, lambda c: c.but(claim=Claim(c.name, False)))
    loop = loop.with_dialogue(refuted_claims=loop.dialogue.refuted_claims + 1)
    return loop.but(criteria=criteria, exit_claimed=False)


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "EstimateRecorded": _apply_estimate_recorded,
    "DoneClaimed": _apply_done_claimed,
    "DoneTakenBack": _apply_done_taken_back,
    "ClaimsQueued": _apply_claims_queued,
    "CriteriaMismatchSeen": lambda loop, e: loop.with_dialogue(mismatched_criteria=e.names),
    "ClaimRefuted": _apply_claim_refuted,
    "StepAdded": lambda loop, e: loop.but(steps=(*loop.steps, Step(e.name))),
    "StepZeroRecorded": lambda loop, e: loop.but(workflow=loop.workflow.but(step_zero_note=e.text)),
}
