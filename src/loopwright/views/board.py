"""The board: a loop at a glance, for status, sessions and reports. Pure."""

from __future__ import annotations

from ..core.criteria import Criterion, Evidence
from ..core.loop import Lease, Loop
from ..core.prompts.messages import resume_command
from ..core.prompts.parts import iteration_line, spec_summary
from ..core.prompts.phrases import time_ago
from ..core.status import ENDED
from .clock import clock_time
from .rows import join_names, prefix_rows

STATUS_MARKS = {"running": "▶", "asking": "?", "paused": "⏸", "finished": "✓", "cancelled": "✗"}
COMMAND_AGENT = "the command"  # of --agent-command: it tells no tokens, so no price helps
RUNNER_GONE = "its runner is gone. Go on: `loop run`. In a session: `loop attach`"
STEP_MARKS = {True: "✓", False: "·"}


def text(loop: Loop, session: str = "", now: float = 0.0) -> str:
    """The loop in a dozen lines; the last one names the next command.

    `session` is the one that asks, if a session does; `now` tells how long ago another one ended.
    """
    minutes = f"{loop.spend.seconds / 60:.0f}/{loop.limits.minutes:g} min"
    mark = STATUS_MARKS[loop.status]
    lines = [
        f"{mark} {loop.status}{outcome_suffix(loop)}  {spec_summary(loop, 80)}",
        f"  {spend_line(loop)} | {minutes}",
        *prefix_rows("  ", _progress_rows(loop)),
        *prefix_rows("  ", _criteria_rows(loop)),
    ]
    if loop.must_not:
        lines.append(f"  must not: {join_names(loop.must_not)}")
    if loop.final_checks:
        lines.append(f"  at the end only: {join_names(loop.final_checks)}")
    if loop.unrequired_checks:
        names = join_names(loop.unrequired_checks)
        lines.append(f"  did not pass before the start, not required: {names}")
    if loop.objections:
        names = ", ".join(dict.fromkeys(loop.objections))
        lines.append(f"  speaks against it: {names} (`loop why`)")
    lines += prefix_rows("  ", _demand_rows(loop))
    lines += prefix_rows("  ", _step_rows(loop))
    if loop.spend.unpriced:
        models = ", ".join(loop.spend.unpriced)
        hint = " (loop config prices.MODEL IN/OUT/READ/WRITE)" if models != COMMAND_AGENT else ""
        lines.append(f"  cost unknown for: {models}{hint}")
    run = loop.headless_run
    if run and run.waiting_reason:
        lines.append(f"  waits until {clock_time(run.waiting_until)}: {run.waiting_reason}")
    if loop.waits_for_person:
        lines.append("  waits for you: you interrupted the agent, and the turn is yours")
    if loop.status not in ENDED:
        lines.append(f"  driven by {driver_text(loop.lease, session, now)}")
    lines.append(f"  next: {next_command(loop)}")
    return "\n".join(lines)


def driver_text(lease: Lease, session: str = "", now: float = 0.0) -> str:
    """Who drives the loop, without ids; `session` is the session that asks."""
    if not lease.holder:
        return "no session yet: the next prompt in this folder takes it"
    if lease.holder.startswith("runner:"):
        return "`loop run`"
    if lease.holder == session:
        return "this session"
    name = "another session" if session else "a session"
    if not lease.session_ended:
        return name
    ago = f" {time_ago(now - lease.ended_at)}" if now and lease.ended_at else ""
    return f"{name}, ended{ago}"


def _progress_rows(loop: Loop) -> list[str]:
    """The rows that only a discovery loop or a plan loop has."""
    rows = []
    if loop.backlog:
        from . import discovery_board

        rows += [*discovery_board.rows(loop), discovery_board.streak_line(loop)]
    if loop.plan:
        from . import plan_board

        rows += plan_board.rows(loop)
    return rows


def _criteria_rows(loop: Loop) -> list[str]:
    if loop.backlog and not loop.criteria:
        return []
    kind = "guards" if loop.backlog else "criteria"
    met = sum(map(loop.is_met, loop.criteria))
    head = f"{kind} {met}/{len(loop.criteria)}"
    shown = criteria_to_show(loop)
    if not shown:
        return [head]
    return [f"{head}:", *(f"  {criterion_line(c, loop)}" for c in shown)]


