"""The tests inside product files of languages with braces, read without a parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ... import lazy_re as re
from ...checks.code_files import SCRIPT_SUFFIXES
from .test_parts import Member, Part, Slot, Slots, SplitFile, number_keys

PAIRS = {")": "(", "]": "[", "}": "{"}
BRACKET = re.compile(r"[][(){}]")
ITEM_SIGN = re.compile(r"[;({[}]")
BLANK = re.compile(r"\s*")
NOT_NEWLINE = re.compile(r"[^\n]")
STRING = r"\"(?:[^\"\\]|\\.)*\""
LETTER = r"'(?:\\[^\n]|[^'\\\n])[^'\n]*'"
# A regular expression of JavaScript stands behind one of these signs.
SCRIPT_PATTERN = r"(?<=[=(,:!&|?;{}])[ \t]*/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^]\\\n]|\\.)*\])+/"
# Attributes of Rust that are on tests alone. `any(test, …)` is on the product as well.
TEST_CFG = re.compile(r"#\[\s*cfg\s*\(\s*(?:test\s*\)|all\s*\((?:[^()]*,)?\s*test\b)")
TEST_FUNCTION = re.compile(
    r"#\[\s*(?:\w+\s*::\s*)*(?:\w+_)?(?:test(?:_\w+)?|rstest|quickcheck|bench)\s*[](=]"
)
TEST_FILE = re.compile(r"\s*#!\[\s*cfg\s*\(\s*test\s*\)")
ATTRIBUTE = re.compile(r"#!?\s*\[")
HOLDER = re.compile(r"(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:mod|impl|trait)\b")
# Items that end with a semicolon although braces may be in them.
VALUE_ITEM = re.compile(
    r"(?:pub(?:\([^)]*\))?\s+)?"
    r"(?:use|static|type|const(?!\s+(?:async\s+|unsafe\s+|extern\s+)*fn))\b"
)
HEAD_END = re.compile(r"[{;]")
# Lines of comment directly above an item; `//!` belongs to the file.
COMMENT_ABOVE = re.compile(r"(?:(?:^|(?<=\n))[ \t]*//(?!!)[^\n]*\n)+[ \t]*\Z")


class Syntax(NamedTuple):
    """How a language writes comments, texts and tests."""

    suffixes: tuple[str, ...]
    hint: str  # a file without this word has no tests
    silent: re.Pattern[str]  # comments and texts, in which brackets mean nothing
    nested: tuple[str, str] = ("", "")  # the signs of a comment that may hold another one
    head: re.Pattern[str] | None = None  # of a block of tests; None: Rust, with attributes


SYNTAXES = (
    Syntax(
        (".rs",),
        "test",
        re.compile(
            rf"//[^\n]*|/\*|\b[bc]?r(#*)\".*?\"\1|{STRING}"
            r"|'(?:\\(?:u\{[^}]*\}|x[0-9a-fA-F]{2}|.)|[^\\'\n])'",
            re.S,
        ),
        ("/*", "*/"),
    ),
    Syntax(
        SCRIPT_SUFFIXES,
        "import.meta.vitest",
        re.compile(
            rf"//[^\n]*|/\*.*?\*/|{STRING}|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|{SCRIPT_PATTERN}",
            re.S,
        ),
        head=re.compile(
            r"^[ \t]*if\s*\(\s*(?:!!\s*)?import\.meta\.vitest\b[^()]*\)\s*(?=\{)", re.M
        ),
    ),
    Syntax(
        (".zig",),
        "test",
        re.compile(rf"//[^\n]*|\\\\[^\n]*|{STRING}|{LETTER}", re.S),
        head=re.compile(r"^[ \t]*test\b[ \t\w.]*(?=\{)", re.M),
    ),
    Syntax(
        (".d",),
        "unittest",
        re.compile(rf"//[^\n]*|/\*.*?\*/|/\+|{STRING}|`[^`]*`|{LETTER}", re.S),
        ("/+", "+/"),
        head=re.compile(r"^[ \t]*(?:@?\w+[ \t]+)*unittest\s*(?=\{)", re.M),
    ),
)


def split_blocks(syntax: Syntax, text: str) -> SplitFile | None:
    """The test parts of a file; None if its brackets do not match."""
    source = _Source.of(syntax, text)
    if source is None:
        return None
    if syntax.head is None:
        return _split_rust(source)
    slots: Slots = {(): Slot(len(text), len(text))}
    parts = []
    for match in syntax.head.finditer(source.code):
        around = [place for place in source.blocks if place[0] < match.start() < place[1]]
        place = tuple(source.head_of(start) for start, _ in around)
        start, end = match.start(), source.pairs[match.end()] + 1
        head = " ".join(text[start : match.end()].split())
        parts.append(Part((*place, head), (start, end), text[start:end], place, is_plain=True))
    for start, end in source.blocks:
        around = [place for place in source.blocks if place[0] <= start and end <= place[1]]
        place = tuple(source.head_of(first) for first, _ in around)
        slots.setdefault(place, Slot(end, end))
    return SplitFile(text, number_keys(parts), slots)


class _Source(NamedTuple):
    """A text with its brackets matched."""

    text: str
    code: str  # blanks in place of comments and texts
    pairs: dict[int, int]  # where a bracket opens, and where it closes

    @classmethod
    def of(cls, syntax: Syntax, text: str) -> _Source | None:
        code = _blank_silent(syntax, text)
        pairs: dict[int, int] = {}
        waiting: list[int] = []
        for match in BRACKET.finditer(code):
            sign = match[0]
            if sign in PAIRS.values():
                waiting.append(match.start())
            elif not waiting or code[waiting[-1]] != PAIRS[sign]:
                return None
            else:
                pairs[waiting.pop()] = match.start()
        return None if waiting else cls(text, code, pairs)

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Where each block in braces begins and ends, the outer ones first."""
        return sorted(pair for pair in self.pairs.items() if self.code[pair[0]] == "{")

    def head_of(self, start: int) -> str:
        """The words before a block."""
        before = max(self.code.rfind(sign, 0, start) for sign in ";{}")
        return " ".join(self.code[before + 1 : start].split())


