"""Announcements: the start, the end with its box, the cancel report, the resume of a session, the status block."""

from __future__ import annotations

import unicodedata

from ..loop import Loop
from ..verdict import VERDICT_SIGNS
from .messages import continue_reason, progress_text
from .parts import iteration_line, spec_summary
from .phrases import clip_text

BOX_WIDTH = 54
MAX_NOTES = 12
STATE_FILE_QUESTION = "Writing state to `.loop/state.json`. Delete after session? [Y/n]"


def completion_text(loop: Loop) -> str:
    if loop.plan:
        from .plan_person import completion_lines

        names = completion_lines(loop.plan, tuple(c.name for c in loop.criteria))
    else:
        names = [c.name for c in loop.criteria]
    lines = "\n".join(f"- {name}: ✓" for name in names)
    notes = "".join(
        f"\n· {clip_text(note, 200)}"
        for note in (loop.verdict.notes if loop.verdict else ())[:MAX_NOTES]
    )
    proof = (
        "\nThe proof: `loop receipt`. To see it once more: `loop audit`"
        if loop.baseline.tree_id
        else ""
    )
    return f"<loop-complete>\nAll success criteria satisfied:\n{lines}\n</loop-complete>\n{verdict_box(loop)}{notes}{proof}"


def verdict_box(loop: Loop) -> str:
    """The verdict box. Every line is cut or padded to the same width on screen, whatever the text."""
    verdict = loop.verdict
    assert verdict is not None, "BUG: a footer needs a verdict"
    kinds = sorted({c.proof.kind or "not given" for c in loop.criteria if c.proof})
    unseen = not loop.criteria or any(not c.proof or c.proof.by == "agent" for c in loop.criteria)
    doubt = (
        "" if verdict.proven else " (reported by the agent, not run)" if unseen else " (not proven)"
    )
    how = f"{', '.join(kinds)}{doubt}"
    sure = f"~{loop.estimate.confidence}%" if loop.estimate.confidence is not None else "not given"
    points = f"{loop.estimate.points}pt" if loop.estimate.points is not None else "not given"
    head = f"─ {VERDICT_SIGNS[verdict.name]} {verdict.name} "
    rows = [
        f"Verified: {how}",
        f"Checklist: {len(loop.criteria) - len(loop.unmet_criteria)}/{len(loop.criteria)} criteria verified",
        f"Subjective: {sure} · Type {loop.reversibility} · {points}",
    ]
    tail = [
        f"↳ Alt: {loop.estimate.alternative or 'not given'}",
        f"↳ Risk: {loop.estimate.risk or 'not given'}",
    ]
    if verdict.why:
        rows.append(f"Held back: {verdict.why}")
    box = [f"╭{head}{'─' * (BOX_WIDTH - display_width(head))}╮", *map(_box_row, rows)]
    return "\n".join([*box, f"├{'─' * BOX_WIDTH}┤", *map(_box_row, tail), f"╰{'─' * BOX_WIDTH}╯"])


def _box_row(text: str) -> str:
    text = "".join(
        letter
        for letter in " ".join(text.split())
        if unicodedata.category(letter) not in ("Cc", "Cf", "Cs")
    )
    while display_width(text) > BOX_WIDTH - 2:
        text = f"{text[:-2]}…"
    return f"│ {text}{' ' * (BOX_WIDTH - 2 - display_width(text))} │"


def display_width(text: str) -> int:
    """Width on a terminal: wide letters and emoji take two columns, combining marks none."""
    marks = ("Mn", "Me")
    return sum(
        0
        if unicodedata.category(letter) in marks
        else 2
        if unicodedata.east_asian_width(letter) in "WF"
        else 1
        for letter in text
    )


def cancel_report(loop: Loop) -> str:
    if loop.backlog or loop.plan:
        return f"Loop cancelled.\n{progress_text(loop)}"
    accomplished = [f"- {step.name}" for step in loop.completed_steps] or ["(none)"]
    remaining = [f"- {step.name}" for step in loop.remaining_steps] or ["(none)"]
    criteria = [f"{'✓' if loop.is_met(c) else '✗'} {c.name}" for c in loop.criteria]
    return "\n".join(
        [
            "Loop cancelled.",
            f"Completed: {loop.spend.iterations} iterations, ${loop.spend.dollars:.2f} cost",
            "Accomplished:",
            *accomplished,
            "Remaining:",
            *remaining,
            "Criteria status:",
            *criteria,
            f'To restart: `loop start "{spec_summary(loop, 60)}"`',
        ]
    )


def continue_notice(loop: Loop) -> str:
    """After a person's go: the reason, the counters kept, the step at which it goes on."""
    return f"[LOOP] ▶ Going on | {continue_reason(loop)}\n{iteration_line(loop)}"
