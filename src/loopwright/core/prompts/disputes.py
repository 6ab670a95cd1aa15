"""Sentences about disputes and looks, for the person who decides and for the verdict."""

from __future__ import annotations

from ..criteria import Check, Criterion
from ..loop import Loop
from ..proof.disputes import CHANGE, DROP, KEEP, WITHDRAWN, Dispute
from .phrases import clip_text, count_phrase, one_line

NO_REASON = "it gives no reason"
MAX_QUOTED = 200
LOOKS_USED_UP = "all its looks were used up"
RULING_CHOICES = (
    "keep = it must pass as it is · drop = continue without it, never proven · "
    "change COMMAND = check it so instead"
)
LOOK_CHOICES = "keep = give it as many looks again · drop = continue without it, never proven"
RULED = {
    KEEP: '"{name}" stays as it is: it must pass.',
    DROP: '"{name}" is dropped. The loop is no longer proven at its end.',
    CHANGE: '"{name}" is checked with `{command}` now.',
}
NOTES = {
    "": "disputed by the agent and not decided: {name}, {why}",
    KEEP: "disputed by the agent, kept by a person: {name}, {why}",
    DROP: "dropped by a person: {name}, {why}",
    CHANGE: "disputed by the agent, the check changed by a person: {name}, {why}",
    WITHDRAWN: "disputed by the agent, passes anyway, so the dispute is withdrawn: {name}, {why}",
}


def quoted_name(name: str) -> str:
    """The name as one word of a command line."""
    return name if name.isidentifier() else '"' + name.replace('"', '\\"') + '"'


def rule_command(names: tuple[str, ...]) -> str:
    """The command that decides about the first of these."""
    name = quoted_name(names[0]) if names else "NAME"
    return f"`loop rule {name} keep` (or: drop, change COMMAND)"


def ruling_reason(loop: Loop, cause: str, names: tuple[str, ...]) -> str:
    """Why a person must decide."""
    if cause == "looks":
        checks = [c for c in loop.final_checks if c.name in names]
        rows = "; ".join(f'"{c.name}" failed at look {c.looks}' for c in checks)
        return f"{rows}, and no look is left: a person decides"
    why = {d.criterion: d.why for d in loop.disputes if not d.ruling}
    rows = "; ".join(f'"{name}" ({one_line(why[name])})' for name in names if name in why)
    return f"only what the agent calls wrong is open: {clip_text(rows, 1000)}"


def ruling_choices(loop: Loop) -> str:
    """What each decision does, and the command."""
    waiting = loop.awaiting_ruling
    final = {c.name for c in loop.final_checks}
    choices = LOOK_CHOICES if waiting and final.issuperset(waiting) else RULING_CHOICES
    return f"{choices}\nDecide: {rule_command(waiting)}"


def ruling_question(loop: Loop) -> str:
    """The open question of the gate, with its choices."""
    assert loop.gate is not None
    return f"[LOOP] {loop.gate.question}.\n{ruling_choices(loop)}"


def waiting_text(names: tuple[str, ...]) -> str:
    return f"Still to decide: {rule_command(names)}"


def dispute_list(loop: Loop) -> str:
    """What waits for the person's ruling, for `loop rule` without arguments."""
    waiting = loop.awaiting_ruling
    if not waiting:
        return "Nothing waits for your ruling. Change criteria: `loop criteria`"
    why = {d.criterion: d.why for d in loop.disputes if not d.ruling}
    rows = [f"{name}: {one_line(why.get(name, LOOKS_USED_UP))}" for name in waiting]
    return "\n".join((*rows, ruling_choices(loop)))


def ruled_text(name: str, ruling: str, check: Check | None) -> str:
    command = check.command_line if check else ""
    return RULED[ruling].format(name=name, command=command)


def continues_text(loop: Loop) -> str:
    """How the loop continues after the last ruling; "" while it works."""
    if loop.status == "paused":
        return " It is paused: `loop continue`"
    if loop.status == "asking" or loop.dialogue.turn_continued:
        return ""
    return " The loop continues with the next prompt in its session, or in a terminal: loop run"


def recorded_text(name: str) -> str:
    """For the agent, after it has disputed a criterion by command."""
    return f'Noted: "{name}" is disputed. The person decides; continue with the rest.'


def not_disputed_text(name: str, waiting: tuple[str, ...]) -> str:
    listed = ", ".join(waiting) or "nothing"
    return f'"{name}" waits for no ruling; waiting: {listed}. Change criteria: `loop criteria`'


def unknown_ruling_text(name: str, ruling: str) -> str:
    return f"{ruling!r} is no ruling. Write: {rule_command((name,))}"


def command_text(name: str, ruling: str) -> str:
    """Why a ruling needs a command, or takes none."""
    if ruling == CHANGE:
        return f"with which command? Write: `loop rule {quoted_name(name)} change COMMAND`"
    return f"{ruling} takes no command. Write: `loop rule {quoted_name(name)} {ruling}`"


def final_check_text(name: str) -> str:
    rule = f"`loop rule {quoted_name(name)}"
    return f'"{name}" runs at the end only and cannot be changed here: {rule} keep` or {rule} drop`'


def last_criterion_text(name: str) -> str:
    change = f"`loop rule {quoted_name(name)} change COMMAND`"
    return (
        f'"{name}" is the only criterion, and a loop without criteria could never end. '
        f"Change it: {change}, or end the loop: `loop cancel`"
    )


def disputed_row(name: str) -> str:
    """For the agent: a criterion that it need not work on."""
    return f"- {name}: disputed; the person decides. Leave it and continue with the rest."


def dispute_notes(disputes: tuple[Dispute, ...]) -> list[str]:
    """What the verdict says about each dispute."""
    return [
        NOTES[d.ruling].format(
            name=d.criterion, why=clip_text(one_line(d.why or LOOKS_USED_UP), MAX_QUOTED)
        )
        for d in disputes
    ]


def look_text(c: Criterion) -> str:
    """At which look a final check gave its last answer; "" in journals without looks."""
    return f" at look {c.looks}" if c.looks else ""


def looks_left_text(c: Criterion, loop: Loop) -> str:
    """For the agent: how often this check still answers."""
    left = loop.most_looks(c) - c.looks
    return f"{c.name} answers {count_phrase(left, 'more time')}; then a person decides."
