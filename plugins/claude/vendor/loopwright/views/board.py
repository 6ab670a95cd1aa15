"""The board: what a person wants to see of a loop at a glance. Pure; shared by status, sessions and reports."""

from __future__ import annotations

from ..core.loop import ENDED, Criterion, Loop
from ..core.wording import NEED_A_RAISE, iteration, summary
from . import executing, improving

MARKS = {"running": "▶", "asking": "?", "paused": "⏸", "finished": "✓", "cancelled": "✗", "failed": "!"}


def text(loop: Loop) -> str:
    """The loop in a dozen lines, the next command last."""
    bar = f"{sum(loop.is_met(c) for c in loop.criteria)}/{len(loop.criteria)}"
    kind, open_ones = "guards" if loop.backlog else "criteria", shown(loop)
    lines = [
        f"{MARKS[loop.status]} {loop.status}{ending(loop)}  {summary(loop, 80)}",
        f"  {spent(loop)} | {loop.spend.seconds / 60:.0f}/{loop.limits.minutes:g} min",
        *(f"  {row}" for row in ((*improving.rows(loop), improving.streaks(loop)) if loop.backlog else ())),
        *(f"  {row}" for row in (executing.rows(loop) if loop.plan else ())),
        *([f"  {kind} {bar}{':' if open_ones else ''}"] if loop.criteria or not loop.backlog else []),
        *(f"    {criterion(c, loop)}" for c in open_ones),
    ]
    if loop.forbidden:
        lines.append(f"  must not: {', '.join(c.name for c in loop.forbidden)}")
    if loop.last:
        lines.append(f"  at the end only: {', '.join(c.name for c in loop.last)}")
    if loop.objected:
        lines.append(f"  speaks against it: {', '.join(dict.fromkeys(loop.objected))} (`loop why`)")
    if loop.steps:
        lines.append(f"  steps {len(loop.completed)}/{len(loop.steps)}:")
        if loop.workflow.gate:
            lines.append(f"    {'✓' if loop.workflow.recorded else '·'} 0. {loop.workflow.gate}")
        lines += [f"    {'✓' if step.done else '·'} {n}. {step.name}" for n, step in enumerate(loop.steps, 1)]
    if loop.spend.unpriced:
        lines.append(f"  cost unknown for: {', '.join(loop.spend.unpriced)} (loop config prices.MODEL IN/OUT/READ/WRITE)")
    if loop.headless and loop.headless.waiting:
        lines.append(f"  waits for: {loop.headless.waiting}")
    lines.append(f"  driven by {loop.lease.holder or 'nobody yet'}{' (session ended)' if loop.lease.ended else ''}")
    lines.append(f"  next: {next_command(loop)}")
    return "\n".join(lines)


def shown(loop: Loop) -> list[Criterion]:
    """Of a plan with its dozens of criteria only what a person must look at: what fails, waits, or was never run by us."""
    if not loop.plan:
        return list(loop.criteria)
    return [c for c in loop.criteria if (c.proof and not c.proof.passed) or (c.check and not c.check.allowed) or not c.check]


def ending(loop: Loop) -> str:
    if loop.verdict:
        return f": {loop.verdict.name}, {'proven' if loop.verdict.proven else f'not proven: {loop.verdict.why}'}"
    return f": {loop.why}" if loop.why else ""


def spent(loop: Loop) -> str:
    line = iteration(loop).removeprefix("[LOOP] ")
    return " | ".join(line.split(" | ")[:2]) if loop.status in ENDED or loop.backlog or loop.plan else line


def criterion(c: Criterion, loop: Loop) -> str:
    met = loop.is_met(c)
    proof = c.proof
    how = ""
    if c.check and not c.check.allowed:
        how = "its check waits for `loop allow`"
    elif proof and proof.by == "loop":
        here = "" if proof.tree == loop.tree else ", on another tree"
        doubt = f"{', flaky' if c.flaky else ''}{', a guard' if c.guard and not loop.backlog else ''}"
        how = f"{'passed' if proof.passed else 'failed'} in {proof.seconds:.1f} s{here}{doubt}"
    elif proof and proof.by == "person":
        how = "confirmed by a person"
    elif c.claim and c.claim.met:
        how = f"claimed by the agent ({c.claim.kind or 'no evidence given'})"
    elif c.check:
        how = "not run yet"
    shown = f"  ← {c.check.line}" if c.check else ""
    return f"{'✓' if met else '✗'} {c.name}{shown}{f'  ({how})' if how else ''}"


def next_command(loop: Loop) -> str:
    if loop.status == "paused":
        return f"`loop continue{f' {NEED_A_RAISE[loop.cause]}=N' if loop.cause in NEED_A_RAISE else ''}`   (why: `loop why`)"
    if loop.status == "asking" and loop.gate:
        return f"`loop answer TEXT`   ({loop.gate.name}: {loop.gate.question})"
    if loop.status == "running":
        if not loop.lease.holder:
            return "open your agent in this folder, its next prompt here drives the loop; or: `loop run`"
        return "`loop pause`, `loop cancel`" if not loop.lease.ended else "resume the session, or: `loop attach`, `loop run`"
    return "`loop history`"
