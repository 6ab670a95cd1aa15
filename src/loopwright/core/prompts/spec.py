"""The words of a spec loop: its first prompt, the prompt of every turn after it, and how it is resumed."""

from __future__ import annotations

from ..loop import Loop
from .parts import (
    TASK_LIST_HINT,
    claim_protocol,
    guidance_lines,
    iteration_line,
    spec_summary,
    unmet_criterion_text,
    warning_lines,
    with_protocol,
)
from .phrases import clip_text

ASSUMED_REASON = "criterion verified by assumption only - requires actual verification"
NO_EXIT_REASON = "criteria met but exit_signal not set - verify completion"


def start_line(loop: Loop) -> str:
    return (
        f"[LOOP] Starting | Shape: {loop.shape.name.capitalize()} ({loop.shape.score}/10) | Workflow: {loop.workflow.letter}"
        f" | Steps: {len(loop.steps)} | Budget: ${loop.limits.dollars:g}"
    )


def opening_prompt(loop: Loop) -> str:
    """The first prompt of a loop: all that an agent needs to begin."""
    steps = "\n".join(
        f"{n}. {step.name}{' (done)' if step.done else ''}" for n, step in enumerate(loop.steps, 1)
    )
    gate = (
        f"0. {loop.workflow.step_zero} (record it: `GATE: <text>` in the status block)\n"
        if loop.workflow.step_zero
        else ""
    )
    must_not = "\n".join(f"- {c.name}" for c in loop.must_not)
    parts = [
        start_line(loop),
        iteration_line(loop),
        f"Spec: {clip_text(loop.spec, 3000)}",
        "Criteria:\n" + "\n".join(f"- {c.name}" for c in loop.criteria),
        f"Must not:\n{must_not}" if must_not else "",
        f"Steps:\n{gate}{steps}" if steps or gate else "",
        f"The person says: {clip_text(loop.dialogue.guidance, 1000)}"
        if loop.dialogue.guidance
        else "",
        TASK_LIST_HINT if loop.settings.has_task_list else "",
        "You work in a loop that ends only when every criterion is proven. Do what the spec says and no more.",
    ]
    return with_protocol([part for part in parts if part], reply_protocol(loop))


def continue_reason(loop: Loop) -> str:
    """Why the loop continues."""
    if loop.unmet_criteria:
        return f"unmet criteria: {', '.join(loop.unmet_criteria)}"
    if loop.objections:
        from .objections import objection_reason

        if reason := objection_reason(loop):
            return reason
    return ASSUMED_REASON if loop.assumed_criteria else NO_EXIT_REASON


def continue_prompt(loop: Loop) -> str:
    """The next prompt: why, where we are, what failed and how, what to do, how to say it is done."""
    parts = [continue_reason(loop), iteration_line(loop), f"Spec: {clip_text(loop.spec, 1200)}"]
    parts += [unmet_criterion_text(c, loop) for c in loop.criteria if not loop.is_met(c)]
    parts += [
        f'- {name}: "assumption" does not count. Verify it, then claim it again.'
        for name in loop.assumed_criteria
    ]
    parts += warning_lines(loop)
    if loop.workflow.step_zero and not loop.workflow.step_zero_note:
        parts.append(
            f"Step 0 is open: {loop.workflow.step_zero}. Record it with a line `GATE: <text>` in the status block."
        )
    if loop.dialogue.mismatched_criteria:
        parts.append(
            f"Your status block and the criteria disagree on: {', '.join(loop.dialogue.mismatched_criteria)}. Use the exact names."
        )
    parts += guidance_lines(loop)
    if loop.settings.has_task_list:
        parts.append(TASK_LIST_HINT)
    parts.append(f"Do one logical unit of work now. Next step: {clip_text(loop.next_step, 200)}")
    return with_protocol(parts, reply_protocol(loop))


def resume_text(loop: Loop) -> str:
    """For a session that comes back, in five lines."""
    following = (
        clip_text(loop.remaining_steps[0].name, 300) if loop.remaining_steps else "continue work"
    )
    return (
        "[LOOP RESUME] Active loop detected\n"
        f"Spec: {spec_summary(loop, 100)}\n"
        f"Progress: {len(loop.completed_steps)}/{len(loop.steps)} steps | Iteration: {loop.spend.iterations + 1}\n"
        f"Unmet criteria: {clip_text(', '.join(loop.unmet_criteria), 2000) or 'none'}\n"
        f"Next: {following}"
    )


def reply_protocol(loop: Loop) -> str:
    """How the agent says what it has done."""
    return claim_protocol(loop)


def final_summary(loop: Loop) -> str:
    return f"Progress: {len(loop.completed_steps)} steps complete, {len(loop.remaining_steps)} remaining"
