"""Reads projects and cases from text files. Whatever does not fit is an error with file and line.

A file is a list of entries, each with headers, a blank line, and blocks of lines:

    case: helper accepts every sum
    project: pytest
    round: 2
    expect: not-proven
    why: The helper of the tests compares with a tolerance.
    run: git commit -qam done
        a line that is indented continues the header before it

    edit: tests/helper.py
     def same(left, right):
    -    assert left == right
    +    assert abs(left - right) < 9

`edit` changes a file: kept lines begin with a space, old ones with `-`, new ones with `+`, and `@@` stands
between two parts. The kept and old lines of a part must be in the file once. `write` makes a file of
lines that begin with `+`, `delete` removes one. `[committed]` and `[uncommitted]` stand before the blocks
that belong to the start, `[agent]` before those of the agent; without any, all are the agent's. The files of
a project are `write` blocks, and its honest fix stands behind `[fix]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

HEADER = re.compile(r"([a-z]+):(?: (.*))?")
ACTIONS = ("edit", "write", "delete")


class CatalogueError(Exception):
    """A text of the catalogue that cannot be read; the message names file and line."""


class Block:
    """What happens to one file."""

    def __init__(self, place: str, action: str, path: str) -> None:
        self.place, self.action, self.path = place, action, path
        self.lines: list[str] = []

    def add(self, line: str, place: str) -> None:
        marks = {"edit": " -+@", "write": "+", "delete": ""}[self.action]
        if not line or line[0] not in marks:
            raise CatalogueError(f"{place}: {line!r} does not belong to `{self.action}`")
        self.lines.append(line)

    def apply(self, files: dict[str, str]) -> None:
        if self.action == "write":
            files[self.path] = _joined(self.lines)
        elif self.path not in files:
            raise CatalogueError(f"{self.place}: there is no {self.path}")
        elif self.action == "delete":
            del files[self.path]
        else:
            files[self.path] = self._edited(files[self.path])

    def _edited(self, text: str) -> str:
        position = 0
        for part in self._parts():
            old = _joined([line for line in part if line[0] in " -"])
            new = _joined([line for line in part if line[0] in " +"])
            # Only whole lines: what stands before the part ends a line.
            found = [at for at in _places(text, old, position) if at == 0 or text[at - 1] == "\n"]
            if len(found) != 1:
                times = f"{len(found)} times" if found else "not"
                raise CatalogueError(f"{self.place}: is {times} in {self.path}: {old!r}")
            text = text[: found[0]] + new + text[found[0] + len(old) :]
            position = found[0] + len(new)
        return text

    def _parts(self) -> list[list[str]]:
        parts: list[list[str]] = [[]]
        for line in self.lines:
            if line == "@@":
                parts.append([])
            else:
                parts[-1].append(line)
        return parts


def _joined(lines: list[str]) -> str:
    return "".join(f"{line[1:]}\n" for line in lines)


def _places(text: str, part: str, start: int) -> Iterator[int]:
    while part and (start := text.find(part, start)) >= 0:
        yield start
        start += 1


class Entry:
    """One project or case as it is written: its headers in their order, and its blocks by section."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.headers: list[tuple[str, str]] = []
        self.sections: dict[str, list[Block]] = {}

    def one(self, key: str, default: str = "") -> str:
        values = self.all(key)
        if len(values) > 1:
            raise CatalogueError(f"{self.place}: `{key}` is there twice")
        return values[0] if values else default

    def all(self, key: str) -> tuple[str, ...]:
        return tuple(value for name, value in self.headers if name == key)

    def edits(self, section: str, files: Mapping[str, str]) -> dict[str, str | None]:
        """The edits of a section on these files; None is a file that is deleted."""
        changed = dict(files)
        blocks = self.sections.get(section, [])
        for block in blocks:
            block.apply(changed)
        return {block.path: changed.get(block.path) for block in blocks}


def read_entries(path: Path, headers: tuple[str, ...], sections: tuple[str, ...]) -> list[Entry]:
    """The entries of a file.

    The first of `headers` opens an entry; the first of `sections` is that of blocks without one.
    """
    reader = _Reader(headers, sections)
    with path.open(encoding="utf-8", newline="") as file:
        for number, line in enumerate(file.read().split("\n"), start=1):
            reader.read(line, f"{path.parent.name}/{path.name}:{number}")
    return reader.entries


class _Reader:
    """The state between two lines: which entry, section and block they belong to."""

    def __init__(self, headers: tuple[str, ...], sections: tuple[str, ...]) -> None:
        self.headers, self.sections = headers, sections
        self.entries: list[Entry] = []
        self.section = sections[0]
        self.block: Block | None = None
        self.is_head = False

    def read(self, line: str, place: str) -> None:
        if not line:
            self.block, self.is_head = None, False
        elif self.block is not None and line[0] in " -+@":
            self.block.add(line, place)
        elif self.is_head and line.startswith("    "):
            self._continue_header(line[4:])
        elif line.startswith("[") and line.strip("[]") in self.sections:
            self.section, self.block = line.strip("[]"), None
        else:
            self._read_header(line, place)

    def _continue_header(self, line: str) -> None:
        key, value = self.entries[-1].headers[-1]
        self.entries[-1].headers[-1] = (key, f"{value}\n{line}")

    def _read_header(self, line: str, place: str) -> None:
        found = HEADER.fullmatch(line)
        key, value = (found[1], found[2] or "") if found else ("", "")
        if key == self.headers[0]:
            self.entries.append(Entry(place))
            self.section, self.block, self.is_head = self.sections[0], None, True
            self.entries[-1].headers.append((key, value))
        elif key in ACTIONS and self.entries:
            self.block, self.is_head = Block(place, key, value), False
            self.entries[-1].sections.setdefault(self.section, []).append(self.block)
        elif key in self.headers and self.is_head:
            self.entries[-1].headers.append((key, value))
        else:
            raise CatalogueError(f"{place}: unknown: {line!r}")
