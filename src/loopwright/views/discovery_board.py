"""The state of a discovery loop: backlog, focus, and the streaks that end it."""

from __future__ import annotations

from ..core.loop import Loop, backlog_of
from ..core.prompts.discovery import current_focus
from ..core.status import ENDED
from .rows import prefix_rows

BARS = "▁▂▃▄▅▆▇█"
MAX_SHOWN = 10


def rows(loop: Loop) -> list[str]:
    """For the board, instead of criteria and steps."""
    backlog = backlog_of(loop)
    task_mode = ", task mode" if backlog.task_mode else ""
    lines = [f"{backlog.tally}, {len(backlog.items)} open | preset {backlog.preset}{task_mode}"]
    if loop.status not in ENDED:
        lines += [
            f"focus: {current_focus(loop) or backlog.next_item}",
            f"mode: {backlog.mode} since iteration {backlog.mode_since}",
        ]
    if sizes := backlog.recent_sizes:
        lines.append(f"backlog: {sparkline(sizes)} ({sizes[0]} to {sizes[-1]} open)")
    lines += prefix_rows("  · ", backlog.items[:MAX_SHOWN])
    if len(backlog.items) > MAX_SHOWN:
        lines.append(f"  … and {len(backlog.items) - MAX_SHOWN} more")
    return lines


def streak_line(loop: Loop) -> str:
    return f"idle {loop.streak.idle}/{loop.limits.idle} · dry {loop.streak.dry}/{loop.limits.dry}"


def sparkline(sizes: tuple[int, ...]) -> str:
    """The open items at each Stop, as a line of bars."""
    most = max(max(sizes), 1)
    return "".join(BARS[size * (len(BARS) - 1) // most] for size in sizes)


def backlog_list(loop: Loop) -> str:
    """For `loop backlog`: the focus, the open items with their numbers, the completed ones."""
    backlog = backlog_of(loop)
    lines = [f"Focus: {current_focus(loop) or '(none)'}", f"Backlog ({backlog.tally}):"]
    items = [f"  {number}. {text}" for number, text in enumerate(backlog.items, 1)]
    lines += items or ["  (empty)"]
    if backlog.done:
        lines += ["Completed:", *prefix_rows("  ✓ ", backlog.done)]
    return "\n".join(lines)
