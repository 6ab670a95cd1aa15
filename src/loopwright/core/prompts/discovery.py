"""What a discovery loop tells its agent and, at its end, the person.

The agent gets the progress, one suggestion that changes every turn, the scope, and how to record
what it finds and fixes.
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
from .phrases import DISPUTE_SENTENCE, clip_text, count_phrase
from .phrases import STATUS_CLOSE as BLOCK_CLOSE
from .phrases import STATUS_OPEN as BLOCK_OPEN

BACKLOG_PAGE = ".claude/loop-state.local.md"
IDLE_WARNING = 2
MAX_CONTEXT = 4_000
# Items of the backlog in one prompt.
MAX_ITEMS_SHOWN = 12


def suggestion(suggestions: tuple[str, ...], iteration: int) -> tuple[int, str]:
    """The suggestion of this iteration and its index: the suggestions take turns."""
    if not suggestions:
        return 0, ""
    index = iteration % len(suggestions)
    return index, suggestions[index]


def current_focus(loop: Loop) -> str:
    """What the agent works on now. A broken guard comes first."""
    backlog = backlog_of(loop)
    if loop.failing_guards:
        return f"Mend what is broken: {', '.join(loop.failing_guards)}"
    return backlog.next_item if backlog.task_mode and backlog.items else backlog.focus


def continue_prompt(loop: Loop) -> str:
    """The next prompt: the progress, the one thing to do, and the scope with its warnings."""
    backlog = backlog_of(loop)
    bounds = [*_scope_lines(loop, backlog), *_idle_lines(loop)]
    bounds += [*warning_lines(loop), *guidance_lines(loop)]
    return _compose_prompt(loop, _progress_lines(loop, backlog), _work_lines(loop, backlog), bounds)


def _idle_lines(loop: Loop) -> list[str]:
    if loop.streak.idle < IDLE_WARNING:
        return []
    return [
        f"⚠️ Idle streak: {loop.streak.idle} turns without a change of files, commits, backlog, "
        f"focus or notes. At {loop.limits.idle} the loop stops: "
        "change something, or say why you cannot."
    ]


def opening_prompt(loop: Loop) -> str:
    """The first prompt: everything that an agent needs to begin."""
    backlog = backlog_of(loop)
    work = _work_lines(loop, backlog)
    if backlog.guidance:
        work += ["", "How to work here:", *backlog.guidance.strip().splitlines()]
    bounds = [*_scope_lines(loop, backlog), *guidance_lines(loop)]
    bounds.append(
        "There is no done: you go on finding and fixing, one small unit of work a turn, "
        "until the loop stops you."
    )
    return _compose_prompt(loop, [start_line(loop), *_progress_lines(loop, backlog)], work, bounds)


def _compose_prompt(loop: Loop, first: list[str], work: list[str], bounds: list[str]) -> str:
    """Only the work in the middle is clipped if the prompt is too long."""
    head = "\n".join([*first, ""])
    tail = "\n".join(["", *bounds, reply_protocol(loop)])
    space = MAX_PROMPT - len(head) - len(tail) - 2
    middle = clip_text("\n".join(work), space)
    return f"{head}\n{middle}\n{tail}"


def start_line(loop: Loop) -> str:
    limit = loop.limits
    return (
        f"[LOOP] Starting | Discovery: {backlog_of(loop).preset} | Guards: {len(loop.criteria)}"
        f" | Max: {limit.iterations} iterations | Budget: ${limit.dollars:g}"
    )


def resume_text(loop: Loop) -> str:
    """What a resumed session is told."""
    backlog = backlog_of(loop)
    next_work = clip_text(current_focus(loop) or backlog.next_item, 300)
    rows = [
        "[LOOP RESUME] Active loop detected",
        f"Scope: {spec_summary(loop, 200)}",
        *_progress_lines(loop, backlog),
        f"Next: {next_work}",
    ]
    return "\n".join(rows)


def _progress_lines(loop: Loop, backlog: Backlog) -> list[str]:
    return [
        f"🔄 Iteration {loop.spend.iterations + 1} of {loop.limits.iterations}",
        f"📊 Progress: {backlog.tally}, {len(backlog.items)} open",
    ]


def _work_lines(loop: Loop, backlog: Backlog) -> list[str]:
    """The one thing to do in this turn: repair a guard, explore, or take an item."""
    if loop.failing_guards:
        return _repair_lines(loop)
    if backlog.is_exploring:
        return _exploration_lines(loop, backlog)
    if backlog.task_mode:
        lines = [
            f"🎯 Your one task, since iteration {backlog.task_since}: {backlog.next_item}",
            f"({len(backlog.items) - 1} more wait behind it.)",
        ]
    else:
        lines = [f"🎯 Go on with: {backlog.next_item}", *_backlog_lines(backlog)]
    if idea := _next_suggestion(loop, backlog):
        lines.append(f"💡 {idea}")
    return lines


def _repair_lines(loop: Loop) -> list[str]:
    broken = [c for c in loop.criteria if c.name in loop.failing_guards]
    return [
        f"🛠️ {current_focus(loop)}. Before anything else: nothing new while a guard is broken.",
        *(unmet_criterion_text(c, loop) for c in broken),
    ]


def _exploration_lines(loop: Loop, backlog: Backlog) -> list[str]:
    why = "A cycle is complete" if backlog.items else "The backlog is empty"
    dry = ""
    if loop.streak.dry:
        dry = f" (found nothing {loop.streak.dry} of {loop.limits.dry} times)"
    look_for = backlog.look_for or "defects, rough edges and missing pieces within the scope"
    idea = _next_suggestion(loop, backlog) or "anything small and certain"
    return [
        f"🔍 EXPLORATION: {why}, look for more work{dry}.",
        "Send a sub-agent (the Task or Agent tool, subagent_type Explore) and give it:",
        f"- Scope: {clip_text(loop.spec, 1_000)}",
        f"- Look for: {look_for}",
        f"- Known already: {BACKLOG_PAGE}",
        f"- This time in particular: {idea}",
        "Write each finding down as an item of the backlog, small enough for one turn. "
        "Then begin with the best one.",
        *_backlog_lines(backlog),
    ]


def _next_suggestion(loop: Loop, backlog: Backlog) -> str:
    return suggestion(backlog.suggestions, loop.spend.iterations + 1)[1]


def _backlog_lines(backlog: Backlog) -> list[str]:
    if not backlog.items:
        return []
    lines = [f"Backlog ({len(backlog.items)} open):"]
    lines += [f"- {text}" for text in backlog.items[:MAX_ITEMS_SHOWN]]
    more = len(backlog.items) - MAX_ITEMS_SHOWN
    if more > 0:
        lines.append(f"- … and {more} more")
    return lines


def _scope_lines(loop: Loop, backlog: Backlog) -> list[str]:
    rows = [
        f"⚠️ SCOPE: {clip_text(loop.spec, 1_200)}",
        "Stay inside it. If you have drifted, come back.",
    ]
    if backlog.context:
        rows.append(f"📎 CONTEXT: {clip_text(backlog.context, MAX_CONTEXT)}")
    if guards := ", ".join(c.name for c in loop.criteria if c.check and c.check.allowed):
        rows.append(f"Guards, run by us after every change: {clip_text(guards, 500)}.")
    return rows


def reply_protocol(loop: Loop) -> str:
    """How the agent records its findings, ends a cycle, asks, or gives up."""
    when = "what you took on is done and you want to look for more"
    if backlog_of(loop).task_mode:
        when = "your task is done"
    return (
        "Write down as you go: `loop backlog add TEXT`, `loop backlog done TEXT`, "
        "`loop backlog focus TEXT`, `loop backlog note TEXT`; "
        f"or, where that needs no permission, edit {BACKLOG_PAGE} (items are `- text`; "
        "the numbers in it are ours).\n"
        f"When {when}, end your answer with this, outside any code fence:\n"
        f"{CYCLE_OPEN}\ndone: <item>; <item>\nfound: <new item>\n{CYCLE_CLOSE}\n"
        "Only where no one but a person can help, end with three lines instead: "
        f"`{BLOCK_OPEN}`, then `ASK: <question>` or `BLOCKED: <why>`, then `{BLOCK_CLOSE}`.\n"
        f"{DISPUTE_SENTENCE} on a line of its own."
    )


def finish_text(loop: Loop, verdict: str) -> str:
    """The end of the loop; `verdict` is the box with what was found."""
    why = f"{loop.streak.dry} explorations in a row found nothing more to do"
    return f"[LOOP] ✓ Finished: {why}.\n{final_summary(loop)}\n{verdict}"


def final_summary(loop: Loop) -> str:
    """The scope, the tally and the state of the guards; the same for every kind of end."""
    backlog = backlog_of(loop)
    guards = ", ".join(f"{c.name} {_guard_status(c, loop)}" for c in loop.criteria) or "none"
    iterations = count_phrase(loop.spend.iterations, "iteration")
    return (
        f"Scope was: {spec_summary(loop, 200)}\n"
        f"Final stats: {backlog.tally}, {len(backlog.items)} open"
        f" | {iterations}, {cost_text(loop)}\n"
        f"Guards: {guards}"
    )


def _guard_status(criterion: Criterion, loop: Loop) -> str:
    if loop.is_met(criterion):
        return "✓"
    return "✗ BROKEN" if criterion.name in loop.failing_guards else "(not run)"


def continue_reason(loop: Loop) -> str:
    """Why the loop continues, in one line for a person."""
    backlog = backlog_of(loop)
    if loop.failing_guards:
        return f"a guard is broken: {', '.join(loop.failing_guards)}"
    if not backlog.items:
        return f"{backlog.tally}, exploring"
    return f"{backlog.tally}, {len(backlog.items)} open"


def page_tampering_notice(fields: tuple[str, ...]) -> str:
    return (
        f"[LOOP] {BACKLOG_PAGE} was edited where it is not the agent's to write: "
        f"{', '.join(fields)}. Put back."
    )
