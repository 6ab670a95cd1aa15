"""Events about the strength of the checks: what was measured, and what the agent was told."""

from __future__ import annotations

from ..loop import Loop
from ..record import Record
from .measured_strength import STRENGTH_RUN
from .strength import MeasuredStrength, settle_tests_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .strength import Strength


class StrengthMeasured(Record):
    """The strength of the checks was measured on this tree, or could not be."""

    tree: str
    result: Strength | None = None
    why: str = ""
    worse: str = ""


class ThinWorkTold(Record):
    """The agent is told which parts of its work no check notices, or that none shows the work."""

    lacks_test: bool = False


def _apply_strength_measured(loop: Loop, e: StrengthMeasured) -> Loop:
    measured = MeasuredStrength(
        tree=e.tree,
        result=e.result,
        why=e.why,
        worse=e.worse,
        told=bool(loop.strength and loop.strength.told),
    )
    check_round = loop.check_round
    if check_round:
        check_round = check_round.but(room_runs=(*check_round.room_runs, STRENGTH_RUN))
    findings = settle_tests_alone(loop.baseline.findings, e.result)
    baseline = loop.baseline.but(findings=findings)
    return loop.but(strength=measured, check_round=check_round, baseline=baseline)


def _apply_thin_work_told(loop: Loop, e: ThinWorkTold) -> Loop:
    assert loop.strength is not None, "BUG: thin work was measured"
    told = loop.strength.but(told=True, due=True, lacks_test=e.lacks_test)
    return loop.but(strength=told)


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "StrengthMeasured": _apply_strength_measured,
    "ThinWorkTold": _apply_thin_work_told,
}
