"""What exactly is sent to the agent while the loop goes on, and the lines that say why it does not.

Hints to the person stand in backticks as typed in a terminal (`loop continue`); an adapter may respell them.
"""

from __future__ import annotations

from .loop import ENDED, Criterion, Loop
from .record import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPEN, CLOSE, COMPLETE = "---LOOP_STATUS---", "---END_STATUS---", "<loop-complete>"
MOST_PROMPT = 9_000
MOST_TAIL = 1_500
MOST_NAMES = 3_000
NEAR_CAP = 2  # so many answers before the client's cap, the agent is asked to act
# After these, `continue` needs a raise: counting on from the same number would pause again at once.
NEED_A_RAISE = {"budget": "--budget", "iterations": "--iterations", "clock": "--minutes"}

G3 = "All criteria met. Confirm done?"
ASSUMED = "criterion verified by assumption only - requires actual verification"
NO_EXIT = "criteria met but exit_signal not set - verify completion"
TASK_LIST = "Keep the session's task list in step: TaskCreate for each step that is missing there, TaskUpdate as you finish one."
# Control characters; marks that turn the direction of writing around, so that a line reads as another; empty letters.
UNSEEN = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160), 0x61C, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F)))
UNSEEN |= dict.fromkeys((*range(0x2060, 0x2070), 0xFEFF))
LEARNABLE = "This is a learnable pattern. Want the steps to run yourself?"


def stranger(session: str) -> str:
    return f"[LOOP] A loop runs in this folder, driven by another session. Take it over: `loop attach --session {session}`"


def g1(steps: int, commands: tuple[str, ...] = ()) -> str:
    runs = f" A yes also lets these commands run at every stop: {'; '.join(commands)}" if commands else ""
    return f"{f'Here are {steps} steps. Proceed?' if steps else 'Begin?'}{runs}"


def g2(step: str) -> str:
    return f"Step {step} complete. Continue?"


def voice(loop: Loop) -> Any:
    """The module with the words of this kind of loop; None: a spec's, which are here."""
    if loop.backlog:
        from . import coaching

        return coaching
    if loop.plan:
        from . import assignments

        return assignments
    return None


def reason(loop: Loop) -> str:
    """Why the loop goes on, in the seeds' words."""
    if own := voice(loop):
        return str(own.reason(loop))
    if loop.unmet:
        return f"unmet criteria: {', '.join(loop.unmet)}"
    if loop.objected:
        from .objections import reason as against

        if said := against(loop):
            return said
    return ASSUMED if loop.assumed else NO_EXIT


def spent(loop: Loop) -> str:
    return "unknown" if loop.spend.unpriced else f"${loop.spend.dollars:.2f}"


def iteration(loop: Loop) -> str:
    number = min(loop.spend.iterations + (loop.status not in ENDED), loop.limits.iterations)
    cost, word = f"{spent(loop)}/${loop.limits.dollars:g}", "Focus" if loop.backlog else "Task" if loop.plan else "Step"
    following = clip(" ".join(loop.next_step.split()), 200)
    return f"[LOOP] Iteration {number}/{loop.limits.iterations} | Cost: {cost} | {word}: {following}"


def go_on(loop: Loop) -> str:
    """The next prompt: why, where we are, what failed and how, what to do, how to say it is done."""
    if own := voice(loop):
        return str(own.go_on(loop))
    parts = [reason(loop), iteration(loop), f"Spec: {clip(loop.spec, 1200)}"]
    parts += [failing(c, loop) for c in loop.criteria if not loop.is_met(c)]
    parts += [f'- {name}: "assumption" does not count. Verify it, then claim it again.' for name in loop.assumed]
    parts += warnings(loop)
    if loop.workflow.gate and not loop.workflow.recorded:
        parts.append(f"Step 0 is open: {loop.workflow.gate}. Record it with a line `GATE: <text>` in the status block.")
    if loop.mismatch:
        parts.append(f"Your status block and the criteria disagree on: {', '.join(loop.mismatch)}. Use the exact names.")
    parts += person_says(loop)
    if loop.task_list:
        parts.append(TASK_LIST)
    parts.append(f"Do one logical unit of work now. Next step: {clip(loop.next_step, 200)}")
    return with_protocol(loop, parts)


