"""What a discovery loop tells its agent: where it stands, one suggestion that changes every turn, the scope, how to write down
what is found and done. And what it tells the person in the end.
"""

from __future__ import annotations

from .backlog import EXPLORATION, REPAIR, Backlog, backlog_of
from .cycle import CLOSE, OPEN
from .loop import Loop
from .wording import CLOSE as BLOCK_CLOSE
from .wording import OPEN as BLOCK_OPEN
from .wording import clip, failing, person_says, summary, warnings, with_protocol

PAGE = ".claude/loop-state.local.md"
WARN_IDLE = 2
MOST_CONTEXT = 4_000
MOST_SHOWN = 12  # items of the backlog in one prompt


def suggestion(suggestions: tuple[str, ...], iteration: int) -> tuple[int, str]:
    """The one whose turn it is: they go round with the iterations."""
    index = iteration % len(suggestions) if suggestions else 0
    return index, suggestions[index] if suggestions else ""


def focus(loop: Loop) -> str:
    """What is worked on now. A broken guard comes before all else."""
    b = backlog_of(loop)
    if loop.unmet:
        return f"Mend what is broken: {', '.join(loop.unmet)}"
    return b.next_item if b.task_mode and b.items else b.focus


def go_on(loop: Loop) -> str:
    b = backlog_of(loop)
    parts = [*_standing(loop, b), "", *_task(loop, b), "", *_bounds(loop, b)]
    if loop.streak.idle >= WARN_IDLE:
        parts.append(
            f"⚠️ Idle streak: {loop.streak.idle} turns without a change of files, commits, backlog, focus or notes. "
            f"At {loop.limits.idle} the loop stops: change something, or say why you cannot."
        )
    return with_protocol(loop, [*parts, *warnings(loop), *person_says(loop)])


def opening(loop: Loop) -> str:
    """The first prompt: all that an agent needs to begin."""
    b = backlog_of(loop)
    guidance = ["", "How to work here:", *b.guidance.strip().splitlines()] if b.guidance else []
    whole = [started(loop), *_standing(loop, b), "", *_task(loop, b), "", *_bounds(loop, b), *guidance, *person_says(loop)]
    whole.append("There is no done: you go on finding and fixing, one small unit of work a turn, until the loop stops you.")
    return with_protocol(loop, whole)


def started(loop: Loop) -> str:
    limit = loop.limits
    return (
        f"[LOOP] Starting | Discovery: {backlog_of(loop).preset} | Guards: {len(loop.criteria)}"
        f" | Max: {limit.iterations} iterations | Budget: ${limit.dollars:g}"
    )


def resumed(loop: Loop) -> str:
    """For a session that comes back."""
    b = backlog_of(loop)
    rows = ["[LOOP RESUME] Active loop detected", f"Scope: {summary(loop, 200)}", *_standing(loop, b)]
    return "\n".join([*rows, f"Next: {focus(loop) or b.next_item}"])


def _standing(loop: Loop, b: Backlog) -> list[str]:
    return [
        f"🔄 Iteration {loop.spend.iterations + 1} of {loop.limits.iterations}",
        f"📊 Progress: {b.tally}, {len(b.items)} open",
    ]


def _task(loop: Loop, b: Backlog) -> list[str]:
    """The one thing to do in this turn: mend, explore, or take an item."""
    if b.mode == REPAIR or loop.unmet:
        broken = [failing(c, loop) for c in loop.criteria if not loop.is_met(c)]
        return [f"🛠️ {focus(loop)}. Before anything else: nothing new while a guard is broken.", *broken]
    if b.mode == EXPLORATION:
        return _exploration(loop, b)
    idea = suggestion(b.suggestions, loop.spend.iterations + 1)[1]
    hint = [f"💡 {idea}"] if idea else []
    if b.task_mode:
        left = len(b.items) - 1
        return [f"🎯 Your one task, since iteration {b.task_since}: {b.next_item}", f"({left} more wait behind it.)", *hint]
    return [f"🎯 Go on with: {b.next_item}", *_shown(b), *hint]


