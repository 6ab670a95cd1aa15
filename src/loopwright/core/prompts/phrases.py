"""What exactly is sent to the agent while the loop goes on, and the lines that say why it does not.

Hints to the person stand in backticks as typed in a terminal (`loop continue`); an adapter may respell them.
"""

from __future__ import annotations

from ..loop import ENDED, Criterion, Loop
from ..record import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STATUS_OPEN, STATUS_CLOSE, LOOP_COMPLETE = "---LOOP_STATUS---", "---END_STATUS---", "<loop-complete>"
MAX_PROMPT = 9_000
MAX_OUTPUT_TAIL = 1_500
MAX_NAMES = 3_000
NEAR_CAP = 2  # so many answers before the client's cap, the agent is asked to act
# After these, `continue` needs a raise: counting on from the same number would pause again at once.
RAISE_FLAGS = {"budget": "--budget", "iterations": "--iterations", "clock": "--minutes"}

G3_QUESTION = "All criteria met. Confirm done?"
ASSUMED_REASON = "criterion verified by assumption only - requires actual verification"
NO_EXIT_REASON = "criteria met but exit_signal not set - verify completion"
TASK_LIST_HINT = (
    "Keep the session's task list in step: TaskCreate for each step that is missing there, TaskUpdate as you finish one."
)
# Control characters; marks that turn the direction of writing around, so that a line reads as another; empty letters.
INVISIBLE_CHARACTERS = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), 0x61C, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F))
)
INVISIBLE_CHARACTERS |= dict.fromkeys((*range(0x2060, 0x2070), 0xFEFF))
LEARNABLE_PATTERN = "This is a learnable pattern. Want the steps to run yourself?"


def foreign_session_hint(session: str) -> str:
    return f"[LOOP] A loop runs in this folder, driven by another session. Take it over: `loop attach --session {session}`"


def g1_question(steps: int, commands: tuple[str, ...] = ()) -> str:
    runs = f" A yes also lets these commands run at every stop: {'; '.join(commands)}" if commands else ""
    return f"{f'Here are {steps} steps. Proceed?' if steps else 'Begin?'}{runs}"


def g2_question(step: str) -> str:
    return f"Step {step} complete. Continue?"


def prompts_for(loop: Loop) -> Any:
    """The module with the words of this kind of loop; None: a spec's, which are here."""
    if loop.backlog:
        from . import discovery

        return discovery
    if loop.plan:
        from . import plan

        return plan
    return None


def continue_reason(loop: Loop) -> str:
    """Why the loop goes on, in the seeds' words."""
    if own := prompts_for(loop):
        return str(own.continue_reason(loop))
    if loop.unmet_criteria:
        return f"unmet criteria: {', '.join(loop.unmet_criteria)}"
    if loop.objections:
        from .objections import objection_reason as against

        if said := against(loop):
            return said
    return ASSUMED_REASON if loop.assumed_criteria else NO_EXIT_REASON


def cost_text(loop: Loop) -> str:
    return "unknown" if loop.spend.unpriced else f"${loop.spend.dollars:.2f}"


def iteration_line(loop: Loop) -> str:
    number = min(loop.spend.iterations + (loop.status not in ENDED), loop.limits.iterations)
    cost, word = f"{cost_text(loop)}/${loop.limits.dollars:g}", "Focus" if loop.backlog else "Task" if loop.plan else "Step"
    following = clip_text(" ".join(loop.next_step.split()), 200)
    return f"[LOOP] Iteration {number}/{loop.limits.iterations} | Cost: {cost} | {word}: {following}"


def continue_prompt(loop: Loop) -> str:
    """The next prompt: why, where we are, what failed and how, what to do, how to say it is done."""
    if own := prompts_for(loop):
        return str(own.continue_prompt(loop))
    parts = [continue_reason(loop), iteration_line(loop), f"Spec: {clip_text(loop.spec, 1200)}"]
    parts += [unmet_criterion_text(c, loop) for c in loop.criteria if not loop.is_met(c)]
    parts += [f'- {name}: "assumption" does not count. Verify it, then claim it again.' for name in loop.assumed_criteria]
    parts += warning_lines(loop)
    if loop.workflow.step_zero and not loop.workflow.step_zero_note:
        parts.append(f"Step 0 is open: {loop.workflow.step_zero}. Record it with a line `GATE: <text>` in the status block.")
    if loop.mismatched_criteria:
        parts.append(
            f"Your status block and the criteria disagree on: {', '.join(loop.mismatched_criteria)}. Use the exact names."
        )
    parts += guidance_lines(loop)
    if loop.has_task_list:
        parts.append(TASK_LIST_HINT)
    parts.append(f"Do one logical unit of work now. Next step: {clip_text(loop.next_step, 200)}")
    return with_protocol(loop, parts)


