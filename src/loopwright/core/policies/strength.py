"""Strength in the final proof: measure it once for a tree, and give thin work back."""

from __future__ import annotations

from ..directives import MeasureStrength
from ..draft import Draft
from ..loop import Loop
from ..pausing import breakers
from ..proof.grades import is_weak_evidence, lacks_test
from ..proof.measured_strength import (
    ONCE,
    STRENGTH_RUN,
    STRICT,
    can_be_measured,
    is_wanted,
    strength_of,
)
from ..proof.state import CheckRound
from ..proof.strength_events import StrengthMeasured, ThinWorkTold
from ..signals import StrengthResult


def next_measurement(loop: Loop, following: CheckRound) -> MeasureStrength | None:
    """The measurement that this proof needs; None: it is made, not wanted or not possible."""
    if not is_wanted(loop) or not can_be_measured(loop, following.tree):
        return None
    measured = loop.strength
    if measured and measured.tree == following.tree:
        was_tried = STRENGTH_RUN in following.room_runs or following.confirmed
        if measured.result or was_tried:
            return None
    return MeasureStrength(following.number, loop.lease.fence, following.tree)


def record_strength(draft: Draft, result: StrengthResult) -> None:
    draft.record(StrengthMeasured(result.tree, result.strength, result.why, result.worse))


def gives_back_thin_work(draft: Draft, check_round: CheckRound) -> bool:
    """Is thin work, or work that no test shows, given back to the agent? Then it is told now.

    Once, unless the person is strict. Who has no turn left keeps the end, and the verdict says it.
    """
    loop = draft.loop
    mode, measured = loop.settings.strength_mode, loop.strength
    if mode not in (ONCE, STRICT) or check_round.confirmed or not measured:
        return False
    needs_test = not measured.told and lacks_test(loop)
    is_given_back = needs_test or strength_of(loop).is_thin or is_weak_evidence(loop)
    if not is_given_back or (mode == ONCE and (measured.told or _has_no_turn_left(loop))):
        return False
    draft.record(ThinWorkTold(needs_test))
    if loop.demands:
        from .demands import record_open_demands

        record_open_demands(draft)  # in the same prompt
    return True


def _has_no_turn_left(loop: Loop) -> bool:
    if loop.plan and (not loop.plan.auto_loop or loop.plan.fix_rounds >= loop.plan.max_fix_rounds):
        return True
    return bool(breakers.tripped(loop))
