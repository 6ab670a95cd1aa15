"""How long a plan still takes and what it will cost, from what its tasks took so far. Pure."""

from __future__ import annotations

from ..core.loop import Loop, plan_of
from ..core.plan.plan import EXECUTE
from ..core.plan.schedule import remaining_seconds
from ..core.prompts.phrases import count_phrase
from ..core.record import Record


class Estimate(Record):
    """What is left of a plan, and the number of tasks that it is learnt from."""

    seconds: float
    dollars: float | None  # None: the agent has no price, so the cost so far says nothing
    measured: int


def remaining_estimate(loop: Loop) -> Estimate | None:
    """None while nothing is known."""
    plan = plan_of(loop)
    left = [task for task in plan.tasks if task.id not in plan.done]
    measured = len(plan.durations)
    if plan.stage != EXECUTE or not left or not measured:
        return None
    lanes = max(1, loop.run.lanes if loop.run else 1)
    turns = max(measured, loop.spend.iterations)
    tries = turns / max(1, measured)
    dollars = loop.spend.dollars / turns * tries * len(left)
    return Estimate(
        remaining_seconds(plan, lanes), None if loop.spend.unpriced else dollars, measured
    )


def remaining_facts(loop: Loop) -> dict[str, float | None] | None:
    """The estimate for `--json`."""
    estimate = remaining_estimate(loop)
    return dict(estimate.__dict__) if estimate else None


def remaining_text(loop: Loop) -> str:
    """One line; "" while nothing is known."""
    estimate = remaining_estimate(loop)
    if estimate is None:
        return ""
    minutes = estimate.seconds / 60
    time = f"{minutes:.0f} min" if minutes >= 1 else f"{estimate.seconds:.0f} s"
    cost = "" if estimate.dollars is None else f" and ${estimate.dollars:.2f}"
    basis = count_phrase(estimate.measured, "task")
    return f"to go: about {time}{cost}, as {basis} took so far"
