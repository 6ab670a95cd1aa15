"""A discovery loop at a glance: found, fixed, focus, the streaks that end it, and how the backlog grew."""

from __future__ import annotations

from ..core.loop import Loop, backlog_of
from ..core.prompts.discovery import current_focus
from ..core.status import ENDED

BARS = "▁▂▃▄▅▆▇█"
MAX_SHOWN = 10


def rows(loop: Loop) -> list[str]:
    """For the board, in the place of criteria and steps."""
    b = backlog_of(loop)
    lines = [
        f"{b.tally}, {len(b.items)} open | preset {b.preset}{', task mode' if b.task_mode else ''}"
    ]
    if loop.status not in ENDED:
        lines += [
            f"focus: {current_focus(loop) or b.next_item}",
            f"mode: {b.mode} since iteration {b.mode_since}",
        ]
    if b.recent_sizes:
        lines.append(
            f"backlog: {sparkline(b.recent_sizes)} ({b.recent_sizes[0]} to {b.recent_sizes[-1]} open)"
        )
    lines += [f"  · {text}" for text in b.items[:MAX_SHOWN]]
    return [
        *lines,
        *([f"  … and {len(b.items) - MAX_SHOWN} more"] if len(b.items) > MAX_SHOWN else []),
    ]


def streak_line(loop: Loop) -> str:
    return f"idle {loop.streak.idle}/{loop.limits.idle} · dry {loop.streak.dry}/{loop.limits.dry}"


def sparkline(sizes: tuple[int, ...]) -> str:
    """The open items at each Stop, as a line of bars."""
    most = max(max(sizes), 1)
    return "".join(BARS[size * (len(BARS) - 1) // most] for size in sizes)


def backlog_list(loop: Loop) -> str:
    b = backlog_of(loop)
    lines = [f"Focus: {current_focus(loop) or '(none)'}", f"Backlog ({b.tally}):"]
    lines += [f"  {number}. {text}" for number, text in enumerate(b.items, 1)] or ["  (empty)"]
    if b.done:
        lines += ["Completed:", *(f"  ✓ {text}" for text in b.done)]
    return "\n".join(lines)
