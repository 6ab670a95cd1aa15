"""Announcements to the person: the end with its verdict box, the cancel report, the resume."""

from __future__ import annotations

import unicodedata

from ..loop import Loop
from ..proof.state import Verdict
from ..proof.verdict import ACCEPTED, PROVEN, TESTED, VERDICT_SIGNS, only_reported
from .messages import continue_reason, progress_text
from .parts import iteration_line, spec_summary
from .phrases import clip_text, count_phrase

BOX_WIDTH = 54
MAX_NOTES = 12
NO_EVIDENCE = "no evidence given"
STATE_FILE_QUESTION = "Writing state to `.loop/state.json`. Delete after session? [Y/n]"


def completion_text(loop: Loop) -> str:
    """The end of a finished loop: its criteria, the verdict box, and where the proof is."""
    names = [c.name for c in loop.criteria]
    if loop.plan:
        from .plan_person import completion_lines

        names = completion_lines(loop.plan, tuple(names))
    unmet = loop.unmet_criteria  # a plan that the person let end without all of its checks
    lines = "\n".join(f"- {name}: {'✗' if name in unmet else '✓'}" for name in names)
    head = "Not all success criteria are satisfied:" if unmet else "All success criteria satisfied:"
    return f"<loop-complete>\n{head}\n{lines}\n</loop-complete>\n{verdict_text(loop)}"


def verdict_text(loop: Loop) -> str:
    """The verdict box, what was found, and where the proof is."""
    from .open_questions import question_lines  # at the end alone

    notes = loop.verdict.notes[:MAX_NOTES] if loop.verdict else ()
    note_lines = "".join(f"\n· {clip_text(note, 200)}" for note in notes)
    note_lines += "".join(f"\n{line}" for line in _demand_lines(loop))
    hint = _proof_hint(loop) if loop.baseline.tree_id else ""
    return f"{verdict_box(loop)}{note_lines}{question_lines(loop)}{hint}"


def _demand_lines(loop: Loop) -> list[str]:
    """What shows each demand of the spec."""
    if not loop.demands:
        return []
    from .demands import demand_lines

    return ["Demands of the spec:", *demand_lines(loop)]


def _proof_hint(loop: Loop) -> str:
    if not any(c.is_verified_by("loop") for c in loop.criteria):
        return "\nThe record: `loop receipt`"
    return "\nThe proof: `loop receipt`. To re-run it: `loop audit`"


def verdict_box(loop: Loop) -> str:
    """The verdict box. Every line is cut or padded to the same width on screen."""
    verdict, estimate = loop.verdict, loop.estimate
    assert verdict is not None, "BUG: a footer needs a verdict"
    verified = len(loop.criteria) - len(loop.unmet_criteria)
    confidence = f"Subjective: ~{estimate.confidence}%" if estimate.confidence is not None else ""
    points = f"{estimate.points}pt" if estimate.points is not None else ""
    rows = [
        f"Verified: {_verification_kinds(loop)}{_doubt_suffix(loop, verdict)}",
        f"Checklist: {verified}/{len(loop.criteria)} criteria verified",
        " · ".join(filter(None, (confidence, f"Type {loop.reversibility}", points))),
    ]
    if verdict.why:
        rows.append(_held_back_row(verdict))
    tail = []
    if estimate.alternative:
        tail.append(f"↳ Alt: {estimate.alternative}")
    if estimate.risk:
        tail.append(f"↳ Risk: {estimate.risk}")
    divider = [f"├{'─' * BOX_WIDTH}┤"] if tail else []
    head = f"─ {VERDICT_SIGNS[verdict.name]} {verdict.name} "
    box = [
        f"╭{head}{'─' * (BOX_WIDTH - display_width(head))}╮",
        *map(_box_row, rows),
        *divider,
        *map(_box_row, tail),
        f"╰{'─' * BOX_WIDTH}╯",
    ]
    return "\n".join(box)


def _verification_kinds(loop: Loop) -> str:
    kinds = {c.proof.kind or NO_EVIDENCE for c in loop.criteria if c.proof}
    return ", ".join(sorted(kinds))


def _doubt_suffix(loop: Loop, verdict: Verdict) -> str:
    if verdict.proven:
        return "" if verdict.grade_word == PROVEN else f" ({verdict.grade_text})"
    if verdict.grade_word == ACCEPTED:
        return " (accepted by you)"
    if verdict.grade_word == TESTED:
        return " (tested)"
    words = only_reported(loop)
    return f" ({words})" if words else " (not proven)"


def _held_back_row(verdict: Verdict) -> str:
    # A note below the box has the whole sentence.
    if verdict.grade_word == TESTED:
        return "Held back: nobody but the agent wrote these tests"
    return f"Held back: {verdict.why}"


def _box_row(text: str) -> str:
    words = " ".join(text.split())
    row = "".join(char for char in words if unicodedata.category(char) not in ("Cc", "Cf", "Cs"))
    while display_width(row) > BOX_WIDTH - 2:
        row = f"{row[:-2]}…"
    return f"│ {row}{' ' * (BOX_WIDTH - 2 - display_width(row))} │"


def display_width(text: str) -> int:
    """Width on a terminal: wide letters and emoji take two columns, combining marks none."""
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


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
        f'To restart: `loop start "{spec_summary(loop, 60)}"`',
    ]
    return "\n".join(rows)


def continue_notice(loop: Loop) -> str:
    """After `loop continue`: the reason, the counters so far and the next step."""
    return f"[LOOP] ▶ Continuing | {continue_reason(loop)}\n{iteration_line(loop)}"
