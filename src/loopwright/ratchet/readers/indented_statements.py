"""The statements of languages that are read by their indentation."""

from __future__ import annotations

from ... import lazy_re as re
from ...repo.sources import SourceFile, code_text
from .statement import Statement, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GOES_ON = re.compile(r"\s*(?:&?\.\w|\|\||&&|[)\]}]|and\b|or\b)")
UNFINISHED = re.compile(r"(?:[,+\-*/|&=<>(\[{\\.]|\b(?:and|or|not))\s*$")
OPENS_BLOCK = re.compile(r"(?:\bdo(?:\s*\|[^|]*\|)?|\{(?:\s*\|[^|]*\|)?|\bthen|\bdef\b.*)\s*$")
CLOSES_BLOCK = re.compile(r"(?:end\b|[})]|fi\b|done\b|esac\b)")
BRACKET = re.compile(r"[()\[\]{}]")


class IndentedReader:
    """Reads by indentation. A line that closes a block is the tail of its head."""

    def __init__(self, path: str, text: str) -> None:
        source = SourceFile(path, text)
        self.lines = code_text(source).split("\n")
        self.masked = code_text(source, strings=False).split("\n")

    def read(self) -> list[Statement]:
        top: list[Statement] = []
        above: list[tuple[int, Statement]] = []
        for indent, line, text in self._joined_lines():
            while above and above[-1][0] > indent:
                above.pop()
            if above and above[-1][0] == indent:
                _, before = above.pop()
                if CLOSES_BLOCK.match(text) and before.head:
                    before.tail = text
                    before.source = one_line(f"{before.source} {text}")
                    above.append((indent, before))
                    continue
            statement = Statement(text, line, text)
            siblings = above[-1][1].children if above else top
            siblings.append(statement)
            above.append((indent, statement))
            for _, outer in above[:-1]:
                outer.source = one_line(f"{outer.source} {text}")
        for statement in top:
            for each in statement.walk():
                if not each.children:
                    each.head, each.tail = "", ""
        return top

    def _joined_lines(self) -> Iterator[tuple[int, int, str]]:
        """Each line with its indentation and number; those of one statement joined."""
        waiting: list[str] = []
        first, depth = 0, 0
        for number, (line, masked) in enumerate(zip(self.lines, self.masked, strict=False), 1):
            if not line.strip():
                continue
            if not waiting:
                first = number
            waiting.append(line)
            for bracket in BRACKET.findall(masked):
                depth += 1 if bracket in "([{" else -1
            following = next((row for row in self.lines[number:] if row.strip()), "")
            opens = bool(OPENS_BLOCK.search(masked))
            goes_on = not CLOSES_BLOCK.match(following.strip()) and GOES_ON.match(following)
            if not opens and (depth > 0 or UNFINISHED.search(masked) or goes_on):
                continue
            indent = len(waiting[0]) - len(waiting[0].lstrip())
            yield indent, first, one_line(" ".join(waiting))
            waiting, depth = [], 0
