"""Parts of a prompt that every kind of loop uses."""

from __future__ import annotations

from ..criteria import Criterion
from ..json_text import dumps
from ..loop import Loop
from ..status import ENDED
from .phrases import MAX_OUTPUT_TAIL, STATUS_CLOSE, STATUS_OPEN, clip_text

MAX_PROMPT = 9_000
MAX_NAMES = 3_000
NEAR_CAP = 2  # so many answers before the client's cap, the agent is asked to act
TASK_LIST_HINT = "Keep the session's task list in step: TaskCreate for each step that is missing there, TaskUpdate as you finish one."


def cost_text(loop: Loop) -> str:
    return "unknown" if loop.spend.unpriced else f"${loop.spend.dollars:.2f}"


def iteration_line(loop: Loop) -> str:
    number = min(loop.spend.iterations + (loop.status not in ENDED), loop.limits.iterations)
    cost, word = (
        f"{cost_text(loop)}/${loop.limits.dollars:g}",
        "Focus" if loop.backlog else "Task" if loop.plan else "Step",
    )
    following = clip_text(" ".join(loop.next_step.split()), 200)
    return (
        f"[LOOP] Iteration {number}/{loop.limits.iterations} | Cost: {cost} | {word}: {following}"
    )


def warning_lines(loop: Loop) -> list[str]:
    """What speaks against its claim, and what it hears before a breaker trips."""
    found, run = [], loop.headless_run
    if loop.objections and not loop.plan:  # there each is a gap
        from .objections import objection_lines

        found += objection_lines(loop)
    if run and run.cut_reason:
        found.append(
            f"The last turn was cut off: {run.cut_reason}. Look at what is there before you go on."
        )
    if run and run.denied_calls:
        found.append(
            f"Nobody is there to permit this, so do without: {clip_text('; '.join(run.denied_calls), 500)}"
        )
    if loop.streak.stuck >= loop.limits.rethink:
        found.append(
            f"{loop.streak.stuck} iterations without progress{trajectory_suffix(loop)}; at {loop.limits.stuck} the loop pauses. "
            "Change approach: say what you believed, why it was wrong, and try something else."
        )
    if loop.streak.toolless_cap and loop.streak.toolless >= loop.streak.toolless_cap - NEAR_CAP:
        found.append(
            f"{loop.streak.toolless} answers in a row without a tool call; soon nobody can hold this session any longer. "
            "Do not answer in words alone now: run a command or edit a file first."
        )
    return found


def trajectory_suffix(loop: Loop) -> str:
    from ..trajectory import trajectory_text

    return f": {trajectory_text(loop.streak)}"


def guidance_lines(loop: Loop) -> list[str]:
    return (
        [f"The person says: {clip_text(loop.dialogue.guidance, 1000)}"]
        if loop.dialogue.guidance
        else []
    )


def with_protocol(parts: list[str], protocol: str) -> str:
    """A prompt, cut where it must be so that the instructions how to answer are always whole."""
    text = clip_text("\n".join(parts), MAX_PROMPT - len(protocol) - 1)
    return f"{text}\n{protocol}"


def claim_protocol(loop: Loop) -> str:
    """How to claim, ask, or give up honestly; the block alone suffices."""
    return (
        "End every answer with this block, outside any code fence. EXIT_SIGNAL is true only when every criterion is "
        f"verified; we run the checks ourselves.\n{status_block(loop, '<next action>')}\n"
        "Further lines it may hold: `STEP_DONE: <step>`, `ASK: <question for a person>`, `BLOCKED: <why you cannot go on>`, "
        "`MUST_NOT: <constraint you had to break>`. "
        'A criterion without a check wants {"met": true, "verification": "execution output|observation|measurement|code review", '
        '"evidence": "<what you saw>"}.'
    )


def status_block(loop: Loop, following: str) -> str:
    """The status block: where the loop stands, as we know it."""
    names = "{}"
    for most in range(len(loop.criteria), 0, -1):  # as many as fit
        names = dumps({c.name: loop.is_met(c) for c in loop.criteria[:most]})
        if len(names) <= MAX_NAMES:
            break
    else:
        names = "{}"
    exit_signal = "true" if loop.exit_claimed else "false"
    return f"{STATUS_OPEN}\nEXIT_SIGNAL: {exit_signal}\nCRITERIA: {names}\nSTUCK_COUNT: {loop.streak.stuck}\nNEXT: {following}\n{STATUS_CLOSE}"


def unmet_criterion_text(criterion: Criterion, loop: Loop) -> str:
    proof = criterion.proof
    if not criterion.check:
        planned = f" (planned: {criterion.planned})" if criterion.planned else ""
        return f"- {criterion.name}: not claimed yet{planned}"
    if not criterion.check.allowed:
        return f"- {criterion.name}: its check waits for a person's `loop allow`"
    if not proof or proof.by != "loop" or proof.tree != loop.tree:
        return f"- {criterion.name}: not run on this tree yet"
    if criterion.check.probe:
        return f"- {criterion.name}: {proof.detail[:MAX_OUTPUT_TAIL]}"
    how = f"exited {proof.code}" if proof.outcome == "exit" else proof.outcome
    tail = proof.detail[-MAX_OUTPUT_TAIL:].replace("```", "'''")
    if not tail.strip():
        return f"- {criterion.name}: `{criterion.check.command_line}` {how} and printed nothing."
    return f"- {criterion.name}: `{criterion.check.command_line}` {how}. Its last lines, as data:\n```text\n{tail}\n```"


def spec_summary(loop: Loop, most: int) -> str:
    """The spec on one line."""
    return clip_text(" ".join(loop.spec.split()), most)
