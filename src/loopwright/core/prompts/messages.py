"""Prompts and messages for any kind of loop.

The words of each kind are in spec.py, plan.py and discovery.py.
"""

from __future__ import annotations

from ..criteria import Check, Criterion
from ..limits import MAX_DOLLARS, MAX_ITERATIONS
from ..loop import Gate, Loop
from .parts import iteration_line, spec_summary, trajectory_suffix
from .phrases import clip_text, count_phrase, cut_at_word

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
G3_QUESTION = "All criteria met. Confirm done?"
NO_COMMAND_RAN = "No command has run"
MAX_CLAIM = 300  # characters of the claim that a question quotes
FINISH_QUESTION = "All criteria are proven; the agent has not claimed the end. Finish? [y/n]"
LEARNABLE_PATTERN = "This is a learnable pattern. Want the steps to run yourself?"
OUTSIDE_ONLY = "passes only outside the sandbox"


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


def g1_question(steps: int, commands: tuple[str, ...] = ()) -> str:
    """The question before the first turn; it names the commands that a yes allows."""
    listed = ""
    if commands:
        listed = f"A yes also lets these commands run at every stop: {'; '.join(commands)}. "
    count = {0: "", 1: "Here is 1 step. "}.get(steps, f"Here are {steps} steps. ")
    return f"{count}{listed}Start?"


def allow_question(waiting: tuple[Criterion, ...]) -> str:
    """The question about checks that may not run; it names what a yes allows."""
    rows = "; ".join(
        f"{c.name} ← {c.check.command_line}{outside_words(c.check)}" for c in waiting if c.check
    )
    return f"{count_phrase(len(waiting), 'check')} may not run yet: {rows}. Allow?"


def outside_words(check: Check) -> str:
    """What a check needs beyond its sandbox, in brackets; "" for nothing."""
    words = {
        "network": "passes only with the network",
        "outside": "passes only outside the sandbox",
    }
    return f" ({words[check.box]})" if check.box in words else ""


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


def g2_question(step: str) -> str:
    return f"Step {step} complete. Continue?"


def g3_question(loop: Loop) -> str:
    """The question before the end. It says what the person would have to take on trust."""
    not_run = [c.name for c in loop.criteria if not c.is_verified_by("loop")]
    if not not_run:
        return G3_QUESTION
    claim = clip_text("; ".join(not_run), MAX_CLAIM)
    if len(not_run) == len(loop.criteria):
        return f'The agent says "{claim}". {NO_COMMAND_RAN}. Accept its word?'
    return (
        f'All checks pass. The agent also says "{claim}". {NO_COMMAND_RAN} for this. '
        "Accept its word?"
    )


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
    resume = resume_command(loop, loop.pause.cause)
    rows += [progress_text(loop), f"Look: `loop why`. Resume: {resume}"]
    if loop.objections and loop.pause.cause != "looks":
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


# What yes and no do at each gate; anything else asks again.
YES_AND_NO = {
    "G1": ("start", "not now"),
    "G2": ("continue", "pause"),
    "G3": ("done", "not done, pause"),
    "finish": ("finish", "pause"),
    "allow": ("allow them and continue", "pause"),
    "packages": ("install them there", "install nothing"),
}
PLAN_GATES = ("retry", "wave", "fix")  # their questions have the documented form


def question_text(loop: Loop) -> str:
    """The open question of the loop, and how to answer it."""
    assert loop.gate is not None
    if loop.gate.name == "ask":
        return f"The agent asks: {loop.gate.question}\nAnswer here, or: `loop answer TEXT`"
    if loop.gate.name == "rule":
        from .disputes import ruling_question

        return ruling_question(loop)
    if loop.gate.name in PLAN_GATES:
        return f"[LOOP] {loop.gate.question} [Y/n]\nAnswer here, or: `loop answer TEXT`"
    name = f"{loop.gate.name}: " if loop.gate.name in ("G1", "G2", "G3") else ""
    # Where no command has run, no is the answer of a person who does not know.
    separator = " [y/N]\n" if NO_COMMAND_RAN in loop.gate.question else " "
    text = f"[LOOP] {name}{loop.gate.question}{separator}{choices_text(loop.gate.name)}"
    if loop.gate.name == "allow":
        text += (
            "\nSee each letter first: `loop allow`. Work without them: "
            "`loop continue --unproven`; it is then never proven."
        )
    return text


def choices_text(gate: str, in_session: bool = True) -> str:
    """What each answer does."""
    yes, no = YES_AND_NO.get(gate, ("yes", "no, pause"))
    other = " · anything else: I answer first and ask again" if in_session else ""
    return f"y = {yes} · n = {no}{other}"


def question_again_text(loop: Loop) -> str:
    """The open question after a person in a terminal said neither yes nor no."""
    assert loop.gate is not None
    if loop.gate.name == "rule":
        return question_text(loop)
    return (
        "[LOOP] That is neither yes nor no, so the loop still waits; the agent hears it when it "
        f"continues.\n{loop.gate.question} {choices_text(loop.gate.name, in_session=False)}: "
        "`loop answer y`"
    )


def early_answer_text(loop: Loop, text: str) -> str:
    """The person answers a question before the turn ends that shows it."""
    return (
        f'[LOOP] "{cut_at_word(text, 40)}" came while the agent works, so it answers nothing. '
        f"Answer once the agent has stopped:\n{question_text(loop)}"
    )


def talk_at_gate_prompt(gate: Gate) -> str:
    """What the agent is told when the person talks while a gate waits."""
    more_work = "`y` and what to mind"
    if gate.name == "G3":
        more_work = "`n` and what is missing, then `/loop:continue`"
    if gate.name == "rule":
        more_work = "`keep`, `drop` or `/loop:rule`"
    return (
        "[LOOP] The loop waits for the person's yes to this question: "
        f"{clip_text(gate.question, 1000)}\n"
        "Their message is neither a yes nor a no: they are talking to you. Reply to it in words. "
        "Do not continue the work, change no file and claim nothing; then end your turn. "
        f"Loopwright asks the question again. If they want something done, they type {more_work}."
    )


def talk_while_paused_prompt() -> str:
    """What the agent is told when the person's no says more than no."""
    return (
        "[LOOP] The person said no, so the loop is paused. Reply to their message in words. "
        "Do not continue the work and change no file; then end your turn. "
        "Only the person resumes the loop."
    )


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
