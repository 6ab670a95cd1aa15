"""The board as plain lines, for a terminal that can only print. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.prompts.phrases import count_phrase
from .board_of_loops import BoardRow, BoardTotals, board_totals


def board_lines(rows: Iterable[BoardRow]) -> list[str]:
    """The totals, and two or three lines for each loop."""
    rows = list(rows)
    lines = [totals_line(board_totals(rows), unread=0)]
    for row in rows:
        lines += ["", f"{row.state_text}: {row.spec or row.id}"]
        if row.why:
            lines.append(f"  {row.why}")
        turns = f"{row.iterations} of {row.max_iterations} iterations"
        lines.append(f"  {row.project}, {turns}, {row.cost_text}: {row.root}")
    return lines


def totals_line(totals: BoardTotals, unread: int) -> str:
    parts = [
        f"{totals.needs_you} need you" if totals.needs_you != 1 else "1 needs you",
        f"{totals.working} working",
        *([f"{totals.queued} queued"] if totals.queued else []),
        f"{totals.over} over",
        f"${totals.dollars:.2f}",
    ]
    if totals.unreadable:
        parts.append(f"{totals.unreadable} unreadable")
    if unread:
        parts.append(f"reading {count_phrase(unread, 'loop')}")
    return " · ".join(parts)
