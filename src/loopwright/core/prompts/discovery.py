"""What a discovery loop tells its agent: where it stands, one suggestion that changes every turn, the scope, how to write down
what is found and done. And what it tells the person in the end.
"""

from __future__ import annotations

from ..criteria import Criterion
from ..discovery.backlog import Backlog
from ..loop import Loop, backlog_of
from ..replies.cycle import CYCLE_CLOSE, CYCLE_OPEN
from .parts import (
    MAX_PROMPT,
    cost_text,
    guidance_lines,
    spec_summary,
    unmet_criterion_text,
    warning_lines,
)
from .phrases import STATUS_CLOSE as BLOCK_CLOSE
from .phrases import STATUS_OPEN as BLOCK_OPEN
from .phrases import clip_text, count_phrase

BACKLOG_PAGE = ".claude/loop-state.local.md"
IDLE_WARNING = 2
MAX_CONTEXT = 4_000
MAX_ITEMS_SHOWN = 12  # items of the backlog in one prompt


def suggestion(suggestions: tuple[str, ...], iteration: int) -> tuple[int, str]:
    """The one whose turn it is: they go round with the iterations."""
    index = iteration % len(suggestions) if suggestions else 0
    return index, suggestions[index] if suggestions else ""


def current_focus(loop: Loop) -> str:
    """What is worked on now. A broken guard comes before all else."""
    b = backlog_of(loop)
    if loop.failing_guards:
        return f"Mend what is broken: {', '.join(loop.failing_guards)}"
    return b.next_item if b.task_mode and b.items else b.focus


def continue_prompt(loop: Loop) -> str:
    """Where it stands, what this turn is for, and the bounds. Of these only the middle is cut where all is too long."""
    b = backlog_of(loop)
    idle = []
    if loop.streak.idle >= IDLE_WARNING:
        idle.append(
            f"⚠️ Idle streak: {loop.streak.idle} turns without a change of files, commits, backlog, focus or notes. "
            f"At {loop.limits.idle} the loop stops: change something, or say why you cannot."
        )
    return _compose_prompt(
        loop,
        _progress_lines(loop, b),
        _task_lines(loop, b),
        [*_scope_lines(loop, b), *idle, *warning_lines(loop), *guidance_lines(loop)],
    )


def opening_prompt(loop: Loop) -> str:
    """The first prompt: all that an agent needs to begin."""
    b = backlog_of(loop)
    guidance = ["", "How to work here:", *b.guidance.strip().splitlines()] if b.guidance else []
    rest = [*_scope_lines(loop, b), *guidance_lines(loop)]
    rest.append(
        "There is no done: you go on finding and fixing, one small unit of work a turn, until the loop stops you."
    )
    return _compose_prompt(
        loop,
        [start_line(loop), *_progress_lines(loop, b)],
        [*_task_lines(loop, b), *guidance],
        rest,
    )


def _compose_prompt(loop: Loop, first: list[str], middle: list[str], last: list[str]) -> str:
    head, tail = "\n".join([*first, ""]), "\n".join(["", *last, reply_protocol(loop)])
    return (
        f"{head}\n{clip_text(chr(10).join(middle), MAX_PROMPT - len(head) - len(tail) - 2)}\n{tail}"
    )


def start_line(loop: Loop) -> str:
    limit = loop.limits
    return (
        f"[LOOP] Starting | Discovery: {backlog_of(loop).preset} | Guards: {len(loop.criteria)}"
        f" | Max: {limit.iterations} iterations | Budget: ${limit.dollars:g}"
    )


def resume_text(loop: Loop) -> str:
    """For a session that comes back."""
    b = backlog_of(loop)
    rows = [
        "[LOOP RESUME] Active loop detected",
        f"Scope: {spec_summary(loop, 200)}",
        *_progress_lines(loop, b),
    ]
    return "\n".join([*rows, f"Next: {clip_text(current_focus(loop) or b.next_item, 300)}"])


def _progress_lines(loop: Loop, b: Backlog) -> list[str]:
    return [
        f"🔄 Iteration {loop.spend.iterations + 1} of {loop.limits.iterations}",
        f"📊 Progress: {b.tally}, {len(b.items)} open",
    ]


def _task_lines(loop: Loop, b: Backlog) -> list[str]:
    """The one thing to do in this turn: mend, explore, or take an item."""
    if loop.failing_guards:
        broken = [
            unmet_criterion_text(c, loop) for c in loop.criteria if c.name in loop.failing_guards
        ]
        return [
            f"🛠️ {current_focus(loop)}. Before anything else: nothing new while a guard is broken.",
            *broken,
        ]
    if b.is_exploring:
        return _exploration_lines(loop, b)
    idea = suggestion(b.suggestions, loop.spend.iterations + 1)[1]
    hint = [f"💡 {idea}"] if idea else []
    if b.task_mode:
        left = len(b.items) - 1
        return [
            f"🎯 Your one task, since iteration {b.task_since}: {b.next_item}",
            f"({left} more wait behind it.)",
            *hint,
        ]
    return [f"🎯 Go on with: {b.next_item}", *_backlog_lines(b), *hint]


