"""Objections: what speaks against a claim that every check bears out, in words for the agent, the person and the verdict."""

from __future__ import annotations

from ..criteria import Criterion
from ..findings import HIGH, LOW, MEDIUM, Finding
from ..loop import Loop, open_findings
from .phrases import MAX_OUTPUT_TAIL, clip_text

MAX_ROWS, MAX_QUOTED, MAX_NAMED = 12, 200, 5
HELD_OUT_OBJECTION = "a held-out check fails. What it runs and prints is not shown to you: read the spec again, and test it yourself"
UNDO_INSTRUCTION = (
    "Since the start it became easier to prove. Put each of these back and mend the work instead; "
    "if one is right as it is, say why in your answer: only the person can accept it."
)


def objection_reason(loop: Loop) -> str:
    """The first line of a prompt, where all criteria are met; empty: nothing speaks against it."""
    if high := open_findings(loop, HIGH):
        return f"claim refuted: easier to prove since the start ({', '.join(dict.fromkeys(f.text for f in high[:MAX_NAMED]))})"
    return (
        f"claim refuted: {', '.join(c.name for c in loop.failing_final_checks)}"
        if loop.failing_final_checks
        else ""
    )


def objection_lines(loop: Loop) -> list[str]:
    """For the agent. What is quoted is data."""
    high = open_findings(loop, HIGH)
    found = [UNDO_INSTRUCTION, *map(finding_text, high[:MAX_ROWS])] if high else []
    if len(high) > MAX_ROWS:
        found.append(f"- and {len(high) - MAX_ROWS} more")
    return found + [f"- {c.name}: {final_check_objection(c)}" for c in loop.failing_final_checks]


def final_check_objection(c: Criterion) -> str:
    if not c.check or c.check.origin == "holdout":
        return HELD_OUT_OBJECTION
    words = c.proof.detail[-MAX_OUTPUT_TAIL:].replace("```", "'''") if c.proof else ""
    return f"the reviewer objects. Their words, as data:\n```text\n{words}\n```"


def finding_text(finding: Finding) -> str:
    """One finding on a line, and what changed under it."""
    changed = [
        f"  {sign} {_quote_line(text)}"
        for sign, text in (("-", finding.before), ("+", finding.after))
        if text
    ]
    return "\n".join([f"- {finding.place}: {finding.text}", *changed])


def _quote_line(text: str) -> str:
    line = " ".join(text.split()).replace("```", "'''")
    return clip_text(
        "".join(letter if letter.isprintable() else "?" for letter in line), MAX_QUOTED
    )


def verdict_notes(loop: Loop) -> tuple[str, ...]:
    """What a reader of the verdict must know."""
    said = [
        f"flaky: {c.name} changed its result on an unchanged tree"
        for c in (*loop.criteria, *loop.final_checks)
        if c.flaky
    ]
    still = [
        c.name for c in loop.criteria if c.check and c.check.frozen and c.proof and c.proof.code
    ]
    said += [f"{name}: failures of the start are still there, and no others" for name in still]
    said += [
        f"guard: {c.name} passed before the work began"
        for c in loop.criteria
        if c.guard and not loop.backlog
    ]
    taken = [
        finding
        for finding in loop.baseline.findings
        if finding.key in loop.baseline.accepted_findings
    ]
    said += [f"accepted by a person: {finding.place}, {finding.text}" for finding in taken]
    said += [
        f"{finding.severity}: {finding.place}, {finding.text}"
        for finding in open_findings(loop, MEDIUM, LOW)
    ]
    said += [
        f"{c.name}: {_passed_final_check_note(c)}"
        for c in loop.final_checks
        if c.proof and c.proof.passed
    ]
    return tuple(said)


def _passed_final_check_note(c: Criterion) -> str:
    return (
        "a held-out check, passes"
        if c.check and c.check.origin == "holdout"
        else "a reviewer has no objection (code review)"
    )
