"""The report of all loops since a moment, in Markdown: what needs a person, and how each ended."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.prompts.phrases import count_phrase, duration
from .board_of_loops import NEEDS_YOU, BoardRow, board_totals
from .markdown import cell_text, inline_code, inline_text, section, table


def text(rows: Sequence[BoardRow], title: str) -> str:
    """All loops in one table, and first those that wait for a person."""
    totals = board_totals(rows)
    waiting = [row for row in rows if row.group == NEEDS_YOU]
    lines = [
        f"# {inline_text(title)}",
        "",
        f"**{count_phrase(len(rows), 'loop')}, ${totals.dollars:.2f}: "
        f"{totals.needs_you} need you, {totals.working} still work, {totals.over} are over.**",
        *section("Needs you", [_waiting_line(row) for row in waiting]),
        *section("Loops", table("status loop project shown worked cost why", _table_rows(rows))),
        *section("Next", _next_rows(rows)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _waiting_line(row: BoardRow) -> str:
    command = inline_code(f"cd {row.root} && loop status")
    return f"- {inline_text(row.spec)}: {inline_text(row.why)} ({command})"


def _table_rows(rows: Sequence[BoardRow]) -> list[list[str]]:
    return [
        [
            cell_text(row.grade or row.status),
            cell_text(row.spec or row.id),
            cell_text(row.project),
            cell_text(row.progress_text) or " ",
            duration(row.minutes * 60),
            f"${row.dollars:.2f}" if row.is_cost_known else "unknown",
            cell_text(row.why) or " ",
        ]
        for row in rows
    ]


def _next_rows(rows: Sequence[BoardRow]) -> list[str]:
    if not rows:
        return ["- No loop has worked since then. All of them: `loop serve`"]
    return ["- One of them in full, in its folder: `loop report`. As pages: `loop report --html`"]
