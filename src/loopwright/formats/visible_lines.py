"""The lines of a page as people see them: without comments, code told from text. What is never closed is plain text."""

from __future__ import annotations

from ..core.record import Record

SECTIONS = ("scope", "context", "current focus", "backlog", "completed", "notes")


class Comment(Record):
    """Where one begins and ends, and all of it."""

    first: int
    last: int
    text: str


class VisibleLines:
    """Each line of a text with its end, and what is seen of it."""

    def __init__(self, text: str) -> None:
        self.whole = _split_lines(text)
        self.visible = [line.rstrip("\r\n") for line in self.whole]
        self.is_code = [False] * len(self.whole)
        self.continuation_lines: set[int] = (
            set()
        )  # lines that go on with a comment or with code from the line before
        self.comments: list[Comment] = []
        n = 0
        while n < len(self.whole):
            n = self._read_line(n)

    def _read_line(self, n: int) -> int:
        """Take comments out of a line, or a block of code as a whole; the line after it."""
        bare = self.visible[n].strip()
        if bare.startswith(("```", "~~~")) and (
            last := self._closing_line(n + 1, bare[:3], at_start=True)
        ):
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
        """A comment over several lines. What follows it on its last line is looked at when that line is read."""
        text = (
            "\n".join(
                [
                    self.visible[first][at:],
                    *self.visible[first + 1 : last],
                    self.visible[last].partition("-->")[0],
                ]
            )
            + "-->"
        )
        self.comments.append(Comment(first, last, text))
        self.visible[first] = self.visible[first][:at]
        self.visible[first + 1 : last] = [""] * (last - first - 1)
        self.visible[last] = self.visible[last].partition("-->")[2]
        self.continuation_lines |= {*range(first + 1, last + 1)}

    def _closing_line(self, start: int, mark: str, at_start: bool) -> int:
        """The line that closes a block, if it comes before the next section of ours; 0 for none."""
        for n in range(start, len(self.visible)):
            if self.visible[n].strip().startswith(mark) if at_start else mark in self.visible[n]:
                return n
            if heading_name(self.visible[n]) in SECTIONS:
                return 0
        return 0


def heading_name(line: str) -> str | None:
    """The name of a heading of the first two ranks."""
    marks, space, name = line.partition(" ")
    return name.strip().casefold().rstrip(":") if space and marks in ("#", "##") else None


def _split_lines(text: str) -> list[str]:
    """Lines with their ends; only \\n ends one, unlike in str.splitlines, which knows a dozen ends."""
    lines = text.split("\n")
    whole = [f"{line}\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole
