"""A value of a YAML text: what it says, where a key stands; and how a value is written, quoted where YAML needs it."""

from __future__ import annotations

import re

from ..core.record import Record

WORD, TEXT, LIST, MAP = (
    "word",
    "text",
    "list",
    "map",
)  # a word is as it was written; a text was quoted, or is a block
NULLS = ("", "~", "null")
TRUE, FALSE = ("true", "yes", "on", "y"), ("false", "no", "off", "n")
# What is surely one plain word or sentence, in block and in flow style, in YAML 1.1 and 1.2.
SAFE_PLAIN = re.compile(
    r"[A-Za-z_/(][\w ./()+%@;!?'=~^$-]*|[0-9][\w ./()+%@;!?'=~^$-]*(?::[0-9]{2}){0,2}(?:\.[0-9]+)?Z?",
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
}
ESCAPED_LETTERS |= {"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}


class YamlNode(Record):
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
        """Quoted or not. Anything but digits is no number: nothing is evaluated."""
        text = self.text.strip()  # of more than int() takes off
        return (
            int(text) if self.kind in (WORD, TEXT) and re.fullmatch(r"[0-9]{1,9}", text) else None
        )

    @property
    def flag(self) -> bool | None:
        word = self.text.strip().lower() if self.kind in (WORD, TEXT) else ""
        return True if word in TRUE else False if word in FALSE else None

    def pair(self, key: str) -> YamlPair | None:
        """Of two with the same key the last counts."""
        return next((pair for pair in reversed(self.pairs) if pair.key == key), None)

    def get(self, key: str) -> YamlNode:
        pair = self.pair(key)
        return pair.node if pair else YamlNode()


class YamlPair(Record):
    """A key, and its value. Places count from the beginning of the text; those of a pair in flow style are not known."""

    key: str
    node: YamlNode
    line_start: int = 0  # where its line begins
    indent: str = ""
    after_colon: int = 0  # just behind the colon
    value_start: int = 0  # the value, as far as it begins in the line of the key
    value_stop: int = 0
    value_line_end: int = 0  # where the line ends in which the value stops
    further_lines: tuple[
        tuple[int, int], ...
    ] = ()  # all further lines of the value; comments between them are nobody's

    @property
    def last_line_end(self) -> int:
        """Where its last line ends."""
        return max([self.value_line_end, *(stop for _, stop in self.further_lines)])


def scalar(value: str | int | bool | None) -> str:
    """A value as YAML writes it on one line; no text is null."""
    if value is None or value == "":
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    reserved = value.lower() in (*NULLS, *TRUE, *FALSE) or NUMBER_LIKE.fullmatch(value)
    return (
        value
        if SAFE_PLAIN.fullmatch(value) and not reserved and value == value.strip()
        else quote_text(value)
    )


def quote_text(text: str) -> str:
    body = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"'
        + "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in body)
        + '"'
    )


def flow_text(node: YamlNode) -> str:
    """A value on one line, in flow style where it has parts."""
    if node.kind == LIST:
        return f"[{', '.join(map(flow_text, node.items))}]"
    if node.kind == MAP:
        return (
            f"{{{', '.join(f'{scalar(pair.key)}: {flow_text(pair.node)}' for pair in node.pairs)}}}"
        )
    return quote_text(node.text) if node.kind == TEXT else node.text or "null"


def unquote_text(raw: str) -> str:
    """What stands between quotes. A line break there is a space, an empty line a line break."""
    double = raw[0] == '"'
    first, *more = LINE_BREAK.split(raw[1:-1])
    parts = [first.rstrip(" \t") if more else first]
    for number, row in enumerate(more, 1):
        bare = row.strip(" \t") if number < len(more) else row.lstrip(" \t")
        if double and (len(parts[-1]) - len(parts[-1].rstrip("\\"))) % 2:
            parts[-1] = parts[-1][:-1]
        elif not bare and number < len(more):
            bare = "\n"
        elif parts[-1] != "\n":
            bare = f" {bare}"
        parts.append(bare)
    said = "".join(parts)
    return ESCAPE.sub(_decode_escape, said) if double else said.replace("''", "'")


def _decode_escape(found: re.Match[str]) -> str:
    name = found.group(1)
    if len(name) == 1:
        return ESCAPED_LETTERS.get(name, name)
    code = int(name[1:], 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"
