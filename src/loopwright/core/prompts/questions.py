"""Questions to a person, how to answer them, and what the agent hears about an open one."""

from __future__ import annotations

from ..criteria import Check, Criterion
from ..loop import Gate, Loop
from .dangers import danger_text
from .phrases import clip_text, count_phrase, cut_at_word

G3_QUESTION = "All criteria met. Confirm done?"
NO_COMMAND_RAN = "No command has run"
MAX_CLAIM = 300  # characters of the claim that a question quotes
FINISH_QUESTION = "All criteria are proven; the agent has not claimed the end. Finish?"
# What yes and no do at each gate; anything else asks again.
YES_AND_NO = {
    "G1": ("start", "not now"),
    "G2": ("continue", "pause"),
    "G3": ("done", "not done, pause"),
    "finish": ("finish", "pause"),
    "allow": ("allow them and continue", "pause"),
    "packages": ("install them there", "install nothing"),
    "retry": ("retry it", "pause"),
    "wave": ("continue", "pause"),
    "fix": ("fix them", "pause"),
}


def g1_question(steps: int, commands: tuple[str, ...] = ()) -> str:
    """The question before the first turn. A yes allows the commands that the screen lists."""
    listed = ""
    if commands:
        listed = (
            f"A yes also lets {count_phrase(len(commands), 'listed command')} run at every stop. "
        )
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


def question_text(loop: Loop) -> str:
    """The open question of the loop, and how to answer it."""
    assert loop.gate is not None
    if loop.gate.name == "ask":
        careful = danger_text(loop.gate)
        return (
            f"{careful}{'. ' if careful else ''}The agent asks: {loop.gate.question}\n"
            "Answer here, or: `loop answer TEXT`"
        )
    if loop.gate.name == "rule":
        from .disputes import ruling_question

        return ruling_question(loop)
    text = f"[LOOP] {loop.gate.question} {choices_text(loop.gate.name)}"
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
