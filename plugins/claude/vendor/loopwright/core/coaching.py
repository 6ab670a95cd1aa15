"""What a discovery loop tells its agent: where it stands, one suggestion that changes every turn, the scope, how to write down
what is found and done. And what it tells the person in the end.
"""

from __future__ import annotations

from .backlog import Backlog, backlog_of
from .cycle import CLOSE, OPEN
from .loop import Criterion, Loop
from .wording import CLOSE as BLOCK_CLOSE
from .wording import MOST_PROMPT, clip, counted, failing, person_says, spent, summary, warnings
from .wording import OPEN as BLOCK_OPEN

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
    if loop.broken:
        return f"Mend what is broken: {', '.join(loop.broken)}"
    return b.next_item if b.task_mode and b.items else b.focus


def go_on(loop: Loop) -> str:
    """Where it stands, what this turn is for, and the bounds. Of these only the middle is cut where all is too long."""
    b = backlog_of(loop)
    idle = []
    if loop.streak.idle >= WARN_IDLE:
        idle.append(
            f"⚠️ Idle streak: {loop.streak.idle} turns without a change of files, commits, backlog, focus or notes. "
            f"At {loop.limits.idle} the loop stops: change something, or say why you cannot."
        )
    return _composed(loop, _standing(loop, b), _task(loop, b), [*_bounds(loop, b), *idle, *warnings(loop), *person_says(loop)])


def opening(loop: Loop) -> str:
    """The first prompt: all that an agent needs to begin."""
    b = backlog_of(loop)
    guidance = ["", "How to work here:", *b.guidance.strip().splitlines()] if b.guidance else []
    rest = [*_bounds(loop, b), *person_says(loop)]
    rest.append("There is no done: you go on finding and fixing, one small unit of work a turn, until the loop stops you.")
    return _composed(loop, [started(loop), *_standing(loop, b)], [*_task(loop, b), *guidance], rest)


def _composed(loop: Loop, first: list[str], middle: list[str], last: list[str]) -> str:
    head, tail = "\n".join([*first, ""]), "\n".join(["", *last, protocol(loop)])
    return f"{head}\n{clip(chr(10).join(middle), MOST_PROMPT - len(head) - len(tail) - 2)}\n{tail}"


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
    return "\n".join([*rows, f"Next: {clip(focus(loop) or b.next_item, 300)}"])


def _standing(loop: Loop, b: Backlog) -> list[str]:
    return [
        f"🔄 Iteration {loop.spend.iterations + 1} of {loop.limits.iterations}",
        f"📊 Progress: {b.tally}, {len(b.items)} open",
    ]


def _task(loop: Loop, b: Backlog) -> list[str]:
    """The one thing to do in this turn: mend, explore, or take an item."""
    if loop.broken:
        broken = [failing(c, loop) for c in loop.criteria if c.name in loop.broken]
        return [f"🛠️ {focus(loop)}. Before anything else: nothing new while a guard is broken.", *broken]
    if b.exploring:
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
    if guards := ", ".join(c.name for c in loop.criteria if c.check and c.check.allowed):
        rows.append(f"Guards, run by us after every change: {clip(guards, 500)}.")
    return rows


def protocol(loop: Loop) -> str:
    b = backlog_of(loop)
    when = "your task is done" if b.task_mode else "what you took on is done and you want to look for more"
    return (
        "Write down as you go: `loop backlog add TEXT`, `loop backlog done TEXT`, `loop backlog focus TEXT`, "
        f"`loop backlog note TEXT`; or, where that asks nobody for permission, edit {PAGE} (items are `- text`; "
        "the numbers in it are ours).\n"
        f"When {when}, end your answer with this, outside any code fence:\n"
        f"{OPEN}\ndone: <item>; <item>\nfound: <new item>\n{CLOSE}\n"
        f"Only where no one but a person can help, end with three lines instead: `{BLOCK_OPEN}`, then `ASK: <question>` or "
        f"`BLOCKED: <why>`, then `{BLOCK_CLOSE}`."
    )


def finished(loop: Loop) -> str:
    why = f"{loop.streak.dry} explorations in a row found nothing more to do"
    return f"[LOOP] ✓ Finished: {why}.\n{final(loop)}"


def final(loop: Loop) -> str:
    """Every end says the same: the scope, what came of it, and how the guards stand."""
    b = backlog_of(loop)
    guards = ", ".join(f"{c.name} {_guard(c, loop)}" for c in loop.criteria) or "none"
    return (
        f"Scope was: {summary(loop, 200)}\n"
        f"Final stats: {b.tally}, {len(b.items)} open | {counted(loop.spend.iterations, 'iteration')}, {spent(loop)}\n"
        f"Guards: {guards}"
    )


def _guard(criterion: Criterion, loop: Loop) -> str:
    return "✓" if loop.is_met(criterion) else "✗ BROKEN" if criterion.name in loop.broken else "(not run)"


def reason(loop: Loop) -> str:
    """Why it goes on, in one line for a person."""
    b = backlog_of(loop)
    if loop.broken:
        return f"a guard is broken: {', '.join(loop.broken)}"
    return f"{b.tally}, {len(b.items)} open" if b.items else f"{b.tally}, exploring"


def put_back(fields: tuple[str, ...]) -> str:
    return f"[LOOP] {PAGE} was edited where it is not the agent's to write: {', '.join(fields)}. Put back."
