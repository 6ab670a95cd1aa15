"""Exit codes: how a script learns the result of a command or the status of a loop."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.loop import Loop

PROVEN = 0
ERROR = 1
BUDGET = 2
ITERATIONS = 3
BREAKER = 4
VAGUE = 5
WAITS = 6
BLOCKED = 7
PERSON = 8
CLOCK = 9
REPORTED = 10
UNPREPARED = 11
UNMEASURED = 12
USAGE = 64

MEANINGS = {
    PROVEN: "success: the loop is proven or tested, or the command did its work",
    ERROR: "error",
    BUDGET: "paused: the budget is used up",
    ITERATIONS: "paused: the iterations are used up",
    BREAKER: "paused by another breaker, for example after no progress",
    VAGUE: "the spec is too vague to start",
    WAITS: "waiting for an answer from a person",
    BLOCKED: "the agent is blocked, or was denied a permission that it needs",
    PERSON: "cancelled or paused by a person",
    CLOCK: "paused: the running time is used up",
    REPORTED: "finished below the required grade: accepted, reported, or thin tests of the agent",
    UNPREPARED: "`loop audit`: the clean checkout could not be prepared",
    UNMEASURED: "`loop strength`: nothing could be measured",
    USAGE: "wrong usage: unknown command, option or value",
}
PAUSE_CODES = {
    "budget": BUDGET,
    "iterations": ITERATIONS,
    "clock": CLOCK,
    "blocked": BLOCKED,
    "denied": BLOCKED,
    "person": PERSON,
    "dispute": WAITS,
    "looks": WAITS,
}


def exit_code(loop: Loop) -> int:
    """The exit code for the status of a loop; a running loop counts as success."""
    match loop.status:
        case "finished":
            from ..core.proof.grades import is_enough

            return PROVEN if is_enough(loop) else REPORTED
        case "paused":
            return PAUSE_CODES.get(loop.pause.cause, BREAKER)
        case "asking":
            return WAITS
        case "cancelled":
            return PERSON
    return PROVEN
