"""Independent checks: written before the work by an agent that does not do it, and held out."""

from __future__ import annotations

from ..criteria import Criterion
from ..loop import Loop
from ..proof.clean_checkout import TRUSTED
from ..proof.demands import Demand
from .agreement import is_same_sentence

DISAGREED = "disagreed"  # the outcome where its two writings give different results


def proves(c: Criterion, tree: str) -> bool:
    """Was it red at the start, does it pass now, and has the worker never heard of it?

    What a sub-agent of the worker's own session wrote proves nothing by itself.
    """
    is_written_by_other = bool(c.check and c.check.origin == "independent")
    is_passed = bool(c.proof and c.proof.code == 0) and c.passes_on(tree)
    return is_written_by_other and is_passed and c.guard is False and not c.looks


def is_shown_by_others(loop: Loop) -> bool:
    """Does an independent check show each demand of the spec, in a clean checkout?

    A demand that a check of the person covers is shown by that one. A spec without a list of
    demands is one demand.
    """
    disputed = {dispute.criterion for dispute in loop.disputes}
    proving = [c for c in loop.final_checks if proves(c, loop.tree) and c.name not in disputed]
    if not proving or loop.room.status != TRUSTED or any(d.independent for d in loop.disputes):
        return False
    demands = [d for d in loop.demands.items if not d.criterion] if loop.demands else []
    return all(any(_is_about(c, demand, loop.spec) for c in proving) for demand in demands)


def _is_about(c: Criterion, demand: Demand, spec: str) -> bool:
    return is_same_sentence(c.quote, demand.text, spec)
