"""The text of a plan: its pieces, raw tags found by their lines, attributes, items with a box, commands behind them.

What stands in the tags is prose and code, which no XML reader takes. All of this is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..core.plan.plan import Task

LINE, TASK, FENCE, COMMENT = "line", "task", "fence", "comment"
FENCES = re.compile(r"(`{3,20})[^`]*$|(~{3,20})")
HEADING = re.compile(r"(#{1,6})\s+(.*)$")
ITEM = re.compile(r"([ \t]*)[-*+]\s+(?:\[([ xX])\]\s+)?(\S.*)$")
COMMAND = re.compile(r"\(check:\s*`([^`]+)`\s*\)\s*\.?$")
ATTRIBUTES = r"""(?:\s+[\w-]+\s*=\s*(?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'))*"""
ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]+)\s*=\s*(?:"((?:\\.|[^"\\\n])*)"|'([^'\n]*)')""")
ENTITIES = {"&quot;": '"', "&apos;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&"}
BLANK = re.compile(r"[ \t]*$", re.M)
EMPTY_WORDS = ("", "none", "-", "n/a")


class Piece(NamedTuple):
    """A line, or a whole task, fenced block or comment that begins at the first column."""

    kind: str
    line: int  # as people count
    text: str


def split_lines(text: str) -> list[str]:
    """Line ends are not content: a plan from Windows says the same."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def split_pieces(lines: list[str], n: int = 0) -> Iterator[Piece]:
    """All from line `n` on. An example of a task in a fence is no task. A fence that is never closed is a line like others."""
    unclosed: set[str] = (
        set()
    )  # marks that nothing closes from here on: looked for once, not from every line anew
    while n < len(lines):
        kind, mark = _opening_mark(lines[n])
        end = 0 if mark in unclosed else _end_line(lines, n, kind, mark)
        if not end:
            unclosed.add(mark)
            kind, end = LINE, n + 1
        yield Piece(kind, n + 1, "\n".join(lines[n:end]))
        n = end


def _opening_mark(line: str) -> tuple[str, str]:
    if line.startswith(("<task ", "<task\t", "<task>")) and line.rstrip().endswith(">"):
        return TASK, "</task>"
    if line.startswith("<!--"):
        return COMMENT, "-->"
    fence = FENCES.match(line)
    return (FENCE, fence[1] or fence[2]) if fence else (LINE, "")


def _end_line(lines: list[str], n: int, kind: str, mark: str) -> int:
    """The line after the last one of what begins here; 0 where it never ends. A task ends at the latest where the next begins."""
    if kind == LINE:
        return n + 1
    for at in range(n + (kind != COMMENT), len(lines)):
        line = lines[at].rstrip()
        if kind == TASK and (line == mark or _opening_mark(line)[0] == TASK):
            return at + (line == mark)
        if mark in line if kind == COMMENT else line.startswith(mark) and not line.strip(mark[0]):
            return at + 1
    return len(lines) if kind == TASK else 0


def find_element(text: str, name: str, opening: int = 0, closing: int = 0) -> tuple[int, str, int]:
    """Where <name> begins, what is in it, and where it ends. It begins a line and ends one; `opening` and `closing` say
    which of several counts, 0 the first and -1 the last. An end that ends no line counts where there is no other."""
    starts = list(re.finditer(rf"^[ \t]*<{name}{ATTRIBUTES}\s*>", text, re.M))
    if not starts:
        return 0, "", 0
    start = starts[opening]
    ends = [*re.finditer(rf"</{name}>[ \t]*$", text[start.end() :], re.M)] or [
        *re.finditer(f"</{name}>", text[start.end() :])
    ]
    if not ends:
        return 0, "", 0
    end = ends[closing]
    return start.start(), text[start.end() : start.end() + end.start()], start.end() + end.end()


def iter_elements(text: str, name: str) -> Iterator[tuple[dict[str, str], str]]:
    """Every <name …>text</name> in its order: attributes and text."""
    opening, at = re.compile(rf"<{name}({ATTRIBUTES})\s*>"), 0
    while (start := opening.search(text, at)) and (
        end := text.find(f"</{name}>", start.end())
    ) >= 0:
        yield parse_attributes(start[1]), text[start.end() : end]
        at = end


def without_comment_lines(text: str) -> str:
    """Without the comments that take whole lines. One inside a line may be what a check looks for."""
    kept, done = [], 0
    for start in re.finditer(r"^[ \t]*<!--", text, re.M):
        if start.start() >= done:
            end = text.find("-->", start.end()) + 3
            if end < 3:
                break
            kept.append(text[done : start.start() if BLANK.match(text, end) else end])
            done = end
    return "".join([*kept, text[done:]])


def parse_attributes(text: str) -> dict[str, str]:
    """name="value" pairs. A quote in a value is written &quot;, or with a backslash before it."""
    found = {}
    for name, double, single in ATTRIBUTE.findall(text):
        value = double.replace('\\"', '"') or single
        for entity, letter in ENTITIES.items():
            value = value.replace(entity, letter)
        found[name.lower()] = value.strip()
    return found


def parse_heading(line: str) -> tuple[int, str]:
    """The rank of a heading and its words; 0 for a line that is none."""
    found = HEADING.match(line)
    return (len(found[1]), found[2].rstrip("# \t")) if found else (0, "")


def parse_names(text: str) -> tuple[str, ...]:
    """a, b or [a, b]; none is none."""
    names = (
        name.strip(" \t\r\n\"'`")
        for name in re.split(r"[,;\n]", text.strip().removeprefix("[").removesuffix("]"))
    )
    return tuple(dict.fromkeys(name for name in names if name.lower() not in EMPTY_WORDS))


def split_command(text: str) -> tuple[str, str]:
    """What an item says, and the command that stands behind it as (check: `command`)."""
    found = COMMAND.search(text)
    return (text[: found.start()].rstrip(), found[1].strip()) if found else (text.rstrip(), "")


def dedent_text(text: str) -> str:
    """The text without blank lines around it and without the margin that its lines share; else every letter as it is."""
    whole = text.rstrip(" \t\n")
    first = text.rfind("\n", 0, len(text) - len(text.lstrip(" \t\n"))) + 1
    last = text.find("\n", len(whole))
    lines = text[first : last if last >= 0 else len(whole)].split("\n")
    if not first:  # it begins behind its tag: that line has no margin
        return "\n".join([lines[0].strip(" \t"), *_without_margin(lines[1:])])
    return "\n".join(_without_margin(lines))


def _without_margin(lines: list[str]) -> list[str]:
    """Blank lines have no say in it."""
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip(" \t")]
    shared = min(margins, key=len, default="")
    while not all(margin.startswith(shared) for margin in margins):  # tabs here, spaces there
        shared = shared[:-1]
    return [line[len(shared) :] for line in lines]


def resolve_dependencies(tasks: list[Task]) -> tuple[Task, ...]:
    """The tasks, with dependencies that are spelled otherwise (T01, 1) under the ids that the tasks have."""
    exact = {task.id for task in tasks}
    loose = {_normalized_id(task.id): task.id for task in reversed(tasks)}

    def named(name: str) -> str:
        return name if name in exact else loose.get(_normalized_id(name), name)

    return tuple(task.but(depends=tuple(dict.fromkeys(map(named, task.depends)))) for task in tasks)


def _normalized_id(name: str) -> str:
    found = re.fullmatch(r"[Tt]?-?0*(\d+)", name)
    return found[1] if found else name.lower()
