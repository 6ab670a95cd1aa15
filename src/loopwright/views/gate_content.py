"""What a person needs to know to answer a question: steps, criteria, limits, findings. Pure."""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.findings import HIGH, LOW, MEDIUM, Finding
from ..core.loop import Gate, Loop, open_findings
from ..core.prompts.phrases import clip_text, strip_control_characters
from ..core.record import Record
from .board import STEP_MARKS, criterion_line
from .rows import prefix_rows

START_GATE = "G1"
MAX_ROWS, MAX_LENGTH = 40, 400


class GateSection(Record):
    """Rows of plain text under a heading."""

    title: str
    rows: tuple[str, ...]


def gate_sections(loop: Loop) -> tuple[GateSection, ...]:
    """What the open question is about; empty without one."""
    if not loop.gate:
        return ()
    gate = loop.gate
    findings = open_findings(loop, HIGH, MEDIUM, LOW)
    sections = (
        ("Steps", _step_rows(loop)),
        ("Criteria", [_criterion_row(c, loop) for c in loop.criteria]),
        ("Must not", [_criterion_row(c, loop) for c in loop.must_not]),
        ("Limits", _limit_rows(loop) if gate.name == START_GATE else []),
        ("Findings", [row for finding in findings for row in _finding_rows(finding)]),
        ("A yes covers", _listed_rows(gate, findings)),
    )
    return tuple(GateSection(title, _clean(rows)) for title, rows in sections if rows)


def _step_rows(loop: Loop) -> list[str]:
    return [f"{STEP_MARKS[step.done]} {n}. {step.name}" for n, step in enumerate(loop.steps, 1)]


def _criterion_row(c: Criterion, loop: Loop) -> str:
    """Like the line of the board; before its check has run, a criterion has not failed."""
    has_failed = c.proof and not c.proof.passed
    return criterion_line(c, loop).replace("✗", "✗" if has_failed else "·", 1)


def _limit_rows(loop: Loop) -> list[str]:
    limits = loop.limits
    return [
        f"{limits.iterations} iterations, ${limits.dollars:g}, {limits.minutes:g} minutes: "
        "whichever comes first pauses the loop"
    ]


def _finding_rows(finding: Finding) -> list[str]:
    """A finding with the lines that it is about."""
    line = f":{finding.line}" if finding.line else ""
    return [
        f"{finding.severity}: {finding.file}{line}: {finding.text}",
        *prefix_rows("    - ", finding.before.splitlines()),
        *prefix_rows("    + ", finding.after.splitlines()),
    ]


def _listed_rows(gate: Gate, findings: tuple[Finding, ...]) -> list[str]:
    """What a yes allows, where it is not among the findings above."""
    keys = {finding.key for finding in findings}
    return [name for name in gate.listed if name not in keys]


def _clean(rows: list[str]) -> tuple[str, ...]:
    shown = [clip_text(strip_control_characters(row), MAX_LENGTH) for row in rows[:MAX_ROWS]]
    left_out = len(rows) - len(shown)
    return (*shown, f"… {left_out} more") if left_out else tuple(shown)
