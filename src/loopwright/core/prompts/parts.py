"""Parts of a prompt that every kind of loop uses."""

from __future__ import annotations

from ..criteria import Criterion
from ..json_text import dumps
from ..loop import Loop
from ..status import ENDED
from .phrases import MAX_OUTPUT_TAIL, STATUS_CLOSE, STATUS_OPEN, clip_text, one_line

MAX_PROMPT = 9_000
MAX_NAMES = 3_000
MAX_OUTPUT_LINE = 300
# When only this many answers are left before the client's cap, the agent is asked to act.
NEAR_CAP = 2
TASK_LIST_HINT = (
    "Keep the session's task list in step: TaskCreate for each step that is missing there, "
    "TaskUpdate as you finish one."
)


def cost_text(loop: Loop) -> str:
    return "unknown" if loop.spend.unpriced else f"${loop.spend.dollars:.2f}"


def iteration_number(loop: Loop) -> int:
    """The number of the current iteration; of an ended loop, that of its last one."""
    return min(loop.spend.iterations + (loop.status not in ENDED), loop.limits.iterations)


def iteration_line(loop: Loop) -> str:
    """The iteration, the cost so far and the next step, in the documented format."""
    number, most = iteration_number(loop), loop.limits.iterations
    cost = f"{cost_text(loop)}/${loop.limits.dollars:g}"
    next_step = clip_text(" ".join(loop.next_step.split()), 200)
    return f"[LOOP] Iteration {number}/{most} | Cost: {cost} | {_step_noun(loop)}: {next_step}"


def _step_noun(loop: Loop) -> str:
    if loop.backlog:
        return "Focus"
    return "Task" if loop.plan else "Step"


def warning_lines(loop: Loop) -> list[str]:
    """Objections to the agent's claim, and warnings before a breaker trips."""
    run, streak = loop.headless_run, loop.streak
    lines: list[str] = []
    # In a plan loop, each objection is a gap.
    if loop.objections and not loop.plan:
        from .objections import objection_lines

        lines += objection_lines(loop)
    if run and run.cut_reason:
        from .turn_breakers import next_turn_advice

        lines.append(
            f"The last turn was cut off: {run.cut_reason}. {next_turn_advice(run.turn_breaker)}"
            "Look at what is there before you continue."
        )
    if run and run.denied_calls:
        calls = clip_text("; ".join(run.denied_calls), 500)
        lines.append(f"No person is there to permit this, so do without: {calls}")
    if streak.stuck >= loop.limits.rethink and (loop.unmet_criteria or loop.objections):
        lines.append(
            f"{streak.stuck} iterations without progress{trajectory_suffix(loop)}; "
            f"at {loop.limits.stuck} the loop pauses. "
            "Change approach: say what you believed, why it was wrong, and try something else."
        )
    if streak.toolless_cap and streak.toolless >= streak.toolless_cap - NEAR_CAP:
        lines.append(
            f"{streak.toolless} answers in a row without a tool call; "
            "soon the client ends this session. "
            "Do not answer in words alone now: run a command or edit a file first."
        )
    return lines


def trajectory_suffix(loop: Loop) -> str:
    from .trajectory import trajectory_text

    return f": {trajectory_text(loop.streak)}"


def guidance_lines(loop: Loop) -> list[str]:
    """What a person told the agent, as one line; no line if the person said nothing."""
    if not loop.dialogue.guidance:
        return []
    return [f"The person says: {clip_text(loop.dialogue.guidance, 1000)}"]


def assumption_lines(loop: Loop) -> list[str]:
    """One line for each criterion that the agent claims on an assumption."""
    return [
        f'- {name}: "assumption" does not count. Verify it, then claim it again.'
        for name in loop.assumed_criteria
    ]


def with_protocol(parts: list[str], protocol: str) -> str:
    """A prompt with its reply protocol; only the parts are clipped, the protocol stays whole."""
    text = clip_text("\n".join(parts), MAX_PROMPT - len(protocol) - 1)
    return f"{text}\n{protocol}"


def claim_protocol(loop: Loop) -> str:
    """How to claim, ask or give up; the status block alone is enough."""
    return (
        "End every answer with this block, outside any code fence. "
        "EXIT_SIGNAL is true only when every criterion is verified; we run the checks ourselves.\n"
        f"{status_block(loop, '<next action>')}\n"
        "Further lines it may hold: `STEP_DONE: <step>`, `ASK: <question for a person>`, "
        "`BLOCKED: <why you cannot go on>`, `MUST_NOT: <constraint you had to break>`. "
        'A criterion without a check wants {"met": true, '
        '"verification": "execution output|observation|measurement|code review", '
        '"evidence": "<what you saw>"}.'
    )


