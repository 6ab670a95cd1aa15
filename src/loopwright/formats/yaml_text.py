"""Read YAML as people and models write it into front matter, with the position of every key.

This covers maps and lists in both styles, quoted, plain and block text, comments, tabs, and every
kind of line end. Reading never fails: what is not closed or makes no sense is a plain word or is
skipped, and does not affect the lines around it.
"""

from __future__ import annotations

from .. import lazy_re as re
from .yaml_flow import DEEPEST, QUOTED, flow_at, quoted_at
from .yaml_node import LIST, MAP, TEXT, WORD, YamlNode, YamlPair

LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
COLON = re.compile(r":(?=[ \t]|\Z)")
COMMENT_START = re.compile(r"(?:^|[ \t])#")
ANCHOR_OR_TAG = re.compile(r"[&!][^ \t,\[\]{}]*(?:[ \t]+|\Z)")  # skipped
BLOCK_HEADER = re.compile(r"([|>])[-+0-9]{0,2}(?=[ \t]*\Z|[ \t]+#)")
LIST_MARK = re.compile(r"-(?=[ \t]|\Z)")
NO_KEY_PREFIXES = (*"#&*!|>%@`[]{},\"'", "- ", "-\t", "? ", "?\t")
LONGEST_KEY = 200


class YamlLine:
    """The positions of a line: its start and end, where its words begin and stop, its indent."""

    __slots__ = ("at", "begin", "column", "end", "indent", "is_blank", "is_comment", "stop")

    def __init__(self, text: str, at: int, end: int) -> None:
        words = text[at:end].rstrip("\r\n")
        self.at, self.end, self.stop = at, end, at + len(words.rstrip(" \t"))
        self.indent = words[: len(words) - len(words.lstrip(" \t"))]
        self.begin = min(at + len(self.indent), self.stop)
        self.column = len(self.indent.expandtabs(2))
        self.is_blank = self.begin == self.stop
        self.is_comment = text.startswith("#", self.begin, self.stop)

    @property
    def has_content(self) -> bool:
        return not self.is_blank and not self.is_comment


