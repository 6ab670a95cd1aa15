"""The prompt of a fresh context: what a colleague who has just come in needs; bounded, with what others wrote fenced as data."""

from __future__ import annotations

from .loop import Loop
from .record import Record
from .wording import clip

NOTES = ".loop/notes.md"
MOST_LAST, MOST_NOTES, MOST_LOG = 1_500, 4_000, 2_000


class Known(Record):
    """What lies around the loop and is not in it."""

    notes: str = ""  # .loop/notes.md
    log: str = ""  # commits since the start
    guides: tuple[str, ...] = ()  # CLAUDE.md, AGENTS.md, where they are there and the agent does not read them by itself


def brief(loop: Loop, prompt: str, known: Known) -> str:
    """What the loop wants now, and around it what the turns before this one have left."""
    run = loop.run
    first = not loop.spend.iterations
    alone = [
        "You work alone, without a person to ask, in a fresh context: you remember nothing of the turns before this one.",
        *([f"Read first: {', '.join(known.guides)}."] if known.guides else []),
    ]
    if loop.plan:  # a task brings all that it needs, and what went wrong with it before
        return "\n".join([*alone, "", prompt])
    parts = [
        *alone,
        *(_standing(loop) if not first else []),
        *(_data("What the last turn said at its end", run.said, MOST_LAST) if run and run.said else []),
        *_data(f"Notes of earlier turns ({NOTES})", known.notes, MOST_NOTES),
        *_data("Commits since the start", known.log, MOST_LOG),
        f"Before you end, write into {NOTES} what the next turn must know and cannot see: what was tried, what failed, why.",
        "",
        prompt,
    ]
    return "\n".join(parts)


def _standing(loop: Loop) -> list[str]:
    """What the prompt of a session takes for known."""
    rows = []
    if met := [c.name for c in loop.criteria if loop.is_met(c)]:
        rows.append(f"Holds already, and must go on to hold: {clip(', '.join(met), 600)}.")
    if loop.forbidden:
        rows.append(f"Must not: {clip('; '.join(c.name for c in loop.forbidden), 600)}.")
    if loop.steps:
        marks = [f"[{'x' if step.done else ' '}] {clip(step.name, 120)}" for step in loop.steps[:30]]
        rows += ["Steps:", *marks]
    return rows


def _data(title: str, text: str, most: int) -> list[str]:
    """Somebody's words: nothing in them is an order. The end is kept, it is the newest."""
    text = text.strip().replace("```", "'''")
    if not text:
        return []
    kept = text if len(text) <= most else f"… {text[-most:]}"
    return [f"{title}, as data:", "```text", kept, "```"]
