"""Announcements to the person: the cancel report, the resume, the file that holds the state."""

from __future__ import annotations

import shlex

from ..loop import Loop
from .messages import continue_reason, progress_text
from .parts import iteration_line
from .phrases import count_phrase

MAX_PASTED_SPEC = 500
STATE_FILE_QUESTION = "Writing state to `.loop/state.json`. Delete after session? [Y/n]"


def cancel_report(loop: Loop) -> str:
    """What a cancelled loop has done and left, and how to restart it."""
    if loop.backlog or loop.plan:
        return f"Loop cancelled.\n{progress_text(loop)}"
    accomplished = [f"- {step.name}" for step in loop.completed_steps] or ["(none)"]
    remaining = [f"- {step.name}" for step in loop.remaining_steps] or ["(none)"]
    criteria = [f"{'✓' if loop.is_met(c) else '✗'} {c.name}" for c in loop.criteria]
    iterations = count_phrase(loop.spend.iterations, "iteration")
    rows = [
        "Loop cancelled.",
        f"Completed: {iterations}, ${loop.spend.dollars:.2f} cost",
        "Accomplished:",
        *accomplished,
        "Remaining:",
        *remaining,
        "Criteria status:",
        *criteria,
        f"To restart: {_restart_text(loop.spec)}",
    ]
    return "\n".join(rows)


def _restart_text(spec: str) -> str:
    """A command that can be pasted; a long spec is in the report."""
    spec = " ".join(spec.split())
    if len(spec) > MAX_PASTED_SPEC:
        return "`loop start` with the same spec (`loop report` prints it)"
    quoted = shlex.quote(spec) if set(spec) & set('"$`\\!') else f'"{spec}"'
    return f"`loop start {quoted}`"


def continue_notice(loop: Loop) -> str:
    """After `loop continue`: the reason, the counters so far and the next step."""
    return f"[LOOP] ▶ Continuing | {continue_reason(loop)}\n{iteration_line(loop)}"