def _exploration(loop: Loop, b: Backlog) -> list[str]:
    why = "The backlog is empty" if not b.items else "A cycle is complete"
    dry = f" (found nothing {loop.streak.dry} of {loop.limits.dry} times)" if loop.streak.dry else ""
    return [
        f"🔍 EXPLORATION: {why}, look for more work{dry}.",
        "Send a sub-agent (the Task or Agent tool, subagent_type Explore) and give it:",
        f"- Scope: {clip(loop.spec, 1_000)}",
        f"- Look for: {b.look_for or 'defects, rough edges and missing pieces within the scope'}",
        f"- Known already: {PAGE}",
        f"- This time in particular: {suggestion(b.suggestions, loop.spend.iterations + 1)[1] or 'anything small and certain'}",
        "Write each finding down as an item of the backlog, small enough for one turn. Then begin with the best one.",
        *_shown(b),
    ]


def _shown(b: Backlog) -> list[str]:
    if not b.items:
        return []
    more = [f"- … and {len(b.items) - MOST_SHOWN} more"] if len(b.items) > MOST_SHOWN else []
    return [f"Backlog ({len(b.items)} open):", *(f"- {text}" for text in b.items[:MOST_SHOWN]), *more]


def _bounds(loop: Loop, b: Backlog) -> list[str]:
    rows = [f"⚠️ SCOPE: {clip(loop.spec, 1_200)}", "Stay inside it. If you have drifted, come back."]
    if b.context:
        rows.append(f"📎 CONTEXT: {clip(b.context, MOST_CONTEXT)}")
    if loop.criteria:
        rows.append(f"Guards, run by us after every change: {', '.join(c.name for c in loop.criteria)}.")
    return rows


def protocol(b: Backlog) -> str:
    when = "your task is done" if b.task_mode else "what you took on is done and you want to look for more"
    return (
        "Write down as you go: `loop backlog add TEXT`, `loop backlog done TEXT`, `loop backlog focus TEXT`, "
        f"`loop backlog note TEXT`, or edit {PAGE} (items are `- text`). The numbers in it are ours.\n"
        f"When {when}, end your answer with this, outside any code fence:\n"
        f"{OPEN}\ndone: <item>; <item>\nfound: <new item>\n{CLOSE}\n"
        "Only where no one but a person can help, end with this instead:\n"
        f"{BLOCK_OPEN}\nASK: <question>   (or BLOCKED: <why>)\n{BLOCK_CLOSE}"
    )


def finished(loop: Loop) -> str:
    why = f"{loop.streak.dry} explorations in a row found nothing more to do"
    return f"[LOOP] ✓ Finished: {why}.\n{final(loop)}"


def final(loop: Loop) -> str:
    """Every end says the same: the scope, what came of it, and how the guards stand."""
    b = backlog_of(loop)
    guards = ", ".join(f"{c.name} {'✓' if loop.is_met(c) else '✗ BROKEN'}" for c in loop.criteria) or "none"
    spent = "unknown" if loop.spend.unpriced else f"${loop.spend.dollars:.2f}"
    return (
        f"Scope was: {summary(loop, 200)}\n"
        f"Final stats: {b.tally}, {len(b.items)} open | {loop.spend.iterations} iterations, {spent}\n"
        f"Guards: {guards}"
    )


def reason(loop: Loop) -> str:
    """Why it goes on, in one line for a person."""
    b = backlog_of(loop)
    if loop.unmet:
        return f"a guard is broken: {', '.join(loop.unmet)}"
    return f"{b.tally}, {len(b.items)} open" if b.items else f"{b.tally}, exploring"


def put_back(fields: tuple[str, ...]) -> str:
    return f"[LOOP] {PAGE} was edited where it is not the agent's to write: {', '.join(fields)}. Put back."