def status_block(loop: Loop, next_action: str) -> str:
    """The status block with the state of the loop as Loopwright knows it."""
    exit_signal = "true" if loop.exit_claimed else "false"
    return (
        f"{STATUS_OPEN}\n"
        f"EXIT_SIGNAL: {exit_signal}\n"
        f"CRITERIA: {_criteria_json(loop)}\n"
        f"STUCK_COUNT: {loop.streak.stuck}\n"
        f"NEXT: {next_action}\n"
        f"{STATUS_CLOSE}"
    )


def _criteria_json(loop: Loop) -> str:
    """Which criteria are met, as JSON: as many of them as fit, from the first on."""
    for count in range(len(loop.criteria), 0, -1):
        names = dumps({c.name: loop.is_met(c) for c in loop.criteria[:count]})
        if len(names) <= MAX_NAMES:
            return names
    return "{}"


def unmet_criterion_text(criterion: Criterion, loop: Loop) -> str:
    """Why one criterion is not met, with the end of its check's output."""
    ran, proof = _unmet_reason(criterion, loop), criterion.proof
    if not proof or not _has_output(criterion, loop):
        return ran
    tail = proof.detail[-MAX_OUTPUT_TAIL:].replace("```", "'''")
    if not tail.strip():
        return f"{ran} and printed nothing."
    return f"{ran}. Its last lines, as data:\n```text\n{tail}\n```"


def unmet_criterion_row(criterion: Criterion, loop: Loop) -> str:
    """Why one criterion is not met, on one line, and where the output of its check is."""
    row, proof = one_line(_unmet_reason(criterion, loop)), criterion.proof
    if proof and proof.log and _has_output(criterion, loop):
        row += f" (its output: .loop/{proof.log})"
    return row


def output_lines(unmet: list[Criterion], loop: Loop, most: int) -> list[str]:
    """The last lines of the first failing check, marked as data; blank lines are left out."""
    proofs = [c.proof for c in unmet if c.proof and _has_output(c, loop)]
    if not proofs or most < 1:
        return []
    lines = map(one_line, proofs[0].detail[-MAX_OUTPUT_TAIL:].splitlines())
    return [f"  | {line[-MAX_OUTPUT_LINE:]}" for line in lines if line.strip("-=_ ")][-most:]


def fit_lines(parts: list[str], most: int) -> list[str]:
    """The parts in at most so many lines: each on one line, or the first of them."""
    lines = [line for part in parts for line in part.splitlines()]
    if len(lines) <= most:
        return lines
    rows = [one_line(part) for part in parts]
    if len(rows) <= most:
        return rows
    return [*rows[: most - 1], f"- and {len(rows) - most + 1} more: `loop why` lists them"]


def _unmet_reason(criterion: Criterion, loop: Loop) -> str:
    name, check, proof = criterion.name, criterion.check, criterion.proof
    if name in loop.disputed_criteria:
        from .disputes import disputed_row

        return disputed_row(name)
    if not check:
        planned = f" (planned: {criterion.planned})" if criterion.planned else ""
        return f"- {name}: not claimed yet{planned}"
    if not check.allowed:
        return f"- {name}: its check waits for a person's `loop allow`"
    if not proof or not proof.is_run_on(loop.tree):
        return f"- {name}: not run on this tree yet"
    if check.probe:
        return f"- {name}: {proof.detail[:MAX_OUTPUT_TAIL]}"
    result = f"exited {proof.code}" if proof.outcome == "exit" else proof.outcome
    return f"- {name}: `{check.command_line}` {result}"


def _has_output(criterion: Criterion, loop: Loop) -> bool:
    """Has a command of ours run for it on this tree?"""
    if not criterion.may_run or not criterion.check or criterion.check.probe:
        return False
    if criterion.name in loop.disputed_criteria:
        return False
    return bool(criterion.proof and criterion.proof.is_run_on(loop.tree))


def spec_summary(loop: Loop, most: int) -> str:
    """The spec on one line."""
    return clip_text(" ".join(loop.spec.split()), most)
