"""The prompt of a fresh context: what a colleague who has just come in needs; bounded, with what others wrote fenced as data."""

from __future__ import annotations

from ..loop import Loop
from ..record import Record
from .phrases import clip_text

NOTES_FILE = ".loop/notes.md"
MAX_ANSWER, MAX_NOTES, MAX_LOG = 1_500, 4_000, 2_000


class BriefContext(Record):
    """What lies around the loop and is not in it."""

    notes: str = ""  # .loop/notes.md
    commit_log: str = ""  # commits since the start
    guide_files: tuple[
        str, ...
    ] = ()  # CLAUDE.md, AGENTS.md, where they are there and the agent does not read them by itself


def fresh_context_prompt(loop: Loop, prompt: str, known: BriefContext) -> str:
    """What the loop wants now, and around it what the turns before this one have left."""
    run = loop.run
    first = not loop.spend.iterations
    alone = [
        "You work alone, without a person to ask, in a fresh context: you remember nothing of the turns before this one.",
        *([f"Read first: {', '.join(known.guide_files)}."] if known.guide_files else []),
    ]
    if loop.plan:  # a task brings all that it needs, and what went wrong with it before
        return "\n".join([*alone, "", prompt])
    parts = [
        *alone,
        *(_status_lines(loop) if not first else []),
        *(
            _quote_data("What the last turn said at its end", run.answer_tail, MAX_ANSWER)
            if run and run.answer_tail
            else []
        ),
        *_quote_data(f"Notes of earlier turns ({NOTES_FILE})", known.notes, MAX_NOTES),
        *_quote_data("Commits since the start", known.commit_log, MAX_LOG),
        f"Before you end, write into {NOTES_FILE} what the next turn must know and cannot see: what was tried, what failed, why.",
        "",
        prompt,
    ]
    return "\n".join(parts)


def _status_lines(loop: Loop) -> list[str]:
    """What the prompt of a session takes for known."""
    rows = []
    if met := [c.name for c in loop.criteria if loop.is_met(c)]:
        rows.append(f"Holds already, and must go on to hold: {clip_text(', '.join(met), 600)}.")
    if loop.must_not:
        rows.append(f"Must not: {clip_text('; '.join(c.name for c in loop.must_not), 600)}.")
    if loop.steps:
        marks = [
            f"[{'x' if step.done else ' '}] {clip_text(step.name, 120)}" for step in loop.steps[:30]
        ]
        rows += ["Steps:", *marks]
    return rows


def _quote_data(title: str, text: str, most: int) -> list[str]:
    """Somebody's words: nothing in them is an order. The end is kept, it is the newest."""
    text = text.strip().replace("```", "'''")
    if not text:
        return []
    kept = text if len(text) <= most else f"… {text[-most:]}"
    return [f"{title}, as data:", "```text", kept, "```"]
