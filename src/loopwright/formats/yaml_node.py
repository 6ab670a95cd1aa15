"""A value of a YAML text and the place of its key, and how to write a value as YAML."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The kinds of a value. A word was written plain; a text was quoted, or is a block text.
WORD, TEXT, LIST, MAP = "word", "text", "list", "map"
NULLS = ("", "~", "null")
FLAGS = {
    **dict.fromkeys(("true", "yes", "on", "y"), True),
    **dict.fromkeys(("false", "no", "off", "n"), False),
}
# A plain word or sentence that needs no quotes in block and flow style of YAML 1.1 and 1.2.
SAFE_PLAIN = re.compile(
    r"[A-Za-z_/(][\w ./()+%@;!?'=~^$-]*"
    r"|[0-9][\w ./()+%@;!?'=~^$-]*(?::[0-9]{2}){0,2}(?:\.[0-9]+)?Z?",
    re.ASCII,
)
NUMBER_LIKE = re.compile(r"[-+.0-9][-+.:0-9_a-fox]*|\.?(?:inf|nan)", re.I)
LINE_BREAK = re.compile(r"\r\n?|\n")
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.S)
ESCAPED_LETTERS = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


class YamlNode(Record):
    """A value. Only the field that belongs to its kind is filled: text, pairs or items."""

    kind: str = WORD
    text: str = ""
    pairs: tuple[YamlPair, ...] = ()
    items: tuple[YamlNode, ...] = ()
    block: bool = False  # a map or a list with a line for each of its parts
    indent: str = ""  # before the dashes of such a list

    @property
    def is_null(self) -> bool:
        return self.kind == WORD and self.text.lower() in NULLS

    @property
    def is_empty(self) -> bool:
        return self.is_null or (self.kind in (LIST, MAP) and not self.items and not self.pairs)

    @property
    def number(self) -> int | None:
        """The value as a number, quoted or not; None if it has anything but digits."""
        text = self.text.strip()
        is_number = self.kind in (WORD, TEXT) and re.fullmatch(r"[0-9]{1,9}", text)
        return int(text) if is_number else None

    @property
    def flag(self) -> bool | None:
        """The value as true or false, in any spelling of YAML; None if it is neither."""
        if self.kind not in (WORD, TEXT):
            return None
        return FLAGS.get(self.text.strip().lower())

    @property
    def plain(self) -> Any:
        """The value as JSON would have it: a dict, a list, a text or None."""
        if self.kind == MAP:
            return {pair.key: pair.node.plain for pair in self.pairs}
        if self.kind == LIST:
            return [item.plain for item in self.items]
        return None if self.is_null else self.text

    def pair(self, key: str) -> YamlPair | None:
        """The last pair with this key."""
        return next((pair for pair in reversed(self.pairs) if pair.key == key), None)

    def get(self, key: str) -> YamlNode:
        """The value of this key; an empty one without it."""
        pair = self.pair(key)
        return pair.node if pair else YamlNode()


class YamlPair(Record):
    """A key and its value. Positions are offsets in the text; a pair in flow style has none."""

    key: str
    node: YamlNode
    line_start: int = 0  # where its line begins
    indent: str = ""
    after_colon: int = 0  # just behind the colon
    value_start: int = 0  # of the part of the value that begins in the line of the key
    value_stop: int = 0
    value_line_end: int = 0  # where the line ends in which that part stops
    # All further lines of the value, without the comments between them.
    further_lines: tuple[tuple[int, int], ...] = ()

    @property
    def last_line_end(self) -> int:
        """Where its last line ends."""
        return max([self.value_line_end, *(stop for _, stop in self.further_lines)])


def scalar(value: str | int | bool | None) -> str:
    """A value as YAML on one line; an empty text is null."""
    if value is None or value == "":
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return value if _is_safe_plain(value) else quote_text(value)


def _is_safe_plain(text: str) -> bool:
    """Does YAML read this text as itself without quotes?"""
    if text.lower() in (*NULLS, *FLAGS) or NUMBER_LIKE.fullmatch(text):
        return False
    return text == text.strip() and bool(SAFE_PLAIN.fullmatch(text))


def quote_text(text: str) -> str:
    body = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = (char if char.isprintable() else f"\\U{ord(char):08x}" for char in body)
    return f'"{"".join(escaped)}"'


def flow_text(node: YamlNode) -> str:
    """A value on one line, in flow style where it has parts."""
    if node.kind == LIST:
        return f"[{', '.join(map(flow_text, node.items))}]"
    if node.kind == MAP:
        pairs = [f"{scalar(pair.key)}: {flow_text(pair.node)}" for pair in node.pairs]
        return f"{{{', '.join(pairs)}}}"
    if node.kind == TEXT:
        return quote_text(node.text)
    return node.text or "null"


def unquote_text(raw: str) -> str:
    """The text between quotes. A line break in it is a space, an empty line is a line break."""
    double = raw[0] == '"'
    first, *more = LINE_BREAK.split(raw[1:-1])
    parts = [first.rstrip(" \t") if more else first]
    for number, row in enumerate(more, 1):
        is_last = number == len(more)
        bare = row.lstrip(" \t") if is_last else row.strip(" \t")
        if double and _ends_with_escape(parts[-1]):  # an escaped line break joins the lines
            parts[-1] = parts[-1][:-1]
        elif not bare and not is_last:
            bare = "\n"
        elif parts[-1] != "\n":
            bare = f" {bare}"
        parts.append(bare)
    text = "".join(parts)
    return ESCAPE.sub(_decode_escape, text) if double else text.replace("''", "'")


def _ends_with_escape(text: str) -> bool:
    """Does the text end in an odd number of backslashes?"""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _decode_escape(escape: re.Match[str]) -> str:
    name = escape.group(1)
    if len(name) == 1:
        return ESCAPED_LETTERS.get(name, name)
    code = int(name[1:], 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"
