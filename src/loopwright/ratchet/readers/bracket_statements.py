"""The statements of languages with brackets: where each begins and ends, and its blocks."""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from typing import NamedTuple

from ... import lazy_re as re
from ...repo.sources import SourceFile, code_text
from .statement import MAX_DEPTH, Statement, one_line

LIFETIME = re.compile(r"'(?=[a-z_]\w*(?!'))")  # of Rust; not the quote of a letter
LINE_END = re.compile("[\u2028\u2029]")  # JavaScript ends a line there, and its comment
SIGN = re.compile(r"[()\[\]{};\n]")
OPENER = {")": "(", "]": "[", "}": "{"}
# A block, or a literal? By the words before the brace.
CONTROL = r"(?:else|try|finally|do|static|loop|unsafe|async|move|defer|init|get|set|catch|default)$"
NO_BLOCK = re.compile(
    r"\bnew\s*[\w<>.,\[\]\s]*$|\b(?:is|switch|with|return|struct|interface|import|export|default)$"
    r"|(?:\]|\bmap\[[^\]]*\])\s*\*?[\w.]+$"
)
HEAD_OF_BLOCK = re.compile(
    r"(?:[\w@#\[\]()\"'=:,. ]*\s)?(?:class|interface|enum|namespace|trait|impl|mod|fn|struct|union"
    r"|extern|module|declare|function)\b"
    r"|(?:\}?\s*else\s+)?(?:if|for|while|match|switch|select|func)\b"
)
RETURN_TYPE = re.compile(r"\)\s*(?::|->)\s*[\w<>\[\]|&.?, ]+$")  # `): string {`
ENDS_CONTROL = re.compile(CONTROL)
STARTS_CONTROL = re.compile(r"(?:\}\s*else\s+)?(?:if|for|switch|select|while)\b")
ANNOTATIONS = re.compile(r"(?:@[\w.:]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*)+$")
GOES_ON = re.compile(
    r"\s*(?:\?*\.(?!\.)|&&|\|\||[)\],?:*/=]|[+-](?![+-])|->|=>|(?:should\w*|as|is|in|and|or"
    r"|throws|where|extends|implements|instanceof)\b)"
)
UNFINISHED = re.compile(r"(?:[,+*/|&=<(\[.?:]|=>|->|(?<!-)-|\b(?:return|new|await|in|is))$")
AFTER_BLOCK = re.compile(r"\s*(?:\?*\.(?!\.)|[(),;\]]|as\b)")


class Language(NamedTuple):
    needs_semicolon: bool = False  # a new line does not end a statement
    words_open_block: bool = True  # `name {` is a block, not a literal
    has_literals: bool = True  # a brace may open something that is no block


LANGUAGES = {
    **dict.fromkeys((".java", ".cs", ".php", ".c", ".h", ".cc", ".cpp"), Language(True)),
    ".rs": Language(True, False),
    **dict.fromkeys((".kt", ".kts", ".swift", ".scala", ".groovy"), Language(has_literals=False)),
    ".dart": Language(True),
}
SCRIPT = Language(False, False)  # and Go


class _Block:
    """An open bracket; a block has the statement that it belongs to."""

    def __init__(self, sign: str, statement: Statement | None = None, start: int = 0) -> None:
        self.sign = sign
        self.statement = statement
        self.start = start  # of that statement
        self.children: list[Statement] = []


