"""Write the progress of a plan into its files: a tick, `passes: true`, a status.

Only the characters of the mark change; every other byte of the file stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from .. import lazy_re as re
from ..core.plan.plan import ProgressMark

BOX, VALUE, LINE_VALUE, PAGE = "box", "value", "line value", "page"
BOX_IN_LINE = re.compile(r"\[([^\[\]]?)\]")
MAX_TEXT = 60  # of a line, to find it again


def set_marks(text: str, marks: Iterable[ProgressMark], done: bool = True) -> str:
    """The text with these marks set, or set back; one that is not found is left out."""
    for mark in marks:
        text = SETTERS[mark.kind](text, mark, done)
    return text


def _set_box(text: str, mark: ProgressMark, done: bool) -> str:
    """Put a letter into the box of the line that the mark means; the nearest, if lines repeat."""
    lines = text.split("\n")
    found = [n for n, line in enumerate(lines) if line_beginning(line) == mark.text]
    if not found:
        return text
    number = min(found, key=lambda n: abs(n + 1 - mark.line))
    letter, other = (mark.new, mark.old) if done else (mark.old, mark.new)
    box = BOX_IN_LINE.search(lines[number])
    if not box or (not done and box[1] != other):
        return text
    lines[number] = f"{lines[number][: box.start()]}[{letter}]{lines[number][box.end() :]}"
    return "\n".join(lines)


def line_beginning(line: str) -> str:
    """How a line begins, without the letter in its box, so that it is found again."""
    line = line.removeprefix("\ufeff").strip()  # the reader of a plan sees no byte order mark
    return BOX_IN_LINE.sub("[]", line, count=1)[:MAX_TEXT]


def _set_value(text: str, mark: ProgressMark, done: bool) -> str:
    span = find_value(text, mark.path)
    if span is None:
        return text
    new, old = (mark.new, mark.old) if done else (mark.old, mark.new)
    is_own = done or text[span[0] : span[1]] == old
    return f"{text[: span[0]]}{new}{text[span[1] :]}" if is_own else text


def _set_value_in_line(text: str, mark: ProgressMark, done: bool) -> str:
    """In a file with a JSON object on each line: of several with one id, the last counts."""
    name, *path = mark.path
    lines = text.split("\n")
    for number in range(len(lines) - 1, -1, -1):
        span = find_value(lines[number], ("id",))
        if span and lines[number][span[0] : span[1]] == name:
            lines[number] = _set_value(lines[number], mark.but(path=tuple(path)), done)
            break
    return "\n".join(lines)


def _set_page(text: str, mark: ProgressMark, done: bool) -> str:
    """Write a page that is not there yet; take it back as long as nobody changed it."""
    if done:
        return text or mark.text
    return "" if text == mark.text else text


SETTERS: dict[str, Callable[[str, ProgressMark, bool], str]] = {
    BOX: _set_box,
    VALUE: _set_value,
    LINE_VALUE: _set_value_in_line,
    PAGE: _set_page,
}


def find_value(text: str, path: tuple[str, ...]) -> tuple[int, int] | None:
    """Where the JSON value at this path begins and ends.

    A part of the path is a key of an object; in a list it is the id of an entry, or #0 for the
    first one.
    """
    try:
        return _find_value(text, _skip_blanks(text, 1 if text.startswith("\ufeff") else 0), path)
    except (ValueError, RecursionError, IndexError):
        return None


def _find_value(text: str, start: int, path: tuple[str, ...]) -> tuple[int, int] | None:
    if not path:
        return start, _end_of_value(text, start)
    for name, value in _parts_of(text, start):
        if name == path[0]:
            return _find_value(text, value, path[1:])
    return None


def _parts_of(text: str, start: int) -> Iterable[tuple[str, int]]:
    """The name of each part of an object or list, and where its value begins."""
    closing = {"{": "}", "[": "]"}.get(text[start])
    if closing is None:
        return
    at, position = _skip_blanks(text, start + 1), 0
    while text[at] != closing:
        if closing == "}":
            key, at = DECODER.raw_decode(text, at)
            at = _skip_blanks(text, _skip_blanks(text, at) + 1)  # behind the colon
            yield str(key), at
        else:
            entry, _ = DECODER.raw_decode(text, at)
            yield f"#{position}", at
            if isinstance(entry, dict) and "id" in entry:
                yield id_text(entry["id"]), at
        at = _skip_blanks(text, _end_of_value(text, at))
        position += 1
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)


DECODER = json.JSONDecoder()


def id_text(value: Any) -> str:
    """An id as the readers of plans spell it: some files have numbers."""
    return " ".join(str(value).split())


def _end_of_value(text: str, start: int) -> int:
    return DECODER.raw_decode(text, start)[1]


def _skip_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n") and at < len(text):
        at += 1
    return at