def _blank_silent(syntax: Syntax, text: str) -> str:
    opening, closing = syntax.nested
    pieces, position = [], 0
    while match := syntax.silent.search(text, position):
        end = match.end()
        if match[0] == opening:
            end = _comment_end(text, end, opening, closing)
        pieces.append(text[position : match.start()])
        pieces.append(NOT_NEWLINE.sub(" ", text[match.start() : end]))
        position = end
    return "".join((*pieces, text[position:]))


def _comment_end(text: str, position: int, opening: str, closing: str) -> int:
    depth = 1
    while depth:
        last = text.find(closing, position)
        if last < 0:
            return len(text)
        inner = text.find(opening, position, last)
        depth += 1 if inner >= 0 else -1
        position = inner + len(opening) if inner >= 0 else last + len(closing)
    return position


class _Item(NamedTuple):
    """An item of Rust with its attributes."""

    start: int
    head: int  # where it begins behind its attributes
    end: int
    attributes: tuple[str, ...]

    @property
    def is_test_function(self) -> bool:
        return any(map(TEST_FUNCTION.match, self.attributes))

    @property
    def is_test(self) -> bool:
        return self.is_test_function or any(map(TEST_CFG.match, self.attributes))


def _split_rust(source: _Source) -> SplitFile:
    text = source.text
    if TEST_FILE.match(source.code):  # all of it is compiled for tests alone
        whole = Part(("file",), (0, len(text)), text, is_plain=True)
        return SplitFile(text, (whole,), {(): Slot(len(text), len(text))})
    slots: Slots = {(): Slot(len(text), len(text))}
    parts = list(_rust_parts(source, 0, len(text), (), slots))
    return SplitFile(text, number_keys(parts), slots)


def _rust_parts(
    source: _Source,
    start: int,
    end: int,
    place: tuple[str, ...],
    slots: Slots,
) -> Iterator[Part]:
    """The tests between two positions, with those in modules and implementations there."""
    for item in _items(source, start, end):
        words = " ".join(source.code[item.head : _head_end(source, item)].split())
        body = _body(source, item)
        if item.is_test:
            span = (item.start, item.end)
            is_module = bool(re.match(r"(?:pub(?:\([^)]*\))?\s+)?mod\b", words))
            yield Part(
                key=(*place, words),
                span=span,
                text=source.text[slice(*span)],
                place=place,
                members=_members(source, item.start, body) if is_module and body else (),
                is_plain=is_module or item.is_test_function,
            )
        elif body and HOLDER.match(words):
            inside = (*place, words)
            slots.setdefault(inside, Slot(body[1], body[1]))
            yield from _rust_parts(source, *body, inside, slots)


def _members(source: _Source, start: int, body: tuple[int, int]) -> tuple[Member, ...]:
    """The attributes and the name of a module, and the items in it."""
    head = Member(source.text[start : body[0]], False)
    items = _items(source, *body)
    rows = (Member(source.text[i.start : i.end], i.is_test_function) for i in items)
    return (head, *rows)


def _items(source: _Source, start: int, end: int) -> Iterator[_Item]:
    position = _skip_blank(source.code, start)
    while position < end:
        comment = COMMENT_ABOVE.search(source.text[start:position])
        first, attributes = start + comment.start() if comment else position, []
        is_of_file = False
        while not is_of_file and (match := ATTRIBUTE.match(source.code, position)):
            last = source.pairs[match.end() - 1] + 1
            is_of_file = match[0].startswith("#!")
            attributes.append(source.code[position:last])
            position = _skip_blank(source.code, last)
        stop = last if is_of_file else _item_end(source, position, end)
        yield _Item(first, position, stop, () if is_of_file else tuple(attributes))
        start, position = stop, _skip_blank(source.code, stop)


def _item_end(source: _Source, position: int, end: int) -> int:
    has_value = VALUE_ITEM.match(source.code, position)
    while match := ITEM_SIGN.search(source.code, position, end):
        sign, place = match[0], match.start()
        if sign == ";":
            return place + 1
        if sign == "}":
            return end
        position = source.pairs[place] + 1
        if sign == "{" and not has_value:
            return position
    return end


def _head_end(source: _Source, item: _Item) -> int:
    match = HEAD_END.search(source.code, item.head, item.end)
    return match.start() if match else item.end


def _body(source: _Source, item: _Item) -> tuple[int, int] | None:
    """Where the content of an item in braces begins and ends."""
    place = _head_end(source, item)
    is_block = place < item.end and source.code[place] == "{"
    return (place + 1, source.pairs[place]) if is_block else None


def _skip_blank(code: str, position: int) -> int:
    match = BLANK.match(code, position)
    return match.end() if match else position
