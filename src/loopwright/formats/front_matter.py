"""Front matter, code fences and single keys of a Markdown text: where they stand, and edits that leave every other byte alone."""

from __future__ import annotations

import re
from bisect import bisect_right

from ..core.record import Record
from .yaml_node import MAP, YamlPair
from .yaml_text import LINE, YamlText

MAX_CHARS, MAX_LINES = (
    1_000_000,
    50_000,
)  # letters and lines; a longer text is neither read nor written
BOM = "\ufeff"
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(\w*)([^\r\n]*)")
Edit = tuple[int, int, str]  # from, to, and what stands there instead


def is_small_enough(text: str) -> bool:
    return (
        len(text) <= MAX_CHARS
        and text.count("\n") + text.count("\r") - text.count("\r\n") <= MAX_LINES
    )


def front_matter_span(text: str) -> tuple[int, int, int] | None:
    """Where the front matter begins and stops between its rules, and where the body begins; None without one."""
    rows = LINE.finditer(text)
    first = next(rows, None)
    if first is None or first.group().removeprefix(BOM).rstrip() != "---":
        return None
    close = next(
        (
            row
            for row in rows
            if row.group().startswith(("---", "...")) and len(row.group().rstrip()) == 3
        ),
        None,
    )
    return (first.end(), close.start(), close.end()) if close else None


def body_start(text: str) -> int:
    """Where the text begins that people see."""
    found = front_matter_span(text)
    return found[2] if found else len(BOM) * text.startswith(BOM)


def front_matter_pairs(text: str) -> tuple[YamlPair, ...]:
    """The keys of the front matter."""
    found = front_matter_span(text)
    return YamlText(text, *found[:2]).pairs() if found else ()


def find_key(text: str, key: str, known: tuple[str, ...]) -> YamlPair | None:
    """A key of the front matter, the last of that name; else a map of that name at the left edge of the body.

    There it must hold a key that we know: a sentence, or a sample in a fence, is not meant.
    """
    if here := [pair for pair in front_matter_pairs(text) if pair.key == key]:
        return here[-1]
    start = body_start(text)
    body, code = YamlText(text, start), code_fences(text, start)
    for n, line in enumerate(body.lines):
        if (
            line.column == 0
            and text.startswith((key, f'"{key}"', f"'{key}'"), line.begin)
            and not is_in_code_fence(line.at, code)
        ):
            pair, _ = body.pair_at(n)
            if (
                pair
                and pair.key == key
                and pair.node.kind == MAP
                and any(pair.node.pair(name) for name in known)
            ):
                return pair
    return None


class CodeFence(Record):
    """A block of code: the word behind its opening, and the place of what is in it."""

    info: str
    start: int
    stop: int


def code_fences(text: str, start: int) -> list[CodeFence]:
    """The blocks of code from here on; one that is never closed is plain text."""
    rows = [
        (row.start(), row.end(), mark)
        for row in LINE.finditer(text, start)
        if (mark := FENCE.match(row.group()))
    ]
    found: list[CodeFence] = []
    free, open_ended = 0, {"`": len(text), "~": len(text)}
    for number, (at, end, mark) in enumerate(rows):
        sign, length = mark.group(1)[0], len(mark.group(1))
        if at < free or length >= open_ended[sign] or (sign == "`" and "`" in mark.group(3)):
            continue
        further = range(number + 1, len(rows))
        if close := next((n for n in further if _closes_fence(rows[n][2], mark.group(1))), 0):
            found.append(CodeFence(mark.group(2).lower(), end, rows[close][0]))
            free = rows[close][1]
        else:
            open_ended[sign] = length  # nor does anything further down close one like it
    return found


def _closes_fence(mark: re.Match[str], opening: str) -> bool:
    return mark.group(1).startswith(opening) and not (mark.group(2) + mark.group(3)).strip()


def is_in_code_fence(at: int, code: list[CodeFence]) -> bool:
    before = bisect_right(code, at, key=lambda fence: fence.start)
    return before > 0 and at < code[before - 1].stop


def line_ending(text: str) -> str:
    """How most lines of a text end."""
    crlf, lf, cr = text.count("\r\n"), text.count("\n"), text.count("\r")
    return "\r\n" if crlf * 2 > lf else "\n" if lf or not cr else "\r"


def insertion_edit(text: str, at: int, rows: list[str]) -> Edit:
    """These lines, behind the line that ends here; the last line of a text may have no end."""
    end = line_ending(text)
    open_line = at > 0 and text[at - 1] not in "\r\n"
    return at, at, "".join(f"{end}{row}" if open_line else f"{row}{end}" for row in rows)


def removal_edits(pair: YamlPair) -> list[Edit]:
    """A key goes, with all its lines."""
    return [
        (pair.line_start, pair.value_line_end, ""),
        *((start, stop, "") for start, stop in pair.further_lines),
    ]


def replacement_edits(text: str, pair: YamlPair, value: str, below: list[str]) -> list[Edit]:
    """A key says something else, in its own line and the lines below; a comment behind it stays."""
    edits: list[Edit] = [(start, stop, "") for start, stop in pair.further_lines]
    if pair.value_start == pair.value_stop or not value:
        edits.append((pair.after_colon, pair.value_stop, f" {value}" if value else ""))
    else:
        edits.append((pair.value_start, pair.value_stop, value))
    return [*edits, insertion_edit(text, pair.value_line_end, below)] if below else edits


def apply_edits(text: str, edits: list[Edit]) -> str:
    parts, at = [], 0
    for start, stop, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[at:start], new]
        at = stop
    return "".join([*parts, text[at:]])
