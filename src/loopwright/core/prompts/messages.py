"""Prompts and messages for any kind of loop. The words of each kind are in spec.py, plan.py and discovery.py."""

from __future__ import annotations

from ..criteria import Criterion
from ..loop import Loop
from .parts import iteration_line, status_block, trajectory_suffix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Prompts(Protocol):
        """The words of one kind of loop: a module of this folder with these functions."""

        def start_line(self, loop: Loop, /) -> str: ...
        def opening_prompt(self, loop: Loop, /) -> str: ...
        def continue_reason(self, loop: Loop, /) -> str: ...
        def continue_prompt(self, loop: Loop, /) -> str: ...
        def resume_text(self, loop: Loop, /) -> str: ...
        def reply_protocol(self, loop: Loop, /) -> str: ...
        def final_summary(self, loop: Loop, /) -> str: ...


# After these breakers, `continue` needs a raise: counting on from the same number would pause again at once.
RAISE_FLAGS = {"budget": "--budget", "iterations": "--iterations", "clock": "--minutes"}
G3_QUESTION = "All criteria met. Confirm done?"
LEARNABLE_PATTERN = "This is a learnable pattern. Want the steps to run yourself?"


def prompts_for(loop: Loop) -> Prompts:
    """The module with the words of this kind of loop."""
    if loop.backlog:
        from . import discovery

        return discovery
    if loop.plan:
        from . import plan

        return plan
    from . import spec

    return spec


def start_line(loop: Loop) -> str:
    """The first line that a person sees of a loop."""
    return prompts_for(loop).start_line(loop)


def opening_prompt(loop: Loop) -> str:
    """The first prompt of a loop: all that an agent needs to begin."""
    return prompts_for(loop).opening_prompt(loop)


def continue_reason(loop: Loop) -> str:
    """Why the loop continues."""
    return prompts_for(loop).continue_reason(loop)


def continue_prompt(loop: Loop) -> str:
    """The next prompt: why, where we are, what failed and how, what to do, how to say it is done."""
    return prompts_for(loop).continue_prompt(loop)


def resume_text(loop: Loop) -> str:
    """For a session that comes back."""
    return prompts_for(loop).resume_text(loop)


def reply_protocol(loop: Loop) -> str:
    """How the agent says what it has done."""
    return prompts_for(loop).reply_protocol(loop)


def progress_text(loop: Loop) -> str:
    """How far the loop has come, for a pause."""
    return prompts_for(loop).final_summary(loop)


def foreign_session_hint(session: str) -> str:
    return f"[LOOP] A loop runs in this folder, driven by another session. Take it over: `loop attach --session {session}`"


def g1_question(steps: int, commands: tuple[str, ...] = ()) -> str:
    runs = (
        f" A yes also lets these commands run at every stop: {'; '.join(commands)}"
        if commands
        else ""
    )
    return f"{f'Here are {steps} steps. Proceed?' if steps else 'Begin?'}{runs}"


def g2_question(step: str) -> str:
    return f"Step {step} complete. Continue?"


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
    flag = RAISE_FLAGS.get(loop.pause.cause, "")
    resume = f"`loop continue{f' {flag}{more[flag]}' if flag else ''}`"
    rows = [
        f"[LOOP] ⏸ Paused: {loop.pause.why}",
        progress_text(loop),
        f"Look: `loop why`. Resume: {resume}",
    ]
    if loop.pause.cause == "stuck" and loop.streak.unmet:
        back = (
            ". Back to the best state so far: `loop rewind best`" if loop.baseline.tree_id else ""
        )
        rows.insert(1, f"It is{trajectory_suffix(loop)[1:]}{back}")
    if loop.objections:
        rows.append("To take what was found as it is: `loop accept`")
    return "\n".join(rows)


def question_text(loop: Loop) -> str:
    assert loop.gate is not None
    name = f"{loop.gate.name}: " if loop.gate.name in ("G1", "G2", "G3") else ""
    choice = "" if loop.gate.name == "ask" else " [Y/n]"
    return f"[LOOP] {name}{loop.gate.question}{choice}\nAnswer here, or: `loop answer TEXT`"


def must_not_reason(criterion: Criterion) -> str:
    assert criterion.proof is not None
    if criterion.proof.outcome != "exit" or criterion.proof.code in (126, 127):
        return (
            f"must not: {criterion.name} cannot be checked ({criterion.proof.detail[:300].strip()})"
        )
    return f"must not: {criterion.name}"


def changed_files_reason(files: str) -> str:
    return (
        f"the check itself changes files, so its result holds for no tree: {files}. "
        "Ignore them in git, or start with --volatile GLOB."
    )


def state_tampering_notice(fields: tuple[str, ...]) -> str:
    return f"[LOOP] state.json was edited where it is not the agent's to write: {', '.join(fields)}. Put back."
