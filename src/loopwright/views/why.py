"""`loop why`: what the loop waits for, its counters, and the claims that were refuted."""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.loop import Loop
from ..core.plan.plan import Plan
from ..core.prompts import objections
from ..core.prompts.demands import board_lines
from ..core.prompts.messages import continue_reason
from ..core.prompts.parts import iteration_number
from ..core.prompts.phrases import count_phrase
from ..core.prompts.thin_work import strength_lines
from . import discovery_board
from .board import outcome_suffix
from .clock import clock_time
from .rows import prefix_rows

MAX_OUTPUT_LINES, MAX_ERROR_LINES, MAX_ERRORS = 12, 6, 5


def text(loop: Loop) -> str:
    """The whole answer of `loop why`."""
    dialogue = loop.dialogue
    lines = [headline(loop), *counter_rows(loop)]
    for c in loop.criteria:
        if c.name in loop.unmet_criteria:
            lines += _output_rows(c)
    if loop.backlog:
        lines += discovery_board.rows(loop)
    if loop.plan:
        lines += _attempt_rows(loop.plan)
    if loop.objections:
        lines.append("speaks against the last claim (take one as it is: `loop accept`):")
        # The first line is an instruction to the agent.
        lines += objections.objection_lines(loop)[1:]
    if loop.demands:
        lines += ["demands of the spec:", *prefix_rows("    ", board_lines(loop))]
    lines += strength_lines(loop)
    if dialogue.refuted_claims:
        lines.append(f"claims refuted so far: {dialogue.refuted_claims}")
    if dialogue.mismatched_criteria:
        names = ", ".join(dialogue.mismatched_criteria)
        lines.append(f"status block and criteria disagree on: {names}")
    if dialogue.errors:
        lines += ["errors met:", *prefix_rows("    ", dialogue.errors[-MAX_ERRORS:])]
    if loop.spend.unread_bytes:
        lines.append(
            f"{loop.spend.unread_bytes} bytes of transcript not read yet: the cost shown is too low"
        )
    return "\n".join(lines)


def _output_rows(c: Criterion) -> list[str]:
    """How the check of an unmet criterion ended, with the end of its output."""
    proof = c.proof
    if not proof or proof.by != "loop":
        return []
    return [
        f"{c.name}: {proof.result_text}, output in .loop/{proof.log}",
        *prefix_rows("    ", proof.detail.splitlines()[-MAX_OUTPUT_LINES:]),
    ]


def _attempt_rows(plan: Plan) -> list[str]:
    """Each failed task with its number of attempts and last error, then the gaps."""
    rows = []
    for failure in plan.failures:
        times = count_phrase(failure.times, "time")
        rows.append(f"task {failure.task}: failed {times} of {plan.retries + 1}")
        rows += prefix_rows("    ", failure.error.splitlines()[:MAX_ERROR_LINES])
    most = max(1, plan.retries)
    rows += [f"gap {gap.key}: {gap.text} (tried {gap.tries} of {most})" for gap in plan.gaps]
    return rows


def headline(loop: Loop) -> str:
    """The status of the loop and its reason, on one line."""
    if loop.waits_for_person:
        return "running: waits for you, because you interrupted the agent. Go on: `loop continue`"
    run = loop.headless_run
    if loop.status == "running" and run and run.waiting_reason:
        return f"running: waits until {clock_time(run.waiting_until)}: {run.waiting_reason}"
    if loop.status == "running" and loop.plan:
        return f"running: {_plan_text(loop.plan)}"
    if loop.status == "running":
        return f"running: {continue_reason(loop)}"
    if loop.status == "asking" and loop.gate:
        return f"waiting for a person: {loop.gate.question}"
    return f"{loop.status}{outcome_suffix(loop)}"


def _plan_text(plan: Plan) -> str:
    """What is worked on, and how far the plan is."""
    names = sorted(lane.task for lane in plan.lanes) or list(plan.assigned)
    now = f"works on {', '.join(names)}; " if names else ""
    return f"{now}{len(plan.done)} of {count_phrase(len(plan.tasks), 'task')} done"


def counter_rows(loop: Loop) -> list[str]:
    """Each counter of the loop and its limit."""
    streak, spend, limit = loop.streak, loop.spend, loop.limits
    rows: list[tuple[str, float, float]] = [
        ("stuck", streak.stuck + streak.stuck_half / 2, limit.stuck),
        ("same error", streak.same_error, limit.same_error),
        ("same file", streak.same_file, limit.same_file),
        ("idle" if loop.backlog else "idle talk", streak.idle, limit.idle),
    ]
    if loop.backlog:
        rows.append(("dry", streak.dry, limit.dry))
    if loop.plan:
        rows.append(("rounds", loop.plan.fix_rounds, loop.plan.max_fix_rounds))
    rows += [
        ("iteration", iteration_number(loop), limit.iterations),
        ("dollars", round(spend.dollars, 2), limit.dollars),
        ("minutes", round(spend.seconds / 60, 1), limit.minutes),
    ]
    return [f"  {name:<11} {value:g}/{most:g}" for name, value, most in rows]
