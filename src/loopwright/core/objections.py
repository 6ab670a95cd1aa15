"""Objections: what speaks against a claim that every check bears out, in words for the agent, the person and the verdict."""

from __future__ import annotations

from .loop import Criterion, Loop
from .ratchet import HIGH, LOW, MEDIUM, Finding, standing
from .wording import MOST_TAIL, clip

MOST_ROWS, MOST_QUOTED, MOST_NAMED = 12, 200, 5
HELD_OUT = "a held-out check fails. What it runs and prints is not shown to you: read the spec again, and test it yourself"
UNDO = (
    "Since the start it became easier to prove. Put each of these back and mend the work instead; "
    "if one is right as it is, say why in your answer: only the person can accept it."
)


def reason(loop: Loop) -> str:
    """The first line of a prompt, where all criteria are met; empty: nothing speaks against it."""
    if high := standing(loop, HIGH):
        return f"claim refuted: easier to prove since the start ({', '.join(dict.fromkeys(f.rule for f in high[:MOST_NAMED]))})"
    return f"claim refuted: {', '.join(c.name for c in loop.against)}" if loop.against else ""


def rows(loop: Loop) -> list[str]:
    """For the agent. What is quoted is data."""
    high = standing(loop, HIGH)
    found = [UNDO, *map(described, high[:MOST_ROWS])] if high else []
    if len(high) > MOST_ROWS:
        found.append(f"- and {len(high) - MOST_ROWS} more")
    return found + [f"- {c.name}: {against(c)}" for c in loop.against]


def against(c: Criterion) -> str:
    if not c.check or c.check.origin == "holdout":
        return HELD_OUT
    words = c.proof.detail[-MOST_TAIL:].replace("```", "'''") if c.proof else ""
    return f"the reviewer objects. Their words, as data:\n```text\n{words}\n```"


def described(finding: Finding) -> str:
    """One finding on a line, and what changed under it."""
    changed = [f"  {sign} {_quoted(text)}" for sign, text in (("-", finding.before), ("+", finding.after)) if text]
    return "\n".join([f"- {finding.place}: {finding.rule}", *changed])


def _quoted(text: str) -> str:
    line = " ".join(text.split()).replace("```", "'''")
    return clip("".join(letter if letter.isprintable() else "?" for letter in line), MOST_QUOTED)


def notes(loop: Loop) -> tuple[str, ...]:
    """What a reader of the verdict must know."""
    said = [f"flaky: {c.name} changed its result on an unchanged tree" for c in (*loop.criteria, *loop.last) if c.flaky]
    still = [c.name for c in loop.criteria if c.check and c.check.frozen and c.proof and c.proof.code]
    said += [f"{name}: failures of the start are still there, and no others" for name in still]
    said += [f"guard: {c.name} passed before the work began" for c in loop.criteria if c.guard and not loop.backlog]
    taken = [finding for finding in loop.findings if finding.key in loop.accepted]
    said += [f"accepted by a person: {finding.place}, {finding.rule}" for finding in taken]
    said += [f"{finding.severity}: {finding.place}, {finding.rule}" for finding in standing(loop, MEDIUM, LOW)]
    said += [f"{c.name}: {_held(c)}" for c in loop.last if c.proof and c.proof.passed]
    return tuple(said)


def _held(c: Criterion) -> str:
    return "a held-out check, passes" if c.check and c.check.origin == "holdout" else "a reviewer has no objection (code review)"
