"""The attempts of a run side by side: what each has proven, and what it changed and cost. Pure."""

from __future__ import annotations

from ..core.loop import Loop
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
        f"{attempt.criteria}/{attempt.of_criteria} criteria, {attempt.findings} findings, "
        f"{attempt.lines} lines, ${attempt.dollars:.2f}{why}"
    )


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
        f"| {a.files} files, {a.lines} lines | ${a.dollars:.2f} | `{a.ref}` |"
        for a in attempts
    ]
    reasons = [f"- attempt {a.number}: {a.why}" for a in attempts if a.why]
    return [*HEAD, *rows, "", *reasons]
