"""Which lines ran in node, from the coverage that V8 writes (NODE_V8_COVERAGE)."""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from urllib.parse import unquote, urlsplit

from ..core.record import Record
from ..disk.files import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_CHARS = 200_000_000


class NodeLines(Record):
    """Lines that ran, by file; files of which V8 ran another text are transformed."""

    ran: dict[str, set[int]]
    transformed: frozenset[str]
    saw_project: bool


def read_node_lines(folder: str, roots: tuple[str, ...], texts: dict[str, str]) -> NodeLines:
    """Read all reports of a folder. `roots` are the paths of the checkout as node saw them."""
    ran: dict[str, set[int]] = {}
    transformed: set[str] = set()
    saw_project = False
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        for script in _scripts(os.path.join(folder, name)):
            path = _path_in(script.get("url", ""), roots)
            saw_project = saw_project or (bool(path) and "node_modules/" not in path)
            if path not in texts:
                continue
            lines = _lines_run(script, texts[path])
            if lines is None:
                transformed.add(path)
            else:
                ran.setdefault(path, set()).update(lines)
    return NodeLines(ran, frozenset(transformed - ran.keys()), saw_project)


def _scripts(path: str) -> list[dict[str, Any]]:
    try:
        return list(json.loads(read_text(path, MAX_CHARS) or "{}").get("result", []))
    except (ValueError, AttributeError):  # a process was killed while it wrote
        return []


def _path_in(url: str, roots: tuple[str, ...]) -> str:
    path = unquote(urlsplit(url).path) if url.startswith("file:") else url
    root = next((root for root in roots if path.startswith(f"{root}/")), "")
    return path[len(root) + 1 :] if root else ""


def _lines_run(script: dict[str, Any], text: str) -> set[int] | None:
    """The lines whose first character is in a range that ran; None for another text."""
    ranges = [
        (row["startOffset"], row["endOffset"], row["count"])
        for function in script.get("functions", [])
        for row in function.get("ranges", [])
    ]
    units = _Units(text)
    if not ranges or max(end for _, end, _ in ranges) != units.length:
        return None
    counts: dict[int, tuple[int, int]] = {}  # line → size of the innermost range, its count
    for start, end, count in ranges:
        for line in units.lines_between(start, end):
            size = end - start
            if line not in counts or size <= counts[line][0]:
                counts[line] = (size, count)
    return {line for line, (_, count) in counts.items() if count}


class _Units:
    """V8 counts in units of UTF-16."""

    def __init__(self, text: str) -> None:
        self.starts: list[int] = []
        position = 0
        for row in text.split("\n"):
            indent = len(row) - len(row.lstrip())
            self.starts.append(position + indent)
            position += _size(row) + 1
        self.length = position - 1

    def lines_between(self, start: int, end: int) -> range:
        first = bisect_right(self.starts, start - 1)
        return range(first + 1, bisect_right(self.starts, end - 1) + 1)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
