"""The words of a spec loop: its first prompt, the prompt of each later turn, its resume."""

from __future__ import annotations

from ..loop import Loop
from .parts import (
    TASK_LIST_HINT,
    assumption_lines,
    claim_protocol,
    fit_lines,
    guidance_lines,
    iteration_line,
    output_lines,
    spec_summary,
    unmet_criterion_row,
    unmet_criterion_text,
    warning_lines,
    with_protocol,
)
from .phrases import DISPUTE_SENTENCE, STATUS_OPEN, clip_text, count_phrase, one_line

# Bounds of the prompt after the first turn: lines, rows of unmet criteria, characters of a line.
MAX_LINES, MAX_ROWS, MAX_LINE = 12, 3, 1_000
SHORT_PROTOCOL = (
    f"End your answer with the `{STATUS_OPEN}` block, as before. "
    "`EXIT_SIGNAL: true` only when every criterion is verified; we run the checks ourselves. "
    f"{DISPUTE_SENTENCE} in the block."
)
# At most 60 tokens. The demands themselves are in the spec.
NAMING_HINT = (
    "The spec makes {count} demands, numbered in `loop status` and .loop/state.json. "
    "Name the test that shows each in the block: `SHOWS: <number>: <test>`."
)
ASSUMED_REASON = "criterion verified by assumption only - requires actual verification"
NO_EXIT_REASON = "criteria met but exit_signal not set - verify completion"
EXIT_REQUEST = (
    "All criteria are met, and you have not claimed the end. If the work is done, say so now: end "
    "your answer with the status block and `EXIT_SIGNAL: true`. If something is missing, do it."
)


def start_line(loop: Loop) -> str:
    return (
        f"[LOOP] Starting | Shape: {loop.shape.name.capitalize()} ({loop.shape.score}/10)"
        f" | Workflow: {loop.workflow.letter}"
        f" | Steps: {len(loop.steps)} | Budget: ${loop.limits.dollars:g}"
    )


def opening_prompt(loop: Loop) -> str:
    """The first prompt of a loop: everything that an agent needs to begin."""
    parts = [
        start_line(loop),
        iteration_line(loop),
        f"Spec: {clip_text(loop.spec, 3000)}",
        "Criteria:\n" + "\n".join(f"- {c.name}" for c in loop.criteria),
    ]
    if loop.unrequired_checks:
        from ..start.check_result import is_unable  # it is dear, and few loops need it

        failing = ", ".join(c.name for c in loop.unrequired_checks if not is_unable(c))
        unable = ", ".join(c.name for c in loop.unrequired_checks if is_unable(c))
        if failing:
            rule = "not required, must not get worse"
            parts.append(f"Failing since before the start, {rule}: {failing}")
        if unable:
            parts.append(f"Cannot run here, not required: {unable}")
    if loop.must_not:
        parts += ["Must not:", *(f"- {c.name}" for c in loop.must_not)]
    if steps := _step_lines(loop):
        parts += ["Steps:", *steps]
    parts += guidance_lines(loop)
    if loop.settings.has_task_list:
        parts.append(TASK_LIST_HINT)
    parts.append(
        "You work in a loop that ends only when every criterion is proven. "
        "Do what the spec says and no more."
    )
    return with_protocol(parts, reply_protocol(loop))


def _step_lines(loop: Loop) -> list[str]:
    rows = []
    if loop.workflow.step_zero:
        rows.append(f"0. {loop.workflow.step_zero} (record it: `GATE: <text>` in the status block)")
    for number, step in enumerate(loop.steps, 1):
        rows.append(f"{number}. {step.name}{' (done)' if step.done else ''}")
    return rows


def continue_reason(loop: Loop) -> str:
    """Why the loop continues."""
    if loop.unmet_criteria:
        disputed = loop.disputed_criteria
        unmet = [name for name in loop.unmet_criteria if name not in disputed]
        also = f" (disputed: {', '.join(disputed)})" if disputed else ""
        return f"unmet criteria: {', '.join(unmet) or 'none'}{also}"
    if loop.objections:
        from .objections import objection_reason

        return objection_reason(loop)
    if loop.demands and loop.demands.due:
        from .demands import open_reason

        return open_reason(loop)
    return ASSUMED_REASON if loop.assumed_criteria else NO_EXIT_REASON


