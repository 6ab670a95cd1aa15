"""The lines of a page as people see them: comments removed, code marked as such.

A comment or a block of code that is never closed is plain text.
"""

from __future__ import annotations

from ..core.record import Record

SECTIONS = ("scope", "context", "current focus", "backlog", "completed", "notes")


class Comment(Record):
    """The first and the last line of a comment, and its text with the marks."""

    first: int
    last: int
    text: str


class VisibleLines:
    """Each line of a text with its end (`whole`), and what people see of it (`visible`)."""

    def __init__(self, text: str) -> None:
        self.whole = _split_lines(text)
        self.visible = [line.rstrip("\r\n") for line in self.whole]
        self.is_code = [False] * len(self.whole)
        # Lines that continue a comment or a block of code from the line before.
        self.continuation_lines: set[int] = set()
        self.comments: list[Comment] = []
        n = 0
        while n < len(self.whole):
            n = self._read_line(n)

    def _read_line(self, n: int) -> int:
        """Take the comments out of a line, or mark a block of code; the line to read next."""
        bare = self.visible[n].strip()
        if bare.startswith(("```", "~~~")):
            last = self._closing_line(n + 1, bare[:3], at_start=True)
            if last:
                self.is_code[n : last + 1] = [True] * (last + 1 - n)
                self.continuation_lines |= {*range(n + 1, last + 1)}
                return last + 1
        at = 0
        while (at := self.visible[n].find("<!--", at)) >= 0:
            line = self.visible[n]
            close = line.find("-->", at + 4)
            if close >= 0:
                self.comments.append(Comment(n, n, line[at : close + 3]))
                self.visible[n] = line[:at] + line[close + 3 :]
            elif last := self._closing_line(n + 1, "-->", at_start=False):
                self._hide_comment(n, at, last)
                break
            else:
                at += 4
        return n + 1

    def _hide_comment(self, first: int, at: int, last: int) -> None:
        """Take out a comment over several lines. The rest of its last line is read afterwards."""
        opening = self.visible[first][at:]
        between = self.visible[first + 1 : last]
        closing, mark, rest = self.visible[last].partition("-->")
        text = "\n".join([opening, *between, closing]) + mark
        self.comments.append(Comment(first, last, text))
        self.visible[first] = self.visible[first][:at]
        self.visible[first + 1 : last] = [""] * len(between)
        self.visible[last] = rest
        self.continuation_lines |= {*range(first + 1, last + 1)}

    def _closing_line(self, start: int, mark: str, at_start: bool) -> int:
        """The line that closes a block before the next section; 0 for none.

        `at_start`: the mark must begin the line.
        """
        for n in range(start, len(self.visible)):
            line = self.visible[n]
            if line.strip().startswith(mark) or (mark in line and not at_start):
                return n
            if heading_name(line) in SECTIONS:
                return 0
        return 0


def heading_name(line: str) -> str | None:
    """The name of a heading of the first two ranks; None for any other line."""
    marks, space, name = line.partition(" ")
    if not space or marks not in ("#", "##"):
        return None
    return name.strip().casefold().rstrip(":")


def _split_lines(text: str) -> list[str]:
    """Lines with their ends. Only \\n ends a line; str.splitlines splits at rarer marks too."""
    lines = text.split("\n")
    whole = [f"{line}\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole
