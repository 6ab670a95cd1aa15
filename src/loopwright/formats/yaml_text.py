"""YAML as people and models write it into front matter, read line by line: what it says, and where every key stands.

It is enough for maps and lists in both styles, quoted, plain and block text, comments, tabs, every kind of line end. It never
fails: what is not closed, or makes no sense, is a plain word or is passed over, and takes no line away from its neighbours.
"""

from __future__ import annotations

import re

from .yaml_flow import DEEPEST, QUOTED, flow_at, quoted_at
from .yaml_node import LIST, MAP, TEXT, WORD, YamlNode, YamlPair

LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
COLON = re.compile(r":(?=[ \t]|\Z)")
COMMENT_START = re.compile(r"(?:^|[ \t])#")
ANCHOR_OR_TAG = re.compile(r"[&!][^ \t,\[\]{}]*(?:[ \t]+|\Z)")  # an anchor or a tag: passed over
BLOCK_HEADER = re.compile(r"([|>])[-+0-9]{0,2}(?=[ \t]*\Z|[ \t]+#)")
NO_KEY_PREFIXES = (*"#&*!|>%@`[]{},\"'", "- ", "-\t", "? ", "?\t")
LONGEST_KEY = 200


class YamlLine:
    """Where a line begins, where its words begin and stop, where the next one begins, and how far it is set in."""

    __slots__ = ("at", "begin", "column", "end", "indent", "stop")

    def __init__(self, text: str, at: int, end: int) -> None:
        words = text[at:end].rstrip("\r\n")
        self.at, self.end, self.stop = at, end, at + len(words.rstrip(" \t"))
        self.indent = words[: len(words) - len(words.lstrip(" \t"))]
        self.begin = min(at + len(self.indent), self.stop)
        self.column = len(self.indent.expandtabs(2))


