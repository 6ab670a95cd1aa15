"""What a person reads after an order or a change of the driver."""

from __future__ import annotations

from ..criteria import Criterion
from ..loop import Loop
from .phrases import count_phrase

NOTHING_ASKED = "the loop has asked nothing"
NO_PLAN = "this loop has no plan. Start one: `loop start --plan FILE`"
DETACHED = "[LOOP] Detached. The next session that is prompted in this folder drives the loop."
STEERED = "[LOOP] Noted: the agent reads it with its next prompt."
UNBOUND = "[LOOP] A loop waits in this folder; your next prompt here drives it. See: `loop status`"
OTHER_DRIVER = "[LOOP] Another driver has taken this loop. See: `loop status`"
PAUSED_HINT = " It is paused: `loop continue`"


def ended_text(status: str) -> str:
    return f"this loop has ended ({status})"


def order_refused_text(order: str, why: str) -> str:
    """The answer to an order that did not come from the person's client."""
    return (
        f"[LOOP] Refused: {order}. Only the person gives orders, and {why}. If you are the person: "
        "type it in the session once the agent has stopped, or use `loop` in a terminal."
    )


def refused_orders_text(orders: tuple[str, ...]) -> str:
    """What the person reads about orders that were given in their name."""
    return (
        f"[LOOP] Refused an order in your name ({'; '.join(orders)}). "
        "The agent may have sent it; if it was you, type it again."
    )


def mirror_rebuilt_text(file: str, aside_path: str) -> str:
    return (
        f"[LOOP] {file} could not be read. It is kept as {aside_path} and was written again; "
        "the loop continues."
    )


def mirror_edited_reason(file: str, how: str) -> str:
    """Why the loop pauses: a person deleted state.json, or wrote another status into it."""
    change = "was deleted" if how == "deleted" else f"was set to {how}"
    return f"{file} {change} by hand"


def attached_text(loop: Loop, in_this_session: bool) -> str:
    """After `attach`: who drives the loop now."""
    hint = PAUSED_HINT if loop.status == "paused" else ""
    if in_this_session:
        return f"[LOOP] Attached: this session drives the loop now.{hint}"
    return f"[LOOP] Attached: the next prompt of that session drives the loop.{hint}"


def criteria_changed_text(count: int) -> str:
    noun = "criterion" if count == 1 else "criteria"
    return f"{count} {noun} now; the stuck counter is 0 again."


def checks_allowed_text(count: int, allowed: bool) -> str:
    return f"{count_phrase(count, 'check')} {'allowed' if allowed else 'denied'}."


def measured_text(criteria: tuple[Criterion, ...]) -> str:
    """How checks that were allowed after the start do on the files of the start."""
    failing = [c.name for c in criteria if not c.guard]
    passing = [c.name for c in criteria if c.guard]
    rows = [f"Failing now, so it can prove the work: {name}." for name in failing]
    rows += [f"Passing already, so it guards the work: {name}." for name in passing]
    return "\n".join(rows)


def findings_accepted_text(count: int) -> str:
    return f"{count_phrase(count, 'finding')} accepted; the verdict names what you accepted."


def agent_switched_text(reason: str, agent: str) -> str:
    return f"[LOOP] {reason}. {agent} continues."


def crash_reason(why: str, crashes: int, most: int) -> str:
    return f"{why} (attempt {crashes} of {most})"


def wait_too_long_reason(reason: str, seconds: float, most_minutes: float) -> str:
    minutes = f"{seconds / 60:.0f} more minutes, over the {most_minutes:g} of limits.wait"
    return f"{reason}. It would take {minutes}"


def window_reserved_reason(leave: float) -> str:
    return f"{leave:.0%} of the usage window stays unused (--leave)"


def branch_switched_text(before: str, now: str) -> str:
    """Why a run must not go on: its work would land on another branch."""
    there = f"the branch {now}" if now else "no branch"
    return (
        f"the run began on the branch {before}, and {there} is checked out now. "
        f"Switch back: git switch {before}. To continue here instead: loop run --continue"
    )