def _exploration_lines(loop: Loop, b: Backlog) -> list[str]:
    why = "The backlog is empty" if not b.items else "A cycle is complete"
    dry = (
        f" (found nothing {loop.streak.dry} of {loop.limits.dry} times)" if loop.streak.dry else ""
    )
    return [
        f"🔍 EXPLORATION: {why}, look for more work{dry}.",
        "Send a sub-agent (the Task or Agent tool, subagent_type Explore) and give it:",
        f"- Scope: {clip_text(loop.spec, 1_000)}",
        f"- Look for: {b.look_for or 'defects, rough edges and missing pieces within the scope'}",
        f"- Known already: {BACKLOG_PAGE}",
        f"- This time in particular: {suggestion(b.suggestions, loop.spend.iterations + 1)[1] or 'anything small and certain'}",
        "Write each finding down as an item of the backlog, small enough for one turn. Then begin with the best one.",
        *_backlog_lines(b),
    ]


def _backlog_lines(b: Backlog) -> list[str]:
    if not b.items:
        return []
    more = (
        [f"- … and {len(b.items) - MAX_ITEMS_SHOWN} more"] if len(b.items) > MAX_ITEMS_SHOWN else []
    )
    return [
        f"Backlog ({len(b.items)} open):",
        *(f"- {text}" for text in b.items[:MAX_ITEMS_SHOWN]),
        *more,
    ]


def _scope_lines(loop: Loop, b: Backlog) -> list[str]:
    rows = [
        f"⚠️ SCOPE: {clip_text(loop.spec, 1_200)}",
        "Stay inside it. If you have drifted, come back.",
    ]
    if b.context:
        rows.append(f"📎 CONTEXT: {clip_text(b.context, MAX_CONTEXT)}")
    if guards := ", ".join(c.name for c in loop.criteria if c.check and c.check.allowed):
        rows.append(f"Guards, run by us after every change: {clip_text(guards, 500)}.")
    return rows


def reply_protocol(loop: Loop) -> str:
    b = backlog_of(loop)
    when = (
        "your task is done"
        if b.task_mode
        else "what you took on is done and you want to look for more"
    )
    return (
        "Write down as you go: `loop backlog add TEXT`, `loop backlog done TEXT`, `loop backlog focus TEXT`, "
        f"`loop backlog note TEXT`; or, where that asks nobody for permission, edit {BACKLOG_PAGE} (items are `- text`; "
        "the numbers in it are ours).\n"
        f"When {when}, end your answer with this, outside any code fence:\n"
        f"{CYCLE_OPEN}\ndone: <item>; <item>\nfound: <new item>\n{CYCLE_CLOSE}\n"
        f"Only where no one but a person can help, end with three lines instead: `{BLOCK_OPEN}`, then `ASK: <question>` or "
        f"`BLOCKED: <why>`, then `{BLOCK_CLOSE}`."
    )


def finish_text(loop: Loop) -> str:
    why = f"{loop.streak.dry} explorations in a row found nothing more to do"
    return f"[LOOP] ✓ Finished: {why}.\n{final_summary(loop)}"


def final_summary(loop: Loop) -> str:
    """Every end says the same: the scope, what came of it, and how the guards stand."""
    b = backlog_of(loop)
    guards = ", ".join(f"{c.name} {_guard_status(c, loop)}" for c in loop.criteria) or "none"
    return (
        f"Scope was: {spec_summary(loop, 200)}\n"
        f"Final stats: {b.tally}, {len(b.items)} open | {count_phrase(loop.spend.iterations, 'iteration')}, {cost_text(loop)}\n"
        f"Guards: {guards}"
    )


def _guard_status(criterion: Criterion, loop: Loop) -> str:
    return (
        "✓"
        if loop.is_met(criterion)
        else "✗ BROKEN"
        if criterion.name in loop.failing_guards
        else "(not run)"
    )


def continue_reason(loop: Loop) -> str:
    """Why it goes on, in one line for a person."""
    b = backlog_of(loop)
    if loop.failing_guards:
        return f"a guard is broken: {', '.join(loop.failing_guards)}"
    return f"{b.tally}, {len(b.items)} open" if b.items else f"{b.tally}, exploring"


def page_tampering_notice(fields: tuple[str, ...]) -> str:
    return f"[LOOP] {BACKLOG_PAGE} was edited where it is not the agent's to write: {', '.join(fields)}. Put back."
