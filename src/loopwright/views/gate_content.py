"""What a person needs to know to answer a question: steps, criteria, limits, findings. Pure."""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.findings import HIGH, LOW, MEDIUM, Finding
from ..core.loop import Gate, Loop, open_findings
from ..core.prompts.phrases import clip_text, one_line, strip_control_characters
from ..core.record import Record
from .criterion_rows import STEP_MARKS, criteria_to_show, criterion_line
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
    named = gate.listed if gate.name == "allow" else ()  # its question names them with commands
    asked = loop.criteria if gate.name == START_GATE else criteria_to_show(loop)
    criteria = [_criterion_row(c, loop) for c in asked if c.name not in named]
    sections = (
        ("Steps", _step_rows(loop)),
        ("Criteria", criteria),
        ("Failed tasks", _failure_rows(loop)),
        ("Must not", [_criterion_row(c, loop) for c in loop.must_not]),
        ("Independent checks", _independent_rows(loop) if gate.name == START_GATE else []),
        ("Limits", _limit_rows(loop) if gate.name == START_GATE else []),
        ("Findings", [row for finding in findings for row in _finding_rows(finding)]),
        ("A yes covers", _listed_rows(gate, findings, criteria)),
    )
    return tuple(GateSection(title, _clean(rows)) for title, rows in sections if rows)


def gate_rows(loop: Loop, left_out: tuple[str, ...] = ()) -> list[str]:
    """The same as lines of text."""
    rows = []
    for section in gate_sections(loop):
        if section.title not in left_out:
            rows += [f"{section.title}:", *prefix_rows("  ", section.rows)]
    return rows


def _step_rows(loop: Loop) -> list[str]:
    """Which of them are done is said once one is."""
    has_begun = any(step.done for step in loop.steps)
    marks = {done: f"{mark} " if has_begun else "" for done, mark in STEP_MARKS.items()}
    return [f"{marks[step.done]}{n}. {step.name}" for n, step in enumerate(loop.steps, 1)]


def _failure_rows(loop: Loop) -> list[str]:
    failures = loop.plan.failures if loop.plan else ()
    return [f"{failure.task}: {one_line(failure.error)}" for failure in failures]


def _criterion_row(c: Criterion, loop: Loop) -> str:
    """Like the line of the board; before its check has run, a criterion has not failed."""
    has_failed = c.proof and not c.proof.passed
    return criterion_line(c, loop).replace("✗", "✗" if has_failed else "·", 1)


def _independent_rows(loop: Loop) -> list[str]:
    """The sentences alone: the agent that works may read this too."""
    return [f'{c.name}: from "{c.quote}"' for c in loop.final_checks if c.is_independent]


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


def _listed_rows(gate: Gate, findings: tuple[Finding, ...], criteria: list[str]) -> list[str]:
    """What a yes allows, where neither the question nor a row above names it."""
    keys = {finding.key for finding in findings}
    above = "\n".join((gate.question, *criteria))
    return [name for name in gate.listed if name not in keys and name not in above]


def _clean(rows: list[str]) -> tuple[str, ...]:
    shown = [clip_text(strip_control_characters(row), MAX_LENGTH) for row in rows[:MAX_ROWS]]
    left_out = len(rows) - len(shown)
    return (*shown, f"… {left_out} more") if left_out else tuple(shown)
