"""The difference between two outputs of a check, in rows that a page can show. Pure."""

from __future__ import annotations

from difflib import SequenceMatcher

from ..core.prompts.phrases import strip_control_characters
from ..core.record import Record

MAX_LINES = 3_000  # of each output; difflib is slow beyond
MAX_COLUMNS = 2_000
CONTEXT_LINES = 3
SAME, ADDED, REMOVED, SKIPPED = "same", "added", "removed", "skipped"


class DifferenceRow(Record):
    """One line: same, added, removed; or how many equal lines are skipped."""

    kind: str
    text: str


def shown_lines(output: str) -> list[str]:
    """The lines of an output as a page shows them: without control characters, and not too wide."""
    lines = strip_control_characters(output).split("\n")
    return [
        line if len(line) <= MAX_COLUMNS else f"{line[:MAX_COLUMNS]} … ({len(line)} characters)"
        for line in lines
    ]


def output_difference(before: str, after: str) -> tuple[DifferenceRow, ...]:
    """What changed from one output to the other, with a few lines around each change."""
    old, new = shown_lines(before)[-MAX_LINES:], shown_lines(after)[-MAX_LINES:]
    rows: list[DifferenceRow] = []
    end = 0
    for group in SequenceMatcher(None, old, new, autojunk=True).get_grouped_opcodes(CONTEXT_LINES):
        start = group[0][1]
        if start > end:
            rows.append(DifferenceRow(SKIPPED, f"{start - end} equal lines"))
        for kind, i1, i2, j1, j2 in group:
            if kind == "equal":
                rows += [DifferenceRow(SAME, line) for line in old[i1:i2]]
            else:
                rows += [DifferenceRow(REMOVED, line) for line in old[i1:i2]]
                rows += [DifferenceRow(ADDED, line) for line in new[j1:j2]]
        end = group[-1][2]
    if rows and end < len(old):
        rows.append(DifferenceRow(SKIPPED, f"{len(old) - end} equal lines"))
    return tuple(rows)
