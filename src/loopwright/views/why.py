"""Why: what the loop is waiting for, which counter stands where, and what was claimed and refuted."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.plan.plan import Plan
from ..core.prompts import objections
from ..core.prompts.messages import continue_reason
from ..core.prompts.phrases import count_phrase
from . import discovery_board


def text(loop: Loop) -> str:
    lines = [headline(loop), *counter_rows(loop)]
    for c in loop.criteria:
        if c.name in loop.unmet_criteria and c.proof and c.proof.by == "loop":
            lines += [f"{c.name}: {c.proof.outcome} {c.proof.code}, output in .loop/{c.proof.log}"]
            lines += [f"    {line}" for line in c.proof.detail.splitlines()[-12:]]
    if loop.backlog:
        lines += discovery_board.rows(loop)
    if loop.plan:
        lines += _attempt_rows(loop.plan)
    if loop.objections:
        lines += [
            "speaks against the last claim (take one as it is: `loop accept`):",
            *objections.objection_lines(loop)[1:],
        ]
    if loop.dialogue.refuted_claims:
        lines.append(f"claims refuted so far: {loop.dialogue.refuted_claims}")
    if loop.dialogue.mismatched_criteria:
        lines.append(
            f"status block and criteria disagree on: {', '.join(loop.dialogue.mismatched_criteria)}"
        )
    if loop.dialogue.errors:
        lines += ["errors met:", *(f"    {error}" for error in loop.dialogue.errors[-5:])]
    if loop.spend.unread_bytes:
        lines.append(
            f"{loop.spend.unread_bytes} bytes of transcript not read yet: the cost shown is too low"
        )
    return "\n".join(lines)


def _attempt_rows(plan: Plan) -> list[str]:
    """Each task that failed, how often, and on what."""
    rows = []
    for failed in plan.failures:
        rows.append(
            f"task {failed.task}: failed {count_phrase(failed.times, 'time')} of {plan.retries + 1}"
        )
        rows += [f"    {line}" for line in failed.error.splitlines()[:6]]
    return [
        *rows,
        *(
            f"gap {gap.key}: {gap.text} (tried {gap.tries} of {max(1, plan.retries)})"
            for gap in plan.gaps
        ),
    ]


def headline(loop: Loop) -> str:
    if loop.status == "running":
        return f"running: {continue_reason(loop)}"
    if loop.status == "asking" and loop.gate:
        return f"waiting for a person ({loop.gate.name}): {loop.gate.question}"
    if loop.verdict:
        return f"{loop.status}: {loop.verdict.name}{'' if loop.verdict.proven else ' (not proven)'} {loop.verdict.why}"
    return f"{loop.status}: {loop.pause.why}" if loop.pause.why else loop.status


def counter_rows(loop: Loop) -> list[str]:
    s, limit = loop.streak, loop.limits
    rows = [
        ("stuck", s.stuck, limit.stuck),
        ("same error", s.same_error, limit.same_error),
        ("same file", s.same_file, limit.same_file),
        ("idle" if loop.backlog else "idle talk", s.idle, limit.idle),
        *([("dry", s.dry, limit.dry)] if loop.backlog else []),
        *([("rounds", loop.plan.fix_rounds, loop.plan.max_fix_rounds)] if loop.plan else []),
        ("iterations", loop.spend.iterations, limit.iterations),
        ("dollars", round(loop.spend.dollars, 2), limit.dollars),
        ("minutes", round(loop.spend.seconds / 60, 1), limit.minutes),
    ]
    return [f"  {name:<11} {value:g}/{most:g}" for name, value, most in rows]
