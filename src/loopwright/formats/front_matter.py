"""Find front matter, code fences and single keys of a Markdown text, and edit only those bytes."""

from __future__ import annotations

from bisect import bisect_right

from .. import lazy_re as re
from ..core.record import Record
from .yaml_node import MAP, YamlNode, YamlPair
from .yaml_text import LINE, YamlText

# A longer text is neither read nor written.
MAX_CHARS = 1_000_000
MAX_LINES = 50_000
BOM = "\ufeff"
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(\w*)([^\r\n]*)")
Edit = tuple[int, int, str]  # start, stop, and the text that replaces what is between


def is_small_enough(text: str) -> bool:
    lines = text.count("\n") + text.count("\r") - text.count("\r\n")
    return len(text) <= MAX_CHARS and lines <= MAX_LINES


def front_matter_span(text: str) -> tuple[int, int, int] | None:
    """Where the front matter starts and stops between its rules, and where the body starts."""
    rows = LINE.finditer(text)
    first = next(rows, None)
    if first is None or first.group().removeprefix(BOM).rstrip() != "---":
        return None
    for row in rows:
        if row.group().rstrip() in ("---", "..."):
            return first.end(), row.start(), row.end()
    return None


def body_start(text: str) -> int:
    """Where the text starts that people see."""
    span = front_matter_span(text)
    if span:
        return span[2]
    return len(BOM) if text.startswith(BOM) else 0


def front_matter_pairs(text: str) -> tuple[YamlPair, ...]:
    """The keys of the front matter, with their values."""
    span = front_matter_span(text)
    if span is None:
        return ()
    start, stop, _ = span
    return YamlText(text, start, stop).pairs()


def front_matter_map(text: str) -> YamlNode:
    """The front matter as a map; an empty one without front matter."""
    return YamlNode(MAP, pairs=front_matter_pairs(text))


def find_key(text: str, key: str, known: tuple[str, ...]) -> YamlPair | None:
    """The last such key of the front matter; else a map of that name at the left edge of the body.

    In the body the map must hold one of the `known` keys: a sentence, or a sample in a fence, is
    not meant.
    """
    if pair := front_matter_map(text).pair(key):
        return pair
    start = body_start(text)
    body, code = YamlText(text, start), code_fences(text, start)
    spellings = (key, f'"{key}"', f"'{key}'")
    for number, line in enumerate(body.lines):
        if line.column > 0 or not text.startswith(spellings, line.begin):
            continue
        if is_in_code_fence(line.at, code):
            continue
        candidate, _ = body.pair_at(number)
        if candidate and candidate.key == key and _has_key(candidate, known):
            return candidate
    return None


def _has_key(pair: YamlPair, names: tuple[str, ...]) -> bool:
    return pair.node.kind == MAP and any(pair.node.pair(name) for name in names)


class CodeFence(Record):
    """A block of code: the word after its opening mark, and where its content starts and stops."""

    info: str
    start: int
    stop: int


def code_fences(text: str, start: int) -> list[CodeFence]:
    """The blocks of code from `start` on. A fence that is never closed is plain text."""
    marks = _fence_marks(text, start)
    fences: list[CodeFence] = []
    free = 0  # where the last block ends
    # The shortest mark of each sign that nothing closes: a longer one is not closed either.
    unclosed = {"`": len(text), "~": len(text)}
    for number, (at, end, mark) in enumerate(marks):
        opening, info, rest = mark.groups()
        sign = opening[0]
        is_inline_code = sign == "`" and "`" in rest
        if at < free or len(opening) >= unclosed[sign] or is_inline_code:
            continue
        close = _closing_mark(marks, number + 1, opening)
        if close:
            fences.append(CodeFence(info.lower(), end, marks[close][0]))
            free = marks[close][1]
        else:
            unclosed[sign] = len(opening)
    return fences


FenceMark = tuple[int, int, re.Match[str]]  # where its line starts and ends, and the mark


def _fence_marks(text: str, start: int) -> list[FenceMark]:
    """Every line that opens or closes a fence."""
    matches = [(row, FENCE.match(row.group())) for row in LINE.finditer(text, start)]
    return [(row.start(), row.end(), mark) for row, mark in matches if mark]


def _closing_mark(marks: list[FenceMark], first: int, opening: str) -> int:
    """The first mark from there on that closes the opening one; 0 for none."""
    for number in range(first, len(marks)):
        sign, info, rest = marks[number][2].groups()
        if sign.startswith(opening) and not (info + rest).strip():
            return number
    return 0


def is_in_code_fence(at: int, code: list[CodeFence]) -> bool:
    count_before = bisect_right(code, at, key=lambda fence: fence.start)
    return count_before > 0 and at < code[count_before - 1].stop


def line_ending(text: str) -> str:
    """The line end that most lines of a text have."""
    crlf, lf, cr = text.count("\r\n"), text.count("\n"), text.count("\r")
    if crlf * 2 > lf:
        return "\r\n"
    return "\r" if cr and not lf else "\n"


def insertion_edit(text: str, at: int, rows: list[str]) -> Edit:
    """Insert lines after the line that ends at `at`; the last line of a text may have no end."""
    end = line_ending(text)
    follows_open_line = at > 0 and text[at - 1] not in "\r\n"
    if follows_open_line:
        return at, at, "".join(f"{end}{row}" for row in rows)
    return at, at, "".join(f"{row}{end}" for row in rows)


def removal_edits(pair: YamlPair) -> list[Edit]:
    """Remove a key with all its lines."""
    further = [(start, stop, "") for start, stop in pair.further_lines]
    return [(pair.line_start, pair.value_line_end, ""), *further]


def replacement_edits(text: str, pair: YamlPair, value: str, below: list[str]) -> list[Edit]:
    """Change the value of a key, in its line and the lines below; a comment in the line stays."""
    edits: list[Edit] = [(start, stop, "") for start, stop in pair.further_lines]
    has_value = pair.value_start != pair.value_stop
    if not value:
        edits.append((pair.after_colon, pair.value_stop, ""))
    elif has_value:
        edits.append((pair.value_start, pair.value_stop, value))
    else:
        edits.append((pair.after_colon, pair.value_stop, f" {value}"))
    if below:
        edits.append(insertion_edit(text, pair.value_line_end, below))
    return edits


def apply_edits(text: str, edits: list[Edit]) -> str:
    parts, at = [], 0
    for start, stop, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[at:start], new]
        at = stop
    return "".join([*parts, text[at:]])
