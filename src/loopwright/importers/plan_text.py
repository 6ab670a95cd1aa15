"""The parts of a plan's text: pieces, tags, attributes, items with a box, commands after them.

The tags contain prose and code that is not valid XML, so an XML parser cannot read them. All
functions here take time linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .. import lazy_re as re
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
    line: int  # counted from 1
    text: str


def split_lines(text: str) -> list[str]:
    """The lines without their ends, whether \\n or \\r\\n."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def split_pieces(lines: list[str], n: int = 0) -> Iterator[Piece]:
    """All pieces from line `n` on.

    A task in a fence is only an example. A fence that is never closed is a plain line.
    """
    # Marks that nothing closes from here on. To search again from every line would be quadratic.
    unclosed: set[str] = set()
    while n < len(lines):
        kind, mark = _opening_mark(lines[n])
        end = 0 if mark in unclosed else _end_line(lines, n, kind, mark)
        if not end:
            unclosed.add(mark)
            kind, end = LINE, n + 1
        yield Piece(kind, n + 1, "\n".join(lines[n:end]))
        n = end


def fenced_lines(lines: list[str]) -> set[int]:
    """The lines of code fences, in which a tag is an example. An unclosed fence is text."""
    marks = [n for n, line in enumerate(lines) if line.lstrip().startswith(("```", "~~~"))]
    inside: set[int] = set()
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        inside.update(range(opening, closing + 1))
    return inside


def _opening_mark(line: str) -> tuple[str, str]:
    """The kind of piece that begins in this line, and the mark that ends it."""
    if line.startswith(("<task ", "<task\t", "<task>")) and line.rstrip().endswith(">"):
        return TASK, "</task>"
    if line.startswith("<!--"):
        return COMMENT, "-->"
    fence = FENCES.match(line)
    return (FENCE, fence[1] or fence[2]) if fence else (LINE, "")


def _end_line(lines: list[str], n: int, kind: str, mark: str) -> int:
    """The line after a piece; 0 if it never ends. The next task ends an unclosed one."""
    if kind == LINE:
        return n + 1
    if kind == TASK:
        return _end_of_task(lines, n, mark)
    first = n if kind == COMMENT else n + 1  # a comment may end in its first line
    for number in range(first, len(lines)):
        line = lines[number].rstrip()
        closes_fence = line.startswith(mark) and not line.strip(mark[0])
        if closes_fence or (kind == COMMENT and mark in line):
            return number + 1
    return 0


def _end_of_task(lines: list[str], n: int, mark: str) -> int:
    for number in range(n + 1, len(lines)):
        line = lines[number].rstrip()
        if line == mark:
            return number + 1
        if _opening_mark(line)[0] == TASK:
            return number
    return len(lines)


def find_element(text: str, name: str, opening: int = 0, closing: int = 0) -> tuple[int, str, int]:
    """Where <name> begins, its content, and where it ends.

    The opening tag begins a line, and the closing tag ends one if there is such a tag. `opening`
    and `closing` select one of several: 0 is the first, -1 the last.
    """
    starts = list(re.finditer(rf"^[ \t]*<{name}{ATTRIBUTES}\s*>", text, re.M))
    if not starts:
        return 0, "", 0
    start = starts[opening]
    rest = text[start.end() :]
    ends = list(re.finditer(rf"</{name}>[ \t]*$", rest, re.M))
    ends = ends or list(re.finditer(f"</{name}>", rest))
    if not ends:
        return 0, "", 0
    end = ends[closing]
    return start.start(), rest[: end.start()], start.end() + end.end()


def iter_elements(text: str, name: str) -> Iterator[tuple[dict[str, str], str]]:
    """The attributes and the text of every <name …>text</name>, in order."""
    opening = re.compile(rf"<{name}({ATTRIBUTES})\s*>")
    start = opening.search(text)
    while start:
        end = text.find(f"</{name}>", start.end())
        if end < 0:
            return
        yield parse_attributes(start[1]), text[start.end() : end]
        start = opening.search(text, end)


def without_comment_lines(text: str) -> str:
    """The text without the comments that take whole lines.

    A comment inside a line stays: a check may look for it.
    """
    parts, done = [], 0
    for start in re.finditer(r"^[ \t]*<!--", text, re.M):
        if start.start() < done:
            continue
        close = text.find("-->", start.end())
        if close < 0:
            break
        end = close + len("-->")
        takes_whole_lines = BLANK.match(text, end)
        parts.append(text[done : start.start() if takes_whole_lines else end])
        done = end
    return "".join([*parts, text[done:]])


def parse_attributes(text: str) -> dict[str, str]:
    """The name="value" pairs. A quote in a value is &quot;, or has a backslash before it."""
    attributes = {}
    for name, double, single in ATTRIBUTE.findall(text):
        value = double.replace('\\"', '"') or single
        for entity, letter in ENTITIES.items():
            value = value.replace(entity, letter)
        attributes[name.lower()] = value.strip()
    return attributes


def parse_heading(line: str) -> tuple[int, str]:
    """The rank of a heading and its words; (0, "") for any other line."""
    heading = HEADING.match(line)
    return (len(heading[1]), heading[2].rstrip("# \t")) if heading else (0, "")


def parse_names(text: str) -> tuple[str, ...]:
    """The names in `a, b` or `[a, b]`, each once."""
    words = re.split(r"[,;\n]", text.strip().removeprefix("[").removesuffix("]"))
    names = dict.fromkeys(word.strip(" \t\r\n\"'`") for word in words)
    return tuple(name for name in names if name.lower() not in EMPTY_WORDS)


def split_command(text: str) -> tuple[str, str]:
    """The text of an item, and the command after it, written as (check: `command`)."""
    command = COMMAND.search(text)
    if not command:
        return text.rstrip(), ""
    return text[: command.start()].rstrip(), command[1].strip()


def dedent_text(text: str) -> str:
    """The text without blank lines around it and without the margin that its lines share."""
    whole = text.rstrip(" \t\n")
    first = text.rfind("\n", 0, len(text) - len(text.lstrip(" \t\n"))) + 1
    last = text.find("\n", len(whole))
    lines = text[first : last if last >= 0 else len(whole)].split("\n")
    if not first:  # the first line follows the tag and has no margin
        return "\n".join([lines[0].strip(" \t"), *_without_margin(lines[1:])])
    return "\n".join(_without_margin(lines))


def _without_margin(lines: list[str]) -> list[str]:
    """The lines without their common margin. Blank lines do not count for it."""
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip(" \t")]
    shared = min(margins, key=len, default="")
    while not all(margin.startswith(shared) for margin in margins):  # tabs here, spaces there
        shared = shared[:-1]
    return [line[len(shared) :] for line in lines]


def id_finder(tasks: Sequence[Task]) -> Callable[[str], str]:
    """What tells a task's own id by another spelling of it (T01, 1); "" if it is none's."""
    exact = {task.id for task in tasks}
    loose = {_normalized_id(task.id): task.id for task in reversed(tasks)}
    return lambda name: name if name in exact else loose.get(_normalized_id(name), "")


def resolve_dependencies(tasks: list[Task]) -> tuple[Task, ...]:
    """The tasks, with every dependency in the spelling of the task's id."""
    find_id = id_finder(tasks)

    def unique_ids(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(find_id(name) or name for name in names))

    return tuple(task.but(depends=unique_ids(task.depends)) for task in tasks)


def _normalized_id(name: str) -> str:
    """2, 02, T2 and T-002 are the same."""
    return re.sub(r"^t?[-_ ]?0*(?=[0-9])", "", name.strip().casefold())
