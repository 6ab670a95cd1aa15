"""Events about the strength of the checks: what was measured, and what the agent was told."""

from __future__ import annotations

from ..event import Event
from ..loop import Loop
from .measured_strength import STRENGTH_RUN
from .strength import MeasuredStrength, settle_tests_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .strength import Strength


class StrengthMeasured(Event):
    """The strength of the checks was measured on this tree, or could not be."""

    tree: str
    result: Strength | None = None
    why: str = ""
    worse: str = ""

    def apply(self, loop: Loop) -> Loop:
        measured = MeasuredStrength(
            tree=self.tree,
            result=self.result,
            why=self.why,
            worse=self.worse,
            told=bool(loop.strength and loop.strength.told),
        )
        check_round = loop.check_round
        if check_round:
            check_round = check_round.but(room_runs=(*check_round.room_runs, STRENGTH_RUN))
        findings = settle_tests_alone(loop.baseline.findings, self.result)
        baseline = loop.baseline.but(findings=findings)
        return loop.but(strength=measured, check_round=check_round, baseline=baseline)


class ThinWorkTold(Event):
    """The agent is told which parts of its work no check notices, or that none shows the work."""

    lacks_test: bool = False

    def apply(self, loop: Loop) -> Loop:
        assert loop.strength is not None, "BUG: thin work was measured"
        told = loop.strength.but(told=True, due=True, lacks_test=self.lacks_test)
        return loop.but(strength=told)