def continue_prompt(loop: Loop) -> str:
    """The next prompt. An agent whose context holds the protocol gets at most twelve lines."""
    if loop.headless_run or loop.dialogue.protocol_due:
        return _whole_prompt(loop)
    return _short_prompt(loop)


def _short_prompt(loop: Loop) -> str:
    """What failed, the next step and how to claim."""
    head = [one_line(continue_reason(loop)), one_line(iteration_line(loop))]
    tail = [
        *map(one_line, guidance_lines(loop)),
        f"Do one logical unit of work now. Next step: {clip_text(one_line(loop.next_step), 200)}",
        SHORT_PROTOCOL,
    ]
    unmet = [c for c in loop.criteria if not loop.is_met(c)]
    rows = [unmet_criterion_row(c, loop) for c in unmet[:MAX_ROWS]]
    if len(unmet) > MAX_ROWS:
        rows.append(f"- and {len(unmet) - MAX_ROWS} more: `loop status` lists them")
    notes = [*assumption_lines(loop), *warning_lines(loop), *_note_lines(loop)]
    space = MAX_LINES - len(head) - len(tail)
    # The output of the first failing check gets the lines that are left.
    notes = fit_lines(notes, space - len(rows))
    output = output_lines(unmet, loop, space - len(rows) - len(notes))
    return "\n".join(clip_text(line, MAX_LINE) for line in [*head, *rows, *output, *notes, *tail])


def _whole_prompt(loop: Loop) -> str:
    """Everything that an agent with a fresh context needs to continue."""
    parts = [continue_reason(loop), iteration_line(loop), f"Spec: {clip_text(loop.spec, 1200)}"]
    parts += [unmet_criterion_text(c, loop) for c in loop.criteria if not loop.is_met(c)]
    parts += [*assumption_lines(loop), *warning_lines(loop), *_note_lines(loop)]
    parts += guidance_lines(loop)
    if loop.settings.has_task_list:
        parts.append(TASK_LIST_HINT)
    parts.append(f"Do one logical unit of work now. Next step: {clip_text(loop.next_step, 200)}")
    return with_protocol(parts, reply_protocol(loop))


def _note_lines(loop: Loop) -> list[str]:
    """What the status block of the agent still lacks."""
    workflow, mismatched = loop.workflow, loop.dialogue.mismatched_criteria
    parts = [EXIT_REQUEST] if continue_reason(loop) == NO_EXIT_REASON else []
    if loop.demands and loop.demands.due:
        from .demands import request_lines

        parts += request_lines(loop)
    if workflow.step_zero and not workflow.step_zero_note:
        parts.append(
            f"Step 0 is open: {workflow.step_zero}. "
            "Record it with a line `GATE: <text>` in the status block."
        )
    if mismatched:
        parts.append(
            f"Your status block and the criteria disagree on: {', '.join(mismatched)}. "
            "Use the exact names."
        )
    return parts


def resume_text(loop: Loop) -> str:
    """What a resumed session is told, in the five lines of the documented format."""
    next_step = "continue work"
    if loop.remaining_steps:
        next_step = clip_text(loop.remaining_steps[0].name, 300)
    progress = f"{len(loop.completed_steps)}/{len(loop.steps)} steps"
    return (
        "[LOOP RESUME] Active loop detected\n"
        f"Spec: {spec_summary(loop, 100)}\n"
        f"Progress: {progress} | Iteration: {loop.spend.iterations + 1}\n"
        f"Unmet criteria: {clip_text(', '.join(loop.unmet_criteria), 2000) or 'none'}\n"
        f"Next: {next_step}"
    )


def reply_protocol(loop: Loop) -> str:
    """How the agent reports what it has done."""
    protocol = f"{claim_protocol(loop)}\n{DISPUTE_SENTENCE} in the block."
    demands = loop.demands
    if not demands or len(demands.items) < 2 or not demands.unnamed:
        return protocol
    count = len(demands.items)
    return f"{protocol}\n{NAMING_HINT.format(count=count)}"


def final_summary(loop: Loop) -> str:
    done, left = len(loop.completed_steps), len(loop.remaining_steps)
    return f"Progress: {count_phrase(done, 'step')} complete, {left} remaining"
