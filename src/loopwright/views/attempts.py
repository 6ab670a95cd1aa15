"""The attempts of a run side by side: what each has proven, and what it changed and cost. Pure."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.prompts.phrases import count_phrase
from ..core.runner.run import Attempt

HEAD = (
    "| attempt | agent | outcome | criteria | held out | findings | change | cost | kept as |",
    "|:--|:--|:--|--:|--:|--:|--:|--:|:--|",
)


def attempt_line(attempt: Attempt) -> str:
    """One attempt in one line, for the terminal."""
    mark = "✓" if attempt.won else "✗" if attempt.outcome != "proven" else "·"
    landed = ", landed" if attempt.won else ""
    why = f" ({attempt.why})" if attempt.why else ""
    return (
        f"{mark} Attempt {attempt.number} {_agent(attempt)}: {attempt.outcome}{landed}, "
        f"{attempt.criteria}/{attempt.of_criteria} criteria, "
        f"{count_phrase(attempt.findings, 'finding')}, {count_phrase(attempt.lines, 'line')}, "
        f"{_cost_text(attempt)}{why}"
    )


def _cost_text(attempt: Attempt) -> str:
    return "cost unknown" if attempt.unpriced else f"${attempt.dollars:.2f}"


def _agent(attempt: Attempt) -> str:
    return f"{attempt.agent} {attempt.model}".strip()


def attempt_rows(loop: Loop) -> list[str]:
    """A table for the report; empty without attempts."""
    attempts = loop.run.attempts if loop.run else ()
    if not attempts:
        return []
    rows = [
        f"| {a.number} | {_agent(a)} | {'**landed**, ' if a.won else ''}{a.outcome} "
        f"| {a.criteria}/{a.of_criteria} | {a.held_out}/{a.of_held_out} | {a.findings} "
        f"| {count_phrase(a.files, 'file')}, {count_phrase(a.lines, 'line')} "
        f"| {_cost_text(a).removeprefix('cost ')} | `{a.ref}` |"
        for a in attempts
    ]
    reasons = [f"- attempt {a.number}: {text}" for a in attempts for text in (*a.found, a.why)]
    return [*HEAD, *rows, "", *(row for row in reasons if not row.endswith(": "))]
