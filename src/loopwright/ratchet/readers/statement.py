"""One statement of a source file, in any language."""

from __future__ import annotations

from functools import cached_property

from ... import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 60  # blocks inside of each other
TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)'
    r"""|"(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\])*+`"""
    r"|\d\w*(?:\.\d\w*)?|[\w$@]+|\s+|.",
    re.S,
)
BARE_QUOTE = re.compile(r'(?<!\\)((?:\\\\)*)"')
LAYOUT = re.compile(r"\s+")


class Statement:
    def __init__(
        self,
        source: str,
        line: int,
        head: str = "",
        tail: str = "",
        children: list[Statement] | None = None,
        marks: str = "",
    ) -> None:
        self.source = source  # its text in one line, without comments
        self.line = line
        self.head = head  # the text before its first block; "" without a block
        self.tail = tail  # what follows its last block
        self.children = [] if children is None else children
        self.marks = marks  # the decorators above it

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(tokens_of(self.source))

    @property
    def own_text(self) -> str:
        """The text without that of its blocks."""
        return f"{self.head} {self.tail}" if self.head else self.source

    def walk(self) -> Iterator[Statement]:
        yield self
        for child in self.children:
            yield from child.walk()


def tokens_of(text: str) -> Iterator[str]:
    """The words, texts and signs of a statement; the same for any layout and any quotes."""
    waiting = ""
    for match in TOKEN.finditer(text):
        word = match[0]
        if word.isspace() or word == ";":
            continue
        if waiting and word not in ")]}":
            yield waiting
        waiting = ""
        if word == ",":
            waiting = word  # a comma before a bracket that closes says nothing
            continue
        is_quoted = word[0] in "'`" and len(word) > 1
        yield _in_double_quotes(word) if is_quoted else word


def _in_double_quotes(text: str) -> str:
    """Of two quotes, the one that needs no backslash in its text is often taken."""
    body = text[1:-1].replace(f"\\{text[0]}", text[0])
    return '"' + BARE_QUOTE.sub(r"\1\"", body) + '"'


def one_line(text: str) -> str:
    return LAYOUT.sub(" ", text).strip()