class YamlText:
    """A part of a text. Columns decide what belongs to what; a tab counts as two."""

    def __init__(self, text: str, start: int = 0, stop: int | None = None) -> None:
        self.text = text
        rows = LINE.finditer(text, start, len(text) if stop is None else stop)
        self.lines = [YamlLine(text, row.start(), row.end()) for row in rows]
        # Lines that look empty or like a comment, but are part of a block text.
        self.block_text_lines: set[int] = set()

    def pairs(self) -> tuple[YamlPair, ...]:
        return self._read_map(0, 0, 0)[0].pairs

    def pair_at(
        self, n: int, begin: int = -1, column: int = -1, depth: int = 0
    ) -> tuple[YamlPair | None, int]:
        """The pair that begins in a line, and the first line after it; None without a key.

        `begin` and `column` are given for a key after a dash.
        """
        line = self.lines[n]
        if begin < 0:
            begin, column = line.begin, line.column
        key = self._key_at(begin, line.stop)
        if key is None:
            return None, n + 1
        name, colon = key
        node, start, stop, after = self._value_at(n, colon, column, depth)
        after = self._plain_lines_below(after, column)[1]
        last = self._line_of(n, stop)
        pair = YamlPair(
            key=name,
            node=node,
            line_start=line.at,
            indent=line.indent,
            after_colon=colon,
            value_start=start,
            value_stop=stop,
            value_line_end=self.lines[last].end,
            further_lines=self._value_lines(last + 1, after),
        )
        return pair, after

    def _line_of(self, n: int, position: int) -> int:
        """The line from `n` on that contains this position."""
        while self.lines[n].end < position:
            n += 1
        return n

    def _value_lines(self, first: int, after: int) -> tuple[tuple[int, int], ...]:
        """Start and end of the lines that belong to a value; empty lines and comments do not."""
        spans = []
        for number in range(first, after):
            line = self.lines[number]
            if line.has_content or number in self.block_text_lines:
                spans.append((line.at, line.end))
        return tuple(spans)

    def _next_content(self, n: int) -> int:
        """The next line from `n` on that has content; the number of lines if none has."""
        while n < len(self.lines) and not self.lines[n].has_content:
            n += 1
        return n

    def _is_list_item(self, n: int) -> bool:
        line = self.lines[n]
        return LIST_MARK.match(self.text, line.begin, line.stop) is not None

    def _key_at(self, begin: int, stop: int) -> tuple[str, int] | None:
        """A key, and the position after its colon."""
        if quotes := QUOTED.match(self.text, begin, stop):
            rest = self.text[quotes.end() : stop].lstrip(" \t")
            colon = COLON.match(self.text, stop - len(rest), stop)
            node = quoted_at(self.text, begin, stop)
            return (node[0].text, colon.end()) if colon and node else None
        colon = COLON.search(self.text, begin, stop)
        if colon is None:
            return None
        name = self.text[begin : colon.start()].rstrip(" \t")
        if name.startswith(NO_KEY_PREFIXES) or COMMENT_START.search(name):
            return None
        return (name, colon.end()) if 0 < len(name) <= LONGEST_KEY else None

    def _value_at(
        self, n: int, at: int, column: int, depth: int, dash: bool = False
    ) -> tuple[YamlNode, int, int, int]:
        """The value after a key or a dash, its start and stop in the line, the line after it."""
        line_stop = self.lines[n].stop
        begin = self._skip_blanks(at, line_stop)
        inline = begin
        while mark := ANCHOR_OR_TAG.match(self.text, inline, line_stop):
            inline = mark.end()
        if inline < line_stop and self.text[inline] != "#":
            node, stop, after = self._read_inline(n, inline, column)
            if node.is_empty:  # the lines below `{}` were added later and are meant
                below, after_below = self._value_below(after, column, depth + 1, dash=True)
                if not below.is_empty:
                    node, after = below, after_below
            return node, begin, stop, after
        node, after = self._value_below(n + 1, column, depth + 1, dash)
        if inline > begin:
            return node, begin, inline, after
        return node, at, at, after

    def _skip_blanks(self, at: int, stop: int) -> int:
        while at < stop and self.text[at] in " \t":
            at += 1
        return at

    def _value_below(self, n: int, column: int, depth: int, dash: bool) -> tuple[YamlNode, int]:
        """A value in the lines under its key: a list, a map, or words."""
        first = self._next_content(n)
        if first == len(self.lines):
            return YamlNode(), n
        is_list = self._is_list_item(first)
        # A list may begin in the column of its key, but not in the column of its dash.
        least_column = column if is_list and not dash else column + 1
        if self.lines[first].column < least_column:
            return YamlNode(), n
        if depth > DEEPEST:
            return YamlNode(), self._end_of_deeper_lines(first, column)
        if is_list:
            return self._read_list(first, depth)
        if not self._has_key_below(first, column):
            node, _, after = self._read_inline(first, self.lines[first].begin, column)
            if not self._has_key_below(after, column):
                return node, after
        return self._read_map(first, column + 1, depth)

    def _has_key_below(self, n: int, column: int) -> bool:
        """Is the next line with content indented further, and does it have a key?"""
        n = self._next_content(n)
        if n == len(self.lines) or self.lines[n].column <= column:
            return False
        return self._key_at(self.lines[n].begin, self.lines[n].stop) is not None

    def _end_of_deeper_lines(self, n: int, column: int) -> int:
        """The next line with content that is not indented further than this column."""
        n = self._next_content(n)
        while n < len(self.lines) and self.lines[n].column > column:
            n = self._next_content(n + 1)
        return n

    def _read_map(
        self, n: int, least: int, depth: int, begin: int = -1, column: int = -1
    ) -> tuple[YamlNode, int]:
        """All pairs that are indented at least this far; the first may follow a dash."""
        pairs = []
        if begin >= 0:
            first, n = self.pair_at(n, begin, column, depth)
            pairs = [first] if first else []
        n = self._next_content(n)
        while n < len(self.lines) and self.lines[n].column >= least:
            pair, n = self.pair_at(n, depth=depth)
            if pair:
                pairs.append(pair)
            n = self._next_content(n)
        return YamlNode(MAP, pairs=tuple(pairs), block=True), n

    def _read_list(self, n: int, depth: int) -> tuple[YamlNode, int]:
        """The items whose dashes are in one column. Deeper lines without a dash are skipped."""
        items, first = [], self.lines[n]
        while n < len(self.lines):
            line = self.lines[n]
            is_item = self._is_list_item(n)
            if not line.has_content or (line.column > first.column and not is_item):
                n += 1
                continue
            if line.column < first.column or not is_item:
                break
            begin = self._skip_blanks(line.begin + 1, line.stop)
            if self._key_at(begin, line.stop):
                column = line.column + len(self.text[line.begin : begin].expandtabs(2))
                node, n = self._read_map(n, first.column + 1, depth + 1, begin, column)
            else:
                node, _, _, n = self._value_at(n, line.begin + 1, line.column, depth, dash=True)
            items.append(node)
        return YamlNode(LIST, items=tuple(items), block=True, indent=first.indent), n

    def _read_inline(self, n: int, at: int, column: int) -> tuple[YamlNode, int, int]:
        """A value that begins here; it may continue in lines that are indented further."""
        header = BLOCK_HEADER.match(self.text, at, self.lines[n].stop)
        if header:
            return self._read_block_text(n, header.group(1), header.end(), column)
        if self.text[at] in "{[\"'":
            enclosed = self._read_enclosed(n, at, column)
            if enclosed:
                return enclosed
        return self._read_plain(n, at, column)

    def _read_enclosed(self, n: int, at: int, column: int) -> tuple[YamlNode, int, int] | None:
        """A value in quotes or brackets; None if it is not closed, or if more follows it."""
        last = n
        while last + 1 < len(self.lines) and self._is_continuation(last + 1, column):
            last += 1
        read = quoted_at if self.text[at] in "\"'" else flow_at
        value = read(self.text, at, self.lines[last].stop)
        if value is None:
            return None
        node, stop = value
        end = n
        while self.lines[end].stop < stop:
            end += 1
        rest = self.text[stop : self.lines[end].stop]
        is_comment = rest[:1] in (" ", "\t") and rest.lstrip(" \t").startswith("#")
        return (node, stop, end + 1) if is_comment or not rest else None

    def _is_continuation(self, n: int, column: int) -> bool:
        line = self.lines[n]
        return not line.has_content or line.column > column or self.text[line.begin] in "]}"

    def _read_plain(self, n: int, at: int, column: int) -> tuple[YamlNode, int, int]:
        first = self._without_comment(at, self.lines[n].stop)
        more, after = self._plain_lines_below(n + 1, column)
        return YamlNode(WORD, " ".join([first, *more])), at + len(first), after

    def _plain_lines_below(self, n: int, column: int) -> tuple[list[str], int]:
        """Lines that continue a value: indented further, up to a comment or a key."""
        words, after = [], n
        for number in range(n, len(self.lines)):
            line = self.lines[number]
            if line.is_blank:
                continue
            if line.is_comment or line.column <= column or self._key_at(line.begin, line.stop):
                break
            words.append(self._without_comment(line.begin, line.stop))
            after = number + 1
        return words, after

    def _without_comment(self, begin: int, stop: int) -> str:
        words = self.text[begin:stop]
        comment = COMMENT_START.search(words)
        return words[: comment.start()].rstrip(" \t") if comment else words

    def _read_block_text(
        self, n: int, style: str, stop: int, column: int
    ) -> tuple[YamlNode, int, int]:
        """A block text: `|` keeps its lines, `>` joins them."""
        after = n + 1  # its last line that is not blank, plus one
        rows: list[str] = []
        indent = ""
        for number in range(n + 1, len(self.lines)):
            line = self.lines[number]
            if not line.is_blank and line.column <= column:
                break
            if not line.is_blank:
                indent = indent or line.indent
                after = number + 1
            rows.append(self.text[line.at : line.stop].removeprefix(indent))
        self.block_text_lines |= {*range(n + 1, after)}
        text = "\n".join(rows[: after - n - 1]).strip("\n")
        return YamlNode(TEXT, text if style == "|" else text.replace("\n", " ")), stop, after
