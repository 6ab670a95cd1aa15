"""Announcements: the start, the end with its box, the cancel report, the resume of a session, the status block."""

from __future__ import annotations

import unicodedata

from ..loop import Loop
from ..verdict import VERDICT_SIGNS
from .phrases import TASK_LIST_HINT, clip_text, continue_reason, iteration_line, prompts_for, spec_summary, with_protocol

BOX_WIDTH = 54
MAX_NOTES = 12
STATE_FILE_QUESTION = "Writing state to `.loop/state.json`. Delete after session? [Y/n]"


def start_line(loop: Loop) -> str:
    if own := prompts_for(loop):
        return str(own.start_line(loop))
    return (
        f"[LOOP] Starting | Shape: {loop.shape.name.capitalize()} ({loop.shape.score}/10) | Workflow: {loop.workflow.letter}"
        f" | Steps: {len(loop.steps)} | Budget: ${loop.limits.dollars:g}"
    )


def opening_prompt(loop: Loop) -> str:
    """The first prompt of a loop: all that an agent needs to begin."""
    if own := prompts_for(loop):
        return str(own.opening_prompt(loop))
    steps = "\n".join(f"{n}. {step.name}{' (done)' if step.done else ''}" for n, step in enumerate(loop.steps, 1))
    gate = f"0. {loop.workflow.step_zero} (record it: `GATE: <text>` in the status block)\n" if loop.workflow.step_zero else ""
    must_not = "\n".join(f"- {c.name}" for c in loop.must_not)
    parts = [
        start_line(loop),
        iteration_line(loop),
        f"Spec: {clip_text(loop.spec, 3000)}",
        "Criteria:\n" + "\n".join(f"- {c.name}" for c in loop.criteria),
        f"Must not:\n{must_not}" if must_not else "",
        f"Steps:\n{gate}{steps}" if steps or gate else "",
        f"The person says: {clip_text(loop.guidance, 1000)}" if loop.guidance else "",
        TASK_LIST_HINT if loop.has_task_list else "",
        "You work in a loop that ends only when every criterion is proven. Do what the spec says and no more.",
    ]
    return with_protocol(loop, [part for part in parts if part])


def resume_text(loop: Loop) -> str:
    """For a session that comes back, in the seed's five lines."""
    if own := prompts_for(loop):
        return str(own.resume_text(loop))
    following = clip_text(loop.remaining_steps[0].name, 300) if loop.remaining_steps else "continue work"
    return (
        "[LOOP RESUME] Active loop detected\n"
        f"Spec: {spec_summary(loop, 100)}\n"
        f"Progress: {len(loop.completed_steps)}/{len(loop.steps)} steps | Iteration: {loop.spend.iterations + 1}\n"
        f"Unmet criteria: {clip_text(', '.join(loop.unmet_criteria), 2000) or 'none'}\n"
        f"Next: {following}"
    )


def completion_text(loop: Loop) -> str:
    if loop.plan:
        from .plan_person import completion_lines

        names = completion_lines(loop.plan, tuple(c.name for c in loop.criteria))
    else:
        names = [c.name for c in loop.criteria]
    lines = "\n".join(f"- {name}: ✓" for name in names)
    notes = "".join(f"\n· {clip_text(note, 200)}" for note in (loop.verdict.notes if loop.verdict else ())[:MAX_NOTES])
    proof = "\nThe proof: `loop receipt`. To see it once more: `loop audit`" if loop.baseline_id else ""
    return f"<loop-complete>\nAll success criteria satisfied:\n{lines}\n</loop-complete>\n{verdict_box(loop)}{notes}{proof}"


def verdict_box(loop: Loop) -> str:
    """The verdict box. Every line is cut or padded to the same width on screen, whatever the text."""
    verdict = loop.verdict
    assert verdict is not None, "BUG: a footer needs a verdict"
    kinds = sorted({c.proof.kind or "not given" for c in loop.criteria if c.proof})
    unseen = not loop.criteria or any(not c.proof or c.proof.by == "agent" for c in loop.criteria)
    doubt = "" if verdict.proven else " (reported by the agent, not run)" if unseen else " (not proven)"
    how = f"{', '.join(kinds)}{doubt}"
    sure = f"~{loop.confidence}%" if loop.confidence is not None else "not given"
    points = f"{loop.points}pt" if loop.points is not None else "not given"
    head = f"─ {VERDICT_SIGNS[verdict.name]} {verdict.name} "
    rows = [
        f"Verified: {how}",
        f"Checklist: {len(loop.criteria) - len(loop.unmet_criteria)}/{len(loop.criteria)} criteria verified",
        f"Subjective: {sure} · Type {loop.reversibility} · {points}",
    ]
    tail = [f"↳ Alt: {loop.alternative or 'not given'}", f"↳ Risk: {loop.risk or 'not given'}"]
    if verdict.why:
        rows.append(f"Held back: {verdict.why}")
    box = [f"╭{head}{'─' * (BOX_WIDTH - display_width(head))}╮", *map(_box_row, rows)]
    return "\n".join([*box, f"├{'─' * BOX_WIDTH}┤", *map(_box_row, tail), f"╰{'─' * BOX_WIDTH}╯"])


def _box_row(text: str) -> str:
    text = "".join(letter for letter in " ".join(text.split()) if unicodedata.category(letter) not in ("Cc", "Cf", "Cs"))
    while display_width(text) > BOX_WIDTH - 2:
        text = f"{text[:-2]}…"
    return f"│ {text}{' ' * (BOX_WIDTH - 2 - display_width(text))} │"


def display_width(text: str) -> int:
    """Width on a terminal: wide letters and emoji take two columns, combining marks none."""
    marks = ("Mn", "Me")
    return sum(
        0 if unicodedata.category(letter) in marks else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def cancel_report(loop: Loop) -> str:
    if own := prompts_for(loop):
        return f"Loop cancelled.\n{own.final_summary(loop)}"
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