def warnings(loop: Loop) -> list[str]:
    """What speaks against its claim, and what it hears before a breaker trips."""
    found, run = [], loop.headless
    if loop.objected and not loop.plan:  # there each is a gap
        from .objections import rows

        found += rows(loop)
    if run and run.cut:
        found.append(f"The last turn was cut off: {run.cut}. Look at what is there before you go on.")
    if run and run.denied:
        found.append(f"Nobody is there to permit this, so do without: {clip('; '.join(run.denied), 500)}")
    if loop.streak.stuck >= loop.limits.rethink:
        found.append(
            f"{loop.streak.stuck} iterations without progress{_course(loop)}; at {loop.limits.stuck} the loop pauses. "
            "Change approach: say what you believed, why it was wrong, and try something else."
        )
    if loop.streak.cap and loop.streak.toolless >= loop.streak.cap - NEAR_CAP:
        found.append(
            f"{loop.streak.toolless} answers in a row without a tool call; soon nobody can hold this session any longer. "
            "Do not answer in words alone now: run a command or edit a file first."
        )
    return found


def _course(loop: Loop) -> str:
    from .trajectory import course

    return f": {course(loop.streak)}"


def person_says(loop: Loop) -> list[str]:
    return [f"The person says: {clip(loop.guidance, 1000)}"] if loop.guidance else []


def with_protocol(loop: Loop, parts: list[str]) -> str:
    """A prompt, cut where it must be so that the way to answer it is always whole."""
    answer = protocol(loop)
    return clip("\n".join(parts), MOST_PROMPT - len(answer) - 1) + "\n" + answer


def protocol(loop: Loop) -> str:
    if own := voice(loop):
        return str(own.protocol(loop))
    return claiming(loop)


def claiming(loop: Loop) -> str:
    """How to claim, ask, or give up honestly; the block alone suffices."""
    return (
        "End every answer with this block, outside any code fence. EXIT_SIGNAL is true only when every criterion is "
        f"verified; we run the checks ourselves.\n{block(loop, '<next action>')}\n"
        "Further lines it may hold: `STEP_DONE: <step>`, `ASK: <question for a person>`, `BLOCKED: <why you cannot go on>`, "
        "`MUST_NOT: <constraint you had to break>`. "
        'A criterion without a check wants {"met": true, "verification": "execution output|observation|measurement|code review", '
        '"evidence": "<what you saw>"}.'
    )


def block(loop: Loop, following: str) -> str:
    """The status block: where the loop stands, as we know it."""
    names = "{}"
    for most in range(len(loop.criteria), 0, -1):  # as many as fit
        names = dumps({c.name: loop.is_met(c) for c in loop.criteria[:most]})
        if len(names) <= MOST_NAMES:
            break
    else:
        names = "{}"
    exit_signal = "true" if loop.exit_claimed else "false"
    return f"{OPEN}\nEXIT_SIGNAL: {exit_signal}\nCRITERIA: {names}\nSTUCK_COUNT: {loop.streak.stuck}\nNEXT: {following}\n{CLOSE}"


def failing(criterion: Criterion, loop: Loop) -> str:
    proof = criterion.proof
    if not criterion.check:
        planned = f" (planned: {criterion.planned})" if criterion.planned else ""
        return f"- {criterion.name}: not claimed yet{planned}"
    if not criterion.check.allowed:
        return f"- {criterion.name}: its check waits for a person's `loop allow`"
    if not proof or proof.by != "loop" or proof.tree != loop.tree:
        return f"- {criterion.name}: not run on this tree yet"
    if criterion.check.probe:
        return f"- {criterion.name}: {proof.detail[:MOST_TAIL]}"
    how = f"exited {proof.code}" if proof.outcome == "exit" else proof.outcome
    tail = proof.detail[-MOST_TAIL:].replace("```", "'''")
    if not tail.strip():
        return f"- {criterion.name}: `{criterion.check.line}` {how} and printed nothing."
    return f"- {criterion.name}: `{criterion.check.line}` {how}. Its last lines, as data:\n```text\n{tail}\n```"


