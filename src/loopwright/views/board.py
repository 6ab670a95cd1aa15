"""The board: what a person wants to see of a loop at a glance. Pure; shared by status, sessions and reports."""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.loop import Loop
from ..core.prompts.messages import RAISE_FLAGS
from ..core.prompts.parts import iteration_line, spec_summary
from ..core.status import ENDED
from . import discovery_board, plan_board

STATUS_MARKS = {"running": "▶", "asking": "?", "paused": "⏸", "finished": "✓", "cancelled": "✗"}


def text(loop: Loop) -> str:
    """The loop in a dozen lines, the next command last."""
    bar = f"{sum(loop.is_met(c) for c in loop.criteria)}/{len(loop.criteria)}"
    kind, open_ones = "guards" if loop.backlog else "criteria", criteria_to_show(loop)
    lines = [
        f"{STATUS_MARKS[loop.status]} {loop.status}{outcome_suffix(loop)}  {spec_summary(loop, 80)}",
        f"  {spend_line(loop)} | {loop.spend.seconds / 60:.0f}/{loop.limits.minutes:g} min",
        *(
            f"  {row}"
            for row in (
                (*discovery_board.rows(loop), discovery_board.streak_line(loop))
                if loop.backlog
                else ()
            )
        ),
        *(f"  {row}" for row in (plan_board.rows(loop) if loop.plan else ())),
        *(
            [f"  {kind} {bar}{':' if open_ones else ''}"]
            if loop.criteria or not loop.backlog
            else []
        ),
        *(f"    {criterion_line(c, loop)}" for c in open_ones),
    ]
    if loop.must_not:
        lines.append(f"  must not: {', '.join(c.name for c in loop.must_not)}")
    if loop.final_checks:
        lines.append(f"  at the end only: {', '.join(c.name for c in loop.final_checks)}")
    if loop.objections:
        lines.append(
            f"  speaks against it: {', '.join(dict.fromkeys(loop.objections))} (`loop why`)"
        )
    if loop.steps:
        lines.append(f"  steps {len(loop.completed_steps)}/{len(loop.steps)}:")
        if loop.workflow.step_zero:
            lines.append(
                f"    {'✓' if loop.workflow.step_zero_note else '·'} 0. {loop.workflow.step_zero}"
            )
        lines += [
            f"    {'✓' if step.done else '·'} {n}. {step.name}"
            for n, step in enumerate(loop.steps, 1)
        ]
    if loop.spend.unpriced:
        lines.append(
            f"  cost unknown for: {', '.join(loop.spend.unpriced)} (loop config prices.MODEL IN/OUT/READ/WRITE)"
        )
    if loop.headless_run and loop.headless_run.waiting_reason:
        lines.append(f"  waits for: {loop.headless_run.waiting_reason}")
    lines.append(
        f"  driven by {loop.lease.holder or 'nobody yet'}{' (session ended)' if loop.lease.session_ended else ''}"
    )
    lines.append(f"  next: {next_command(loop)}")
    return "\n".join(lines)


def criteria_to_show(loop: Loop) -> list[Criterion]:
    """Of a plan with its dozens of criteria only what a person must look at: what fails, waits, or was never run by us."""
    if not loop.plan:
        return list(loop.criteria)
    return [
        c
        for c in loop.criteria
        if (c.proof and not c.proof.passed) or (c.check and not c.check.allowed) or not c.check
    ]


def outcome_suffix(loop: Loop) -> str:
    if loop.verdict:
        return f": {loop.verdict.name}, {'proven' if loop.verdict.proven else f'not proven: {loop.verdict.why}'}"
    return f": {loop.pause.why}" if loop.pause.why else ""


def spend_line(loop: Loop) -> str:
    line = iteration_line(loop).removeprefix("[LOOP] ")
    return (
        " | ".join(line.split(" | ")[:2])
        if loop.status in ENDED or loop.backlog or loop.plan
        else line
    )


def criterion_line(c: Criterion, loop: Loop) -> str:
    met = loop.is_met(c)
    proof = c.proof
    how = ""
    if c.check and not c.check.allowed:
        how = "its check waits for `loop allow`"
    elif proof and proof.by == "loop":
        here = "" if proof.tree == loop.tree else ", on another tree"
        doubt = (
            f"{', flaky' if c.flaky else ''}{', a guard' if c.guard and not loop.backlog else ''}"
        )
        how = f"{'passed' if proof.passed else 'failed'} in {proof.seconds:.1f} s{here}{doubt}"
    elif proof and proof.by == "person":
        how = "confirmed by a person"
    elif c.claim and c.claim.met:
        how = f"claimed by the agent ({c.claim.kind or 'no evidence given'})"
    elif c.check:
        how = "not run yet"
    shown = f"  ← {c.check.command_line}" if c.check else ""
    return f"{'✓' if met else '✗'} {c.name}{shown}{f'  ({how})' if how else ''}"


def next_command(loop: Loop) -> str:
    if loop.status == "paused":
        return f"`loop continue{f' {RAISE_FLAGS[loop.pause.cause]}=N' if loop.pause.cause in RAISE_FLAGS else ''}`   (why: `loop why`)"
    if loop.status == "asking" and loop.gate:
        return f"`loop answer TEXT`   ({loop.gate.name}: {loop.gate.question})"
    if loop.status == "running":
        if not loop.lease.holder:
            return "open your agent in this folder, its next prompt here drives the loop; or: `loop run`"
        return (
            "`loop pause`, `loop cancel`"
            if not loop.lease.session_ended
            else "resume the session, or: `loop attach`, `loop run`"
        )
    return "`loop history`"
