"""The picture of the time axis as lines of text, for a terminal. Pure."""

from __future__ import annotations

from .axis_picture import SIGNS, AxisPicture, Box

# From weak to strong: where two share a column, the later one is shown.
TEXT_SIGNS = {
    "wait": "·",
    "question": "?",
    "pause": "‖",
    "turn": "━",
    "failed turn": "╌",
    "passed": "✓",
    "failed": "✗",
    **SIGNS,
}
STRENGTH = {kind: number for number, kind in enumerate(TEXT_SIGNS)}
COST_SIGNS = "▁▂▃▄▅▆▇█"
COST = "cost"
MAX_NAME, NARROWEST = 10, 20


def axis_lines(picture: AxisPicture, width: int) -> list[str]:
    """A line for each row, the clock, and the legend; empty before anything has happened."""
    if not picture.rows:
        return []
    margin = min(MAX_NAME, max(len(row.name) for row in picture.rows)) + 1
    columns = max(width - margin, NARROWEST)
    lines = []
    for row in picture.rows:
        if row.marks:  # on a line of their own, so that they hide no check
            lines.append(f"{'':<{margin}}{_row_text(row.marks, columns)}".rstrip())
        lines.append(f"{row.name[:MAX_NAME]:<{margin}}{_row_text(row.boxes, columns)}".rstrip())
    lines.append(f"{'':<{margin}}{_clock_line(picture, columns)}".rstrip())
    return [*lines, *_legend_lines(picture, width)]


def _row_text(boxes: tuple[Box, ...], columns: int) -> str:
    cells = [" "] * columns
    strengths = [-1] * columns
    for box in boxes:
        first = min(int(box.left * columns), columns - 1)
        last = min(max(int((box.left + box.width) * columns) - 1, first), columns - 1)
        if box.kind == COST:
            # At the end of its turn: a bar as wide as the turn would say that time costs.
            cells[last] = COST_SIGNS[min(int(box.height * len(COST_SIGNS)), len(COST_SIGNS) - 1)]
            continue
        for place in range(first, last + 1):
            if STRENGTH[box.kind] >= strengths[place]:
                strengths[place], cells[place] = STRENGTH[box.kind], TEXT_SIGNS[box.kind]
    return "".join(cells)


def _clock_line(picture: AxisPicture, columns: int) -> str:
    line = ""
    for tick in picture.ticks:
        place = min(int(tick.left * columns), columns - len(tick.text))
        if place >= len(line) + bool(line):
            line = f"{line:<{place}}{tick.text}"
    return line


def _legend_lines(picture: AxisPicture, width: int) -> list[str]:
    lines = [""]
    for kind, words, _ in picture.legend:
        sign = f"{COST_SIGNS[0]}{COST_SIGNS[-1]}" if kind == COST else TEXT_SIGNS[kind]
        part = f"{sign} {words}"
        joined = f"{lines[-1]}   {part}".strip()
        if len(joined) > width:
            lines.append(part)
        else:
            lines[-1] = joined
    return [line for line in lines if line]
