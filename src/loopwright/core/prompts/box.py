"""A box of lines that are equally wide on screen. Long rows are wrapped, never cut."""

from __future__ import annotations

import unicodedata

from .phrases import clip_text

BOX_WIDTH = 54
MAX_TEXT = 400  # of a row; only what an agent or a person wrote is longer


def draw_box(title: str, rows: list[str], tail: list[str]) -> str:
    """A box with its title in the border; a line divides the rows from the tail."""
    head = f"─ {title} "
    divider = [f"├{'─' * BOX_WIDTH}┤"] if tail else []
    box = [
        f"╭{head}{'─' * (BOX_WIDTH - display_width(head))}╮",
        *(line for row in rows for line in _box_lines(row)),
        *divider,
        *(line for row in tail for line in _box_lines(row)),
        f"╰{'─' * BOX_WIDTH}╯",
    ]
    return "\n".join(box)


def _box_lines(text: str) -> list[str]:
    words = " ".join(clip_text(text, MAX_TEXT).split())
    row = "".join(char for char in words if unicodedata.category(char) not in ("Cc", "Cf", "Cs"))
    width = BOX_WIDTH - 2
    return [f"│ {line}{' ' * (width - display_width(line))} │" for line in wrap_text(row, width)]


def wrap_text(text: str, width: int) -> list[str]:
    """The text in lines of at most so many columns, broken between words where that is possible."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if line and display_width(f"{line} {word}") <= width:
            line = f"{line} {word}"
            continue
        if line:
            lines.append(line)
        line = word
        while display_width(line) > width:
            head = _first_columns(line, width)
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line]


def _first_columns(text: str, width: int) -> str:
    columns = 0
    for at, char in enumerate(text):
        columns += _char_width(char)
        if columns > width:
            return text[:at]
    return text


def display_width(text: str) -> int:
    """Width on a terminal: wide letters and emoji take two columns, combining marks none."""
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