class BracketReader:
    def __init__(self, path: str, text: str) -> None:
        ending = posixpath.splitext(path)[1].lower()
        self.language = LANGUAGES.get(ending, SCRIPT)
        text = LIFETIME.sub(" ", text) if ending == ".rs" else LINE_END.sub("\n", text)
        text = text.replace("<?php", "     ") if ending == ".php" else text
        source = SourceFile(path, text)
        self.text = code_text(source)
        self.masked = code_text(source, strings=False)
        self.line_ends = [match.start() for match in re.finditer("\n", text)]
        self.top: list[Statement] = []
        self.open: list[_Block] = []
        self.start = 0  # of the statement that we read
        self.current: Statement | None = None  # that statement, if it has a block already
        self.last_block_end = 0
        self.closed_type = False  # the last brace closed `struct { … }` of Go

    def read(self) -> list[Statement]:
        for match in SIGN.finditer(self.masked):
            sign, place = match[0], match.start()
            if sign in "([":
                self.open.append(_Block(sign))
            elif sign == "{":
                self._open_brace(place)
            elif sign in ")]}":
                self._close(OPENER[sign], place)
            elif self._ends_here(sign, place):
                self._finish(place)
        while self.open:
            block = self.open.pop()
            if block.statement is not None:
                self._finish(len(self.text))
                self._leave(block, len(self.text))
        self._finish(len(self.text))
        return self.top

    def _siblings(self) -> list[Statement]:
        blocks = [block for block in self.open if block.statement is not None]
        return blocks[-1].children if blocks else self.top

    def _is_nested(self) -> bool:
        """Are we inside a parenthesis or a literal of the statement?"""
        return bool(self.open) and self.open[-1].statement is None

    def _ends_here(self, sign: str, place: int) -> bool:
        if self._is_nested():
            return False
        said = self.text[self.start : place].strip()
        if sign == ";":
            return not (said.startswith(("if ", "for ", "switch ")) and self._is_go_head(place))
        if self.language.needs_semicolon:
            return said.startswith("#") and not said.startswith(("#[", "#!["))
        if not said or ANNOTATIONS.fullmatch(said) or UNFINISHED.search(said):
            return False
        return not GOES_ON.match(self.text, place)

    def _is_go_head(self, place: int) -> bool:
        """`if got := f(); got != 3 {` has its semicolon in one line with its brace."""
        line = self.masked[place : self.masked.find("\n", place)]
        return line.rstrip().endswith("{")

    def _open_brace(self, place: int) -> None:
        depth = len([block for block in self.open if block.statement is not None])
        if depth < MAX_DEPTH and self._opens_block(place):
            head = one_line(self.text[self.start : place])
            if self.current is None:
                self.current = Statement("", self._line(self.start), head)
            self.open.append(_Block("{", self.current, self.start))
            self.start, self.current = place + 1, None
        else:
            self.open.append(_Block("{"))

    def _opens_block(self, place: int) -> bool:
        said = self.text[self.start : place].rstrip()
        if not said.strip():
            return not self._is_nested()
        last = said[-1]
        if last == ")" or said.endswith(("=>", "->", "|")) or not self.language.has_literals:
            return True
        if RETURN_TYPE.search(said):
            return True
        if last == "]" and STARTS_CONTROL.match(said.strip()):  # `for each in [1, 2] {`
            return True
        if last in "=(,[:?&!{]+":
            return False
        if last == "}":
            is_type, self.closed_type = self.closed_type, False
            return not is_type and bool(STARTS_CONTROL.match(said.strip()))
        statement = said.strip()
        if NO_BLOCK.search(statement):
            return False
        if ENDS_CONTROL.search(statement) or self.language.words_open_block:
            return True
        is_head = bool(HEAD_OF_BLOCK.match(statement))
        return is_head and (not self._is_nested() or last == ">")

    def _close(self, opener: str, place: int) -> None:
        if not any(block.sign == opener for block in self.open):
            return
        while self.open:
            block = self.open.pop()
            if block.statement is not None:
                self.open.append(block)
                self._finish(place)
                self.open.pop()
                self._leave(block, place)
            elif block.sign == "{":
                before = self.text[self.start : place]
                self.closed_type = bool(re.search(r"\b(?:struct|interface)\s*\{[^{}]*$", before))
            if block.sign == opener:
                return

    def _leave(self, block: _Block, place: int) -> None:
        """The block is closed; its statement ends here unless something follows."""
        statement = block.statement
        if statement is None:
            return
        statement.children += block.children
        self.start, self.current = block.start, statement
        self.last_block_end = place + 1
        if not self._is_nested() and not AFTER_BLOCK.match(self.text, place + 1):
            self._finish(place + 1)

    def _finish(self, place: int) -> None:
        source = one_line(self.text[self.start : place]).lstrip("; ")
        if self.current is not None:
            self.current.source = source
            self.current.tail = one_line(self.text[self.last_block_end : place])
            self._siblings().append(self.current)
        elif source.strip(";,"):
            self._siblings().append(Statement(source, self._line(self.start)))
        self.start, self.current = place + (self.masked[place : place + 1] in ";\n}"), None

    def _line(self, position: int) -> int:
        while position < len(self.text) and self.text[position].isspace():
            position += 1
        return bisect_right(self.line_ends, position - 1) + 1
