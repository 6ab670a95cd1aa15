"""What a loop knows about the strength of its checks on the files as they are now."""

from __future__ import annotations

from ..loop import Loop
from .clean_checkout import FINAL_TREE_RUN, PASSED, PENDING
from .strength import MeasuredStrength, Strength

OFF, REPORT, ONCE, STRICT = "off", "report", "once", "strict"
MODES = (OFF, REPORT, ONCE, STRICT)  # what follows from thin work
STRENGTH_RUN = "strength"  # among the runs of a round


def is_wanted(loop: Loop) -> bool:
    """Is strength a part of the final proof? Not for a loop of an older version."""
    return loop.settings.strength_mode not in ("", OFF)


def current_strength(loop: Loop) -> MeasuredStrength | None:
    """The measurement of the files as they are now."""
    measured = loop.strength
    return measured if measured and measured.tree == loop.tree else None


def strength_of(loop: Loop) -> Strength:
    """The result for the files as they are now; an empty one if nothing was measured."""
    measured = current_strength(loop)
    return (measured and measured.result) or Strength()


def can_be_measured(loop: Loop, tree: str) -> bool:
    """Have the checks passed in a clean checkout of this tree?"""
    runs = (run for run in loop.room.runs if (run.kind, run.tree) == (FINAL_TREE_RUN, tree))
    return any(run.outcome == PASSED for run in runs)


def unmeasured_reason(loop: Loop) -> str:
    """Why nothing was measured; "" if something was, or if nobody wants it."""
    if not is_wanted(loop):
        return ""
    measured = current_strength(loop)
    if measured and measured.result:
        if measured.result.is_measured:
            return ""
        return measured.worse or _first_reason(measured.result)
    if measured:
        return measured.why
    if loop.room.status == PENDING or can_be_measured(loop, loop.tree):
        return "the final proof has not come so far"
    return "no check ran in a clean checkout"


def _first_reason(strength: Strength) -> str:
    return strength.unmeasured[0].text if strength.unmeasured else "nothing could be judged"
