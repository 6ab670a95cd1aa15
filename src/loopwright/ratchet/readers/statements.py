"""A source file as a tree of statements, in every language, without a parser but that of Python.

A statement that holds others (a function, a block, `if`) has a head and children. Languages with
brackets are read by their brackets, the others by their indentation. The hook has no tree-sitter,
and the same file must be read in the same way wherever the comparison runs.
"""

from __future__ import annotations

import ast
import posixpath
from functools import cached_property

from ... import lazy_re as re
from ...repo.sources import SourceFile, code_text, parse_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARS = 600_000
MAX_DEPTH = 60  # blocks inside of each other
TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)'
    r"""|"(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\])*+`|\d\w*(?:\.\d\w*)?|[\w$@]+|\s+|.""",
    re.S,
)
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
        yield f'"{word[1:-1]}"' if is_quoted and '"' not in word else word


def one_line(text: str) -> str:
    return LAYOUT.sub(" ", text).strip()


def read_statements(path: str, text: str) -> list[Statement] | None:
    """The statements of a file; None if it cannot be read."""
    if len(text) > MAX_CHARS:
        return None
    ending = posixpath.splitext(path)[1].lower()
    if ending in (".py", ".pyw"):
        tree = parse_python(text)
        return None if tree is None else _python_statements(tree.body, 0)
    if ending in (".rb", ".rake", ".sh", ".bash", ".bats", ".pl", ".t", ".exs"):
        return IndentedReader(path, text).read()
    from .bracket_statements import BracketReader

    return BracketReader(path, text).read()


def _python_statements(body: list[ast.stmt], depth: int) -> list[Statement]:
    if depth > MAX_DEPTH:
        return []
    return [_python_statement(node, depth) for node in body if not _is_text(node)]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _python_statement(node: ast.stmt, depth: int) -> Statement:
    whole = ast.unparse(node)
    marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", ())]
    bodies = [getattr(node, name, None) or [] for name in ("body", "orelse", "finalbody")]
    if not bodies[0] or not isinstance(bodies[0], list):
        return Statement(one_line(whole), node.lineno)
    lines = [line for line in whole.split("\n") if line.strip()]
    head = next((line for line in lines if not line.startswith("@")), "")
    first, *others = [_python_statements(part, depth + 1) for part in bodies]
    statement = Statement(
        source=one_line(whole),
        line=node.lineno,
        head=head.strip(),
        children=first,
        marks=" ".join(f"@{mark}" for mark in marks),
    )
    handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
    for handler in handlers:
        inner = _python_statements(handler.body, depth + 1)
        name = ast.unparse(handler).partition("\n")[0]
        statement.children.append(Statement(name, handler.lineno, name, "", inner))
    for case in getattr(node, "cases", []):
        statement.children += _python_statements(case.body, depth + 1)
    for inner in filter(None, others):
        if isinstance(node, ast.If) and len(inner) == 1 and inner[0].head.startswith("if "):
            statement.children.append(inner[0])
        else:
            statement.children.append(Statement("else", inner[0].line, "else:", "", inner))
    return statement


GOES_ON = re.compile(r"\s*(?:&?\.\w|\|\||&&|[)\]}]|and\b|or\b)")
UNFINISHED = re.compile(r"(?:[,+\-*/|&=<>(\[{\\.]|\b(?:and|or|not))\s*$")
OPENS_BLOCK = re.compile(r"(?:\bdo(?:\s*\|[^|]*\|)?|\{(?:\s*\|[^|]*\|)?|\bthen|\bdef\b.*)\s*$")
CLOSES_BLOCK = re.compile(r"(?:end\b|[})]|fi\b|done\b|esac\b)")
BEGINS_PART = re.compile(r"(?:else|elsif|elif|rescue|ensure|when|in)\b")
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