class YamlText:
    """A stretch of a text. Columns decide what belongs to what; a tab counts as two."""

    def __init__(self, text: str, start: int = 0, stop: int | None = None) -> None:
        self.text = text
        found = LINE.finditer(text, start, len(text) if stop is None else stop)
        self.lines = [YamlLine(text, row.start(), row.end()) for row in found]
        self.block_text_lines: set[int] = (
            set()
        )  # lines that look empty or like a comment and are part of a text

    def pairs(self) -> tuple[YamlPair, ...]:
        return self._read_map(0, 0, 0)[0].pairs

    def pair_at(
        self, n: int, begin: int = -1, column: int = -1, depth: int = 0
    ) -> tuple[YamlPair | None, int]:
        """The pair that begins in a line, and the first line after it; None where no key stands."""
        line = self.lines[n]
        begin, column = (line.begin, line.column) if begin < 0 else (begin, column)
        key = self._key_at(begin, line.stop)
        if key is None:
            return None, n + 1
        name, colon = key
        node, start, stop, after = self._value_at(n, colon, column, depth)
        after = self._plain_lines_below(after, column)[1]
        last = n
        while self.lines[last].end < stop:
            last += 1
        further = tuple(
            (self.lines[m].at, self.lines[m].end)
            for m in range(last + 1, after)
            if not self._is_skipped(m)
        )
        return YamlPair(
            name, node, line.at, line.indent, colon, start, stop, self.lines[last].end, further
        ), after

    def _is_empty_or_comment(self, n: int) -> bool:
        line = self.lines[n]
        return line.begin == line.stop or self.text[line.begin] == "#"

    def _is_skipped(self, n: int) -> bool:
        return self._is_empty_or_comment(n) and n not in self.block_text_lines

    def _is_list_item(self, n: int) -> bool:
        line = self.lines[n]
        return self.text.startswith("-", line.begin) and self.text[line.begin + 1 : line.stop][
            :1
        ] in ("", " ", "\t")

    def _key_at(self, begin: int, stop: int) -> tuple[str, int] | None:
        """A key, and the place behind its colon."""
        if quotes := QUOTED.match(self.text, begin, stop):
            rest = self.text[quotes.end() : stop].lstrip(" \t")
            colon = COLON.match(self.text, stop - len(rest), stop)
            node = quoted_at(self.text, begin, stop)
            return (node[0].text, colon.end()) if colon and node else None
        colon = COLON.search(self.text, begin, stop)
        name = self.text[begin : colon.start()].rstrip(" \t") if colon else ""
        wrong = (
            not name
            or name.startswith(NO_KEY_PREFIXES)
            or len(name) > LONGEST_KEY
            or COMMENT_START.search(name)
        )
        return None if wrong or not colon else (name, colon.end())

    def _value_at(
        self, n: int, at: int, column: int, depth: int, dash: bool = False
    ) -> tuple[YamlNode, int, int, int]:
        """What stands behind a key or a dash of this column, its place in the line, and the first line after it."""
        begin = self._skip_blanks(at, self.lines[n].stop)
        inline = begin
        while found := ANCHOR_OR_TAG.match(self.text, inline, self.lines[n].stop):
            inline = found.end()
        if inline < self.lines[n].stop and self.text[inline] != "#":
            node, stop, after = self._read_inline(n, inline, column)
            if node.is_empty:  # `{}` with lines below that somebody added and meant
                below, further = self._value_below(after, column, depth + 1, dash=True)
                node, after = (node, after) if below.is_empty else (below, further)
            return node, begin, stop, after
        node, after = self._value_below(n + 1, column, depth + 1, dash)
        place = (begin, inline) if inline > begin else (at, at)
        return node, *place, after

    def _skip_blanks(self, at: int, stop: int) -> int:
        while at < stop and self.text[at] in " \t":
            at += 1
        return at

    def _value_below(self, n: int, column: int, depth: int, dash: bool) -> tuple[YamlNode, int]:
        """A value in the lines under its key: a list, a map, or words of its own."""
        first = n
        while first < len(self.lines) and self._is_empty_or_comment(first):
            first += 1
        if (
            first == len(self.lines)
            or self.lines[first].column + (not dash and self._is_list_item(first)) <= column
        ):
            return YamlNode(), n
        if depth > DEEPEST:
            return YamlNode(), self._end_of_deeper_lines(first, column)
        if self._is_list_item(first):
            return self._read_list(first, depth)
        if not self._has_key_below(first, column):
            node, _, after = self._read_inline(first, self.lines[first].begin, column)
            if not self._has_key_below(after, column):
                return node, after
        return self._read_map(first, column + 1, depth)

    def _has_key_below(self, n: int, column: int) -> bool:
        """The next line that says something is set in further, and has a key."""
        while n < len(self.lines) and self._is_empty_or_comment(n):
            n += 1
        line = self.lines[n] if n < len(self.lines) else None
        return bool(line and line.column > column and self._key_at(line.begin, line.stop))

    def _end_of_deeper_lines(self, n: int, column: int) -> int:
        while n < len(self.lines) and (
            self._is_empty_or_comment(n) or self.lines[n].column > column
        ):
            n += 1
        return n

    def _read_map(
        self, n: int, least: int, depth: int, begin: int = -1, column: int = -1
    ) -> tuple[YamlNode, int]:
        """All pairs that are set in this far at least; the first may stand behind a dash."""
        pairs = []
        while n < len(self.lines) and (
            self._is_empty_or_comment(n) or self.lines[n].column >= least or begin >= 0
        ):
            if self._is_empty_or_comment(n):
                n += 1
                continue
            pair, n = self.pair_at(n, begin, column, depth)
            begin = -1
            if pair:
                pairs.append(pair)
        return YamlNode(MAP, pairs=tuple(pairs), block=True), n

    def _read_list(self, n: int, depth: int) -> tuple[YamlNode, int]:
        items, first = [], self.lines[n]
        while n < len(self.lines):
            line = self.lines[n]
            if self._is_empty_or_comment(n) or (
                line.column > first.column and not self._is_list_item(n)
            ):
                n += 1
                continue
            if line.column < first.column or not self._is_list_item(n):
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
        """A value that begins here; it may go on in lines that are set in further than its key."""
        line = self.lines[n]
        if block := BLOCK_HEADER.match(self.text, at, line.stop):
            return self._read_block_text(n, block.group(1), block.end(), column)
        if self.text[at] in "{[\"'":
            last = n
            while last + 1 < len(self.lines) and self._is_continuation(last + 1, column):
                last += 1
            read = quoted_at if self.text[at] in "\"'" else flow_at
            if found := read(self.text, at, self.lines[last].stop):
                node, stop = found
                after = n
                while self.lines[after].stop < stop:
                    after += 1
                rest = self.text[stop : self.lines[after].stop]
                if not rest or (rest[0] in " \t" and rest.lstrip(" \t").startswith("#")):
                    return node, stop, after + 1
        return self._read_plain(n, at, column)

    def _is_continuation(self, n: int, column: int) -> bool:
        line = self.lines[n]
        return self._is_empty_or_comment(n) or line.column > column or self.text[line.begin] in "]}"

    def _read_plain(self, n: int, at: int, column: int) -> tuple[YamlNode, int, int]:
        first = self._without_comment(at, self.lines[n].stop)
        more, after = self._plain_lines_below(n + 1, column)
        return YamlNode(WORD, " ".join([first, *more])), at + len(first), after

    def _plain_lines_below(self, n: int, column: int) -> tuple[list[str], int]:
        """Lines that go on with a value: set in further, up to a comment or a key."""
        words, after = [], n
        while n < len(self.lines):
            line = self.lines[n]
            if line.begin < line.stop:
                if (
                    line.column <= column
                    or self._is_empty_or_comment(n)
                    or self._key_at(line.begin, line.stop)
                ):
                    break
                words.append(self._without_comment(line.begin, line.stop))
                after = n + 1
            n += 1
        return words, after

    def _without_comment(self, begin: int, stop: int) -> str:
        words = self.text[begin:stop]
        remark = COMMENT_START.search(words)
        return words[: remark.start()].rstrip(" \t") if remark else words

    def _read_block_text(
        self, n: int, style: str, stop: int, column: int
    ) -> tuple[YamlNode, int, int]:
        """`|` keeps its lines, `>` makes one of them."""
        last = m = n + 1
        rows, indent = [], ""
        while m < len(self.lines) and (
            self.lines[m].begin == self.lines[m].stop or self.lines[m].column > column
        ):
            line = self.lines[m]
            indent = indent or (line.indent if line.begin < line.stop else "")
            rows.append(self.text[line.at : line.stop].removeprefix(indent))
            m += 1
            last = m if line.begin < line.stop else last
        self.block_text_lines |= {*range(n + 1, last)}
        said = "\n".join(rows[: last - n - 1]).strip("\n")
        return YamlNode(TEXT, said if style == "|" else " ".join(said.split("\n"))), stop, last
