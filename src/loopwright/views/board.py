"""The board: a loop at a glance, for status, sessions and reports. Pure."""

from __future__ import annotations

from ..core.loop import Lease, Loop
from ..core.prompts.end_screen import is_shown
from ..core.prompts.end_words import end_text
from ..core.prompts.messages import resume_command
from ..core.prompts.parts import iteration_line, spec_summary
from ..core.prompts.phrases import time_ago
from ..core.status import ENDED
from .clock import clock_time
from .criterion_rows import STEP_MARKS, criteria_to_show, criterion_line
from .rows import join_names, prefix_rows

STATUS_MARKS = {"running": "▶", "asking": "?", "paused": "⏸", "finished": "✓", "cancelled": "✗"}
COMMAND_AGENT = "the command"  # of --agent-command: it tells no tokens, so no price helps
RUNNER_GONE = "its runner is gone. Go on: `loop run`. In a session: `loop attach`"
ON_BOARD = ("Steps", "Criteria")  # parts of a question that the board shows anyway


def text(loop: Loop, session: str = "", now: float = 0.0) -> str:
    """The loop in a dozen lines; the last one names the next command.

    `session` is the one that asks, if a session does; `now` tells how long ago another one ended.
    """
    minutes = f"{loop.spend.seconds / 60:.0f}/{loop.limits.minutes:g} min"
    mark, outcome = STATUS_MARKS[loop.status], outcome_suffix(loop)
    between = "\n  " if outcome else "  "
    lines = [
        f"{mark} {loop.status}{outcome}{between}{spec_summary(loop, 80)}",
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
    lines += prefix_rows("  ", (*_demand_rows(loop), *_strength_rows(loop)))
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
    if is_driven(loop):
        lines.append(f"  driven by {driver_text(loop.lease, session, now)}")
    lines += prefix_rows("  ", _question_rows(loop))
    lines.append(f"  next: {next_command(loop)}")
    return "\n".join(lines)


def is_driven(loop: Loop) -> bool:
    """May something drive it? A runner has left a loop that is paused."""
    has_left = loop.status == "paused" and loop.lease.holder.startswith("runner:")
    return loop.status not in ENDED and not has_left


def driver_text(lease: Lease, session: str = "", now: float = 0.0) -> str:
    """Who drives the loop, without ids; `session` is the session that asks."""
    if not lease.holder:
        return "no session yet: your next prompt in this folder drives it"
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
    met = sum(is_shown(c, loop) for c in loop.criteria)
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


def _strength_rows(loop: Loop) -> list[str]:
    if not loop.settings.strength_mode:
        return []
    from ..core.prompts.thin_work import strength_lines

    return strength_lines(loop)


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


def _question_rows(loop: Loop) -> list[str]:
    """What the open question is about, where it is not on the board already."""
    if not loop.gate:
        return []
    from .gate_content import gate_rows

    return gate_rows(loop, ON_BOARD)


def outcome_suffix(loop: Loop) -> str:
    """The same after the status of the loop."""
    text = outcome_text(loop)
    return f"{', ' if loop.verdict else ': '}{text}" if text else ""


def outcome_text(loop: Loop) -> str:
    """How the loop ended, or the reason of its pause."""
    return end_text(loop.verdict) if loop.verdict else loop.pause.why


def spend_line(loop: Loop) -> str:
    """Iteration and cost; the next step too, where the loop has steps and still works on them."""
    line = iteration_line(loop).removeprefix("[LOOP] ")
    if loop.status in ENDED or loop.backlog or loop.plan:
        return " | ".join(line.split(" | ")[:2])
    return line


def next_command(loop: Loop) -> str:
    """The command that a person types next."""
    if loop.status == "paused":
        return f"{resume_command(loop, loop.pause.cause)}   (why: `loop why`)"
    if loop.status == "asking" and loop.gate and loop.gate.name == "rule":
        from ..core.prompts.disputes import rule_command

        return f"{rule_command(loop.gate.listed)}   ({loop.gate.question})"
    if loop.status == "asking" and loop.gate:
        return f"`loop answer TEXT`   ({loop.gate.question})"
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