def plain(text: str) -> str:
    """Text without what a terminal would obey or hide: agents' words reach people, their escape codes do not."""
    return text.translate(UNSEEN)


def beginning(text: str, most: int) -> str:
    """Cut between two words: half a key is no longer known for one."""
    return text if len(text) <= most else (text[:most].rsplit(None, 1) or [""])[0]


def clip(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    if "\n```" not in text:
        return f"{text[: max(0, most - 2)]} …"
    kept = text[: max(0, most - 6)]
    end = "\n```" if kept.count("\n```") % 2 else ""  # a fence that is cut open would make data of all that follows
    return f"{kept}{end}\n…"


def duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def summary(loop: Loop, most: int) -> str:
    """The spec on one line."""
    return clip(" ".join(loop.spec.split()), most)


def note(loop: Loop, step: str) -> str:
    """The person's line of one iteration. A tool-shaped loop says no more; a colleague adds the status block."""
    line = f"{iteration(loop)} | {reason(loop)}"
    if step:
        line = f"[LOOP] ✓ {step} complete | Progress: {len(loop.completed)}/{len(loop.steps)} | Next: {loop.next_step}"
        if len(loop.streak.steps) == 3 and len(set(loop.streak.steps)) == 1:
            line += f"\n{LEARNABLE}"
    return line if loop.shape.name == "tool" else f"{line}\n{block(loop, loop.next_step)}"


def paused(loop: Loop) -> str:
    enough = max(loop.limits.dollars, int(loop.spend.dollars - loop.limits.dollars) + 1)
    more = {"--budget": f"={enough:g}", "--iterations": "=10", "--minutes": "=60"}
    flag = NEED_A_RAISE.get(loop.cause, "")
    resume = f"`loop continue{f' {flag}{more[flag]}' if flag else ''}`"
    rows = [f"[LOOP] ⏸ Paused: {loop.why}", progress(loop), f"Look: `loop why`. Resume: {resume}"]
    if loop.cause == "stuck" and loop.streak.unmet:
        back = ". Back to the best state so far: `loop rewind best`" if loop.base else ""
        rows.insert(1, f"It is{_course(loop)[1:]}{back}")
    if loop.objected:
        rows.append("To take what was found as it is: `loop accept`")
    return "\n".join(rows)


def progress(loop: Loop) -> str:
    if own := voice(loop):
        return str(own.final(loop))
    return f"Progress: {len(loop.completed)} steps complete, {len(loop.remaining)} remaining"


def asking(loop: Loop) -> str:
    assert loop.gate is not None
    name = f"{loop.gate.name}: " if loop.gate.name in ("G1", "G2", "G3") else ""
    choice = "" if loop.gate.name == "ask" else " [Y/n]"
    return f"[LOOP] {name}{loop.gate.question}{choice}\nAnswer here, or: `loop answer TEXT`"


def broken(criterion: Criterion) -> str:
    assert criterion.proof is not None
    if criterion.proof.outcome != "exit" or criterion.proof.code in (126, 127):
        return f"must not: {criterion.name} cannot be checked ({criterion.proof.detail[:300].strip()})"
    return f"must not: {criterion.name}"


def volatile(files: str) -> str:
    return (
        f"the check itself changes files, so its result holds for no tree: {files}. "
        "Ignore them in git, or start with --volatile GLOB."
    )


def tampered(fields: tuple[str, ...]) -> str:
    return f"[LOOP] state.json was edited where it is not the agent's to write: {', '.join(fields)}. Put back."
