"""Prompts and messages for any kind of loop.

The words of each kind are in spec.py, plan.py and discovery.py.
"""

from __future__ import annotations

from ..criteria import Criterion
from ..limits import MAX_DOLLARS, MAX_ITERATIONS
from ..loop import Loop
from .parts import iteration_line, spec_summary, trajectory_suffix

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


# After these breakers, `loop continue` must raise the limit; else the loop pauses again at once.
RAISE_FLAGS = {"budget": "--budget", "iterations": "--iterations", "clock": "--minutes"}
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
    """The first line of a loop that a person sees."""
    return prompts_for(loop).start_line(loop)


def opening_prompt(loop: Loop) -> str:
    """The first prompt of a loop: everything that an agent needs to begin."""
    return prompts_for(loop).opening_prompt(loop)


def continue_reason(loop: Loop) -> str:
    """Why the loop continues."""
    return prompts_for(loop).continue_reason(loop)


def continue_prompt(loop: Loop) -> str:
    """The next prompt: why the loop continues, what failed, what to do and how to report."""
    return prompts_for(loop).continue_prompt(loop)


def resume_text(loop: Loop) -> str:
    """What a resumed session is told."""
    return prompts_for(loop).resume_text(loop)


def reply_protocol(loop: Loop) -> str:
    """How the agent reports what it has done."""
    return prompts_for(loop).reply_protocol(loop)


def progress_text(loop: Loop) -> str:
    """How much is done, for a pause or a cancel."""
    return prompts_for(loop).final_summary(loop)


BACKGROUND_NOTICE = (
    "[LOOP] Work in the background or a wake-up is pending, so the loop waits for it. If it does "
    'not end by itself (a server), end it; then, or at any time, begin a prompt with "continue".'
)
PERSON_TURN_NOTICE = (
    "[LOOP] Your turn: the loop waits, and what you ask now is not counted. "
    'Let it continue: `loop continue`, or begin a prompt with "continue".'
)
PERSON_TURN_PROMPT = (
    "The person has interrupted the loop and taken the turn. Do what they ask here and nothing "
    "else: no work on the loop and no status block until they let it continue."
)
NEXT_PROMPT_NOTICE = "[LOOP] ▶ The loop continues with the next prompt in its session."


def binding_notice(loop: Loop) -> str:
    """What a person is told when their session begins to drive a free loop."""
    paused = "It is paused: `loop continue`. " if loop.status == "paused" else ""
    return (
        f"[LOOP] This session now drives the loop of this folder: {spec_summary(loop, 60)}. "
        f"{paused}Not this one? `loop detach`"
    )


def unknown_cost_notice(loop: Loop) -> str:
    """What a person is told once when what a session spends cannot be known."""
    names, limit = loop.spend.unpriced, loop.limits
    # A name with a space is a sentence about the client, and no price would help.
    model = next((name for name in names if " " not in name), "")
    hint = f" Its price: `loop config prices.{model} IN/OUT/READ/WRITE`" if model else ""
    return (
        f"[LOOP] The cost is unknown ({', '.join(names)}), so the budget cannot end the loop: "
        f"{limit.iterations} iterations and {limit.minutes:g} minutes do.{hint}"
    )


def foreign_session_hint(session: str) -> str:
    """What a session is told in a folder whose loop another session drives."""
    return (
        "[LOOP] A loop runs in this folder, driven by another session. "
        f"Take it over: `loop attach --session {session}`"
    )


def boxed_check_note(name: str) -> str:
    """Added to the output of a check that may have failed because of its sandbox."""
    return (
        "\n[This check runs in a sandbox, without network and with a read-only system. If it needs "
        f'more, a person lets it out: loop allow "{name}" --outside]'
    )


def waived_text(loop: Loop) -> str:
    """What the person reads who works without checks that may not run."""
    names = ", ".join(c.name for c in loop.waiting_checks) or "none"
    return f"[LOOP] It works without these checks, so it is never proven: {names}."


