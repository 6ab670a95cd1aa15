"""Markdown around text of others: that text cannot break out of its place."""

from __future__ import annotations

from ..core.prompts.phrases import clip_text
from ..core.replies.reports import single_line

EMPTY_CELL = "–"
MAX_CELL = 200


def section(title: str, rows: list[str]) -> list[str]:
    """A heading and its rows; nothing if there are no rows."""
    return ["", f"## {title}", "", *rows] if rows else []


def table(head: str, rows: list[list[str]]) -> list[str]:
    """A table; `head` holds its column titles, one word each."""
    if not rows:
        return ["None."]
    titles = head.split()
    return [f"| {' | '.join(row)} |" for row in (titles, ["---"] * len(titles), *rows)]


def code_block(words: str, most: int) -> list[str]:
    """At most `most` characters in a fence of their own; nothing if there are none."""
    words = clip_text(words.strip(), most).replace("```", "'''")
    return ["```text", words, "```"] if words else []


def inline_text(words: str) -> str:
    """Text within a line: it cannot end the line, and it cannot open code or a tag."""
    line = " ".join(words.split())
    return "".join(f"\\{char}" if char in "\\`<" else char for char in line)


def inline_code(words: str) -> str:
    """A command as inline code, whatever backticks it contains."""
    line = " ".join(words.split())
    if "`" not in words:
        return f"`{line}`"
    fence = "``"
    while fence in words:
        fence += "`"
    return f"{fence} {line} {fence}"


def cell_text(text: str) -> str:
    """Text in a cell or a line, clipped.

    It cannot end the cell or the line, and it cannot open code, a tag, a heading or a link.
    """
    line = clip_text(single_line(text), MAX_CELL)
    escaped = "".join(f"\\{char}" if char in "\\`<|" else char for char in line)
    return f" {escaped}".replace(" #", " \\#").replace("]:", "]\\:")[1:]


def cell_code(text: str) -> str:
    """Inline code in a cell; plain text if it holds a character that would end the code."""
    line = clip_text(single_line(text), MAX_CELL)
    if set(line) & set("`|\\"):
        return cell_text(text)
    return f"`{line}`" if line else EMPTY_CELL
