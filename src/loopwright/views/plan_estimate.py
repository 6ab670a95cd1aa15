"""How long a plan still takes and what it will cost, from what its tasks took so far. Pure."""

from __future__ import annotations

from ..core.loop import Loop, plan_of
from ..core.plan.plan import EXECUTE
from ..core.plan.schedule import remaining_seconds
from ..core.prompts.phrases import count_phrase


def remaining_facts(loop: Loop) -> dict[str, float] | None:
    """Seconds and dollars to go, and the number of tasks they are learnt from; None: not known."""
    plan = plan_of(loop)
    left = [task for task in plan.tasks if task.id not in plan.done]
    measured = len(plan.durations)
    if plan.stage != EXECUTE or not left or not measured:
        return None
    lanes = max(1, loop.run.lanes if loop.run else 1)
    turns = max(measured, loop.spend.iterations)
    tries = turns / max(1, measured)
    return {
        "seconds": remaining_seconds(plan, lanes),
        "dollars": loop.spend.dollars / turns * tries * len(left),
        "measured": measured,
    }


def remaining_text(loop: Loop) -> str:
    """One line; "" while nothing is known."""
    found = remaining_facts(loop)
    if found is None:
        return ""
    minutes = found["seconds"] / 60
    time = f"{minutes:.0f} min" if minutes >= 1 else f"{found['seconds']:.0f} s"
    basis = count_phrase(int(found["measured"]), "task")
    # Without a price for its agent, what is known of the cost says nothing about the rest.
    cost = "" if loop.spend.unpriced else f" and ${found['dollars']:.2f}"
    return f"to go: about {time}{cost}, as {basis} took so far"