def turn_note(loop: Loop, step: str, said_done: bool = False, refuted: tuple[str, ...] = ()) -> str:
    """What a person reads after one turn of a spec loop. A refuted claim comes before a step."""
    if said_done or refuted:
        from .refutation import refutation_note

        return refutation_note(loop, said_done, refuted)
    return iteration_note(loop, step)


def iteration_note(loop: Loop, step: str = "") -> str:
    """What a person reads after one iteration; `step` is the step that it completed, if any."""
    return _step_note(loop, step) if step else f"{iteration_line(loop)} | {continue_reason(loop)}"


def _step_note(loop: Loop, step: str) -> str:
    progress = f"{len(loop.completed_steps)}/{len(loop.steps)}"
    line = f"[LOOP] ✓ {step} complete | Progress: {progress} | Next: {loop.next_step}"
    kinds = loop.streak.recent_step_kinds
    if len(kinds) == 3 and len(set(kinds)) == 1:
        line += f"\n{LEARNABLE_PATTERN}"
    return line


def pause_text(loop: Loop) -> str:
    """Why the loop pauses, how far it is, and the command that resumes it."""
    rows = [f"[LOOP] ⏸ Paused: {loop.pause.why}"]
    if loop.pause.cause == "stuck" and loop.streak.unmet:
        trajectory = trajectory_suffix(loop).removeprefix(":")
        rewind = ". Back to the best state so far: `loop rewind best`"
        rows.append(f"It is{trajectory}{rewind if loop.baseline.tree_id else ''}")
    if loop.dialogue.refuted_claims:
        from .refutation import last_refutation

        rows += last_refutation(loop)
    resume = resume_command(loop, loop.pause.cause)
    rows += [progress_text(loop), f"Look: `loop why`. Resume: {resume}"]
    if set(loop.objections) - {*loop.thin_files} and loop.pause.cause != "looks":
        rows.append("To take what was found as it is: `loop accept`")
    return "\n".join(rows)


def resume_command(loop: Loop, breaker: str) -> str:
    """The command that continues after this breaker. It raises each limit that is used up.

    Checks that a pause cut off come before a turn of the agent, and no limit bounds them.
    """
    if breaker in ("dispute", "looks") and loop.awaiting_ruling:
        from .disputes import rule_command

        return rule_command(loop.awaiting_ruling)
    words = ["loop run --continue" if loop.headless_run else "loop continue"]
    if loop.round_to_finish and breaker not in RAISE_FLAGS:
        return f"`{words[0]}`"
    spend, limits = loop.spend, loop.limits
    needs_yes = False
    # What is spent with some room to work in, the limit, what is usually added, the most.
    for name, spent, limit, usual, most in (
        (
            "budget",
            spend.dollars + limits.dollars / 25,
            limits.dollars,
            limits.dollars,
            MAX_DOLLARS,
        ),
        ("iterations", spend.iterations + 1, limits.iterations, 10, MAX_ITERATIONS),
        ("clock", spend.seconds / 60 + 10, limits.minutes, 60, 0),
    ):
        if name != breaker and spent <= limit:
            continue
        amount = max(usual, int(spent - limit) + 1)
        needs_yes = needs_yes or 0 < most < limit + amount
        words.append(f"{RAISE_FLAGS[name]}={amount:g}")
    if needs_yes:
        words.append("--yes")
    return f"`{' '.join(words)}`"


def must_not_reason(criterion: Criterion) -> str:
    proof = criterion.proof
    assert proof is not None
    # 126 and 127: the shell could not run the command, or did not find it.
    if proof.outcome != "exit" or proof.code in (126, 127):
        detail = proof.detail[:300].strip()
        return f"must not: {criterion.name} cannot be checked ({detail})"
    return f"must not: {criterion.name}"


def too_few_passes_reason(passes: int, runs: int) -> str:
    return f"passed {passes} of {runs} runs on this tree; more than half must pass"


def changed_files_reason(files: str) -> str:
    return (
        f"the check itself changes files, so its result holds for no tree: {files}. "
        "Ignore them in git, or start with --volatile GLOB."
    )


def state_tampering_notice(fields: tuple[str, ...]) -> str:
    return (
        "[LOOP] state.json was edited where it is not the agent's to write: "
        f"{', '.join(fields)}. Put back."
    )