def warning_lines(loop: Loop) -> list[str]:
    """What speaks against its claim, and what it hears before a breaker trips."""
    found, run = [], loop.headless_run
    if loop.objections and not loop.plan:  # there each is a gap
        from .objections import objection_lines

        found += objection_lines(loop)
    if run and run.cut_reason:
        found.append(f"The last turn was cut off: {run.cut_reason}. Look at what is there before you go on.")
    if run and run.denied_calls:
        found.append(f"Nobody is there to permit this, so do without: {clip_text('; '.join(run.denied_calls), 500)}")
    if loop.streak.stuck >= loop.limits.rethink:
        found.append(
            f"{loop.streak.stuck} iterations without progress{_trajectory_suffix(loop)}; at {loop.limits.stuck} the loop pauses. "
            "Change approach: say what you believed, why it was wrong, and try something else."
        )
    if loop.streak.toolless_cap and loop.streak.toolless >= loop.streak.toolless_cap - NEAR_CAP:
        found.append(
            f"{loop.streak.toolless} answers in a row without a tool call; soon nobody can hold this session any longer. "
            "Do not answer in words alone now: run a command or edit a file first."
        )
    return found


def _trajectory_suffix(loop: Loop) -> str:
    from ..trajectory import trajectory_text

    return f": {trajectory_text(loop.streak)}"


def guidance_lines(loop: Loop) -> list[str]:
    return [f"The person says: {clip_text(loop.guidance, 1000)}"] if loop.guidance else []


def with_protocol(loop: Loop, parts: list[str]) -> str:
    """A prompt, cut where it must be so that the way to answer it is always whole."""
    answer = reply_protocol(loop)
    return clip_text("\n".join(parts), MAX_PROMPT - len(answer) - 1) + "\n" + answer


def reply_protocol(loop: Loop) -> str:
    if own := prompts_for(loop):
        return str(own.reply_protocol(loop))
    return claim_protocol(loop)


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


def strip_control_characters(text: str) -> str:
    """Text without what a terminal would obey or hide: agents' words reach people, their escape codes do not."""
    return text.translate(INVISIBLE_CHARACTERS)


def cut_at_word(text: str, most: int) -> str:
    """Cut between two words: half a key is no longer known for one."""
    return text if len(text) <= most else (text[:most].rsplit(None, 1) or [""])[0]


def clip_text(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    if "\n```" not in text:
        return f"{text[: max(0, most - 2)]} …"
    kept = text[: max(0, most - 6)]
    end = "\n```" if kept.count("\n```") % 2 else ""  # a fence that is cut open would make data of all that follows
    return f"{kept}{end}\n…"


def duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"


def count_phrase(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def spec_summary(loop: Loop, most: int) -> str:
    """The spec on one line."""
    return clip_text(" ".join(loop.spec.split()), most)


def iteration_note(loop: Loop, step: str) -> str:
    """The person's line of one iteration. A tool-shaped loop says no more; a colleague adds the status block."""
    line = f"{iteration_line(loop)} | {continue_reason(loop)}"
    if step:
        line = f"[LOOP] ✓ {step} complete | Progress: {len(loop.completed_steps)}/{len(loop.steps)} | Next: {loop.next_step}"
        if len(loop.streak.recent_step_kinds) == 3 and len(set(loop.streak.recent_step_kinds)) == 1:
            line += f"\n{LEARNABLE_PATTERN}"
    return line if loop.shape.name == "tool" else f"{line}\n{status_block(loop, loop.next_step)}"


def pause_text(loop: Loop) -> str:
    enough = max(loop.limits.dollars, int(loop.spend.dollars - loop.limits.dollars) + 1)
    more = {"--budget": f"={enough:g}", "--iterations": "=10", "--minutes": "=60"}
    flag = RAISE_FLAGS.get(loop.cause, "")
    resume = f"`loop continue{f' {flag}{more[flag]}' if flag else ''}`"
    rows = [f"[LOOP] ⏸ Paused: {loop.why}", progress_text(loop), f"Look: `loop why`. Resume: {resume}"]
    if loop.cause == "stuck" and loop.streak.unmet:
        back = ". Back to the best state so far: `loop rewind best`" if loop.baseline_id else ""
        rows.insert(1, f"It is{_trajectory_suffix(loop)[1:]}{back}")
    if loop.objections:
        rows.append("To take what was found as it is: `loop accept`")
    return "\n".join(rows)


def progress_text(loop: Loop) -> str:
    if own := prompts_for(loop):
        return str(own.final_summary(loop))
    return f"Progress: {len(loop.completed_steps)} steps complete, {len(loop.remaining_steps)} remaining"


def question_text(loop: Loop) -> str:
    assert loop.gate is not None
    name = f"{loop.gate.name}: " if loop.gate.name in ("G1", "G2", "G3") else ""
    choice = "" if loop.gate.name == "ask" else " [Y/n]"
    return f"[LOOP] {name}{loop.gate.question}{choice}\nAnswer here, or: `loop answer TEXT`"


def must_not_reason(criterion: Criterion) -> str:
    assert criterion.proof is not None
    if criterion.proof.outcome != "exit" or criterion.proof.code in (126, 127):
        return f"must not: {criterion.name} cannot be checked ({criterion.proof.detail[:300].strip()})"
    return f"must not: {criterion.name}"


def changed_files_reason(files: str) -> str:
    return (
        f"the check itself changes files, so its result holds for no tree: {files}. "
        "Ignore them in git, or start with --volatile GLOB."
    )


def state_tampering_notice(fields: tuple[str, ...]) -> str:
    return f"[LOOP] state.json was edited where it is not the agent's to write: {', '.join(fields)}. Put back."