def _demand_rows(loop: Loop) -> list[str]:
    if not loop.demands:
        return []
    from ..core.prompts.demands import board_lines

    return ["demands of the spec:", *prefix_rows("  ", board_lines(loop))]


def _step_rows(loop: Loop) -> list[str]:
    if not loop.steps:
        return []
    rows = [f"steps {len(loop.completed_steps)}/{len(loop.steps)}:"]
    if loop.workflow.step_zero:
        mark = STEP_MARKS[bool(loop.workflow.step_zero_note)]
        rows.append(f"  {mark} 0. {loop.workflow.step_zero}")
    for number, step in enumerate(loop.steps, 1):
        rows.append(f"  {STEP_MARKS[step.done]} {number}. {step.name}")
    return rows


def criteria_to_show(loop: Loop) -> list[Criterion]:
    """All criteria; of a plan with its dozens only those that a person must look at."""
    if not loop.plan:
        return list(loop.criteria)
    return [c for c in loop.criteria if _needs_attention(c)]


def _needs_attention(c: Criterion) -> bool:
    """It fails, waits for a person, or has no check."""
    if not c.check or not c.check.allowed:
        return True
    return bool(c.proof and not c.proof.passed)


def outcome_suffix(loop: Loop) -> str:
    """The verdict of the loop, or the reason of its pause, after a colon."""
    verdict = loop.verdict
    if verdict and verdict.proven:
        return f": {verdict.name}, {verdict.grade_text}"
    if verdict:
        return f": {verdict.name}, not proven: {verdict.why}"
    return f": {loop.pause.why}" if loop.pause.why else ""


def spend_line(loop: Loop) -> str:
    """Iteration and cost; the next step too, where the loop has steps and still works on them."""
    line = iteration_line(loop).removeprefix("[LOOP] ")
    if loop.status in ENDED or loop.backlog or loop.plan:
        return " | ".join(line.split(" | ")[:2])
    return line


def criterion_line(c: Criterion, loop: Loop) -> str:
    """A criterion, whether it is met, its command and its last result."""
    mark = "✓" if loop.is_met(c) else "✗"
    command = f"  ← {c.check.command_line}" if c.check else ""
    line = f"{mark} {c.name}{command}"
    result = _result_text(c, loop)
    if c.name in loop.disputed_criteria:
        result = f"{result}, disputed by the agent".removeprefix(", ")
    return f"{line}  ({result})" if result else line


def _result_text(c: Criterion, loop: Loop) -> str:
    if c.check and not c.check.allowed:
        return "its check waits for `loop allow`"
    if c.proof and c.proof.by == "loop":
        return _check_result(c, c.proof, loop)
    if c.proof and c.proof.by == "person":
        return "confirmed by a person"
    if c.claim and c.claim.met:
        return f"claimed by the agent ({c.claim.kind or 'no evidence given'})"
    return "not run yet" if c.check else ""


def _check_result(c: Criterion, proof: Evidence, loop: Loop) -> str:
    result = f"{'passed' if proof.passed else 'failed'} in {proof.seconds:.1f} s"
    if proof.tree != loop.tree:
        result += ", on another tree"
    if c.flaky:
        result += ", flaky"
    if c.guard and not loop.backlog:
        result += ", a guard"
    return result


def next_command(loop: Loop) -> str:
    """The command that a person types next."""
    if loop.status == "paused":
        return f"{resume_command(loop, loop.pause.cause)}   (why: `loop why`)"
    if loop.status == "asking" and loop.gate and loop.gate.name == "rule":
        from ..core.prompts.disputes import rule_command

        return f"{rule_command(loop.gate.listed)}   ({loop.gate.question})"
    if loop.status == "asking" and loop.gate:
        return f"`loop answer TEXT`   ({loop.gate.name}: {loop.gate.question})"
    if loop.status != "running":
        return "`loop history`"
    if not loop.lease.holder:
        return (
            "open your agent in this folder, its next prompt here drives the loop; or: `loop run`"
        )
    if loop.waits_for_person:
        return '`loop continue`, or begin a prompt with "continue"'
    if loop.lease.session_ended:
        return "resume the session, or: `loop attach`, `loop run`"
    return "`loop pause`, `loop cancel`"
