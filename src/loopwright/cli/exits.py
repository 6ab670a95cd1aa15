"""Exit codes: what a script can tell from how a loop stands."""

from __future__ import annotations

from ..core.loop import Loop

(
    PROVEN,
    ERROR,
    BUDGET,
    ITERATIONS,
    BREAKER,
    VAGUE,
    WAITS,
    BLOCKED,
    PERSON,
    CLOCK,
    REPORTED,
    USAGE,
) = (*range(11), 64)
MEANINGS = {
    PROVEN: "proven done, or the command did what it says",
    ERROR: "error",
    BUDGET: "paused: budget",
    ITERATIONS: "paused: iterations",
    BREAKER: "paused: another breaker",
    VAGUE: "the spec is too vague to start",
    WAITS: "waits for a person",
    BLOCKED: "the agent says it is blocked, or was denied what it needs",
    PERSON: "cancelled or paused by a person",
    CLOCK: "paused: clock",
    REPORTED: "finished as reported by the agent, not proven",
    USAGE: "usage",
}
PAUSE_CODES = {
    "budget": BUDGET,
    "iterations": ITERATIONS,
    "clock": CLOCK,
    "blocked": BLOCKED,
    "denied": BLOCKED,
    "person": PERSON,
}


def exit_code(loop: Loop) -> int:
    """How the loop stands, as a number. A running loop is no failure."""
    match loop.status:
        case "finished":
            return PROVEN if loop.verdict and loop.verdict.proven else REPORTED
        case "paused":
            return PAUSE_CODES.get(loop.pause.cause, BREAKER)
        case "asking":
            return WAITS
        case "cancelled":
            return PERSON
    return PROVEN
