"""Read YAML values in flow style, `{active: true, gaps: ["a", b]}`, and quoted ones."""

from __future__ import annotations

from .. import lazy_re as re
from .yaml_node import LIST, MAP, TEXT, WORD, YamlNode, YamlPair, unquote_text

DEEPEST, MAX_TOKENS = 12, 20_000
QUOTED = re.compile(r"""\"[^"\\]*(?:\\.[^"\\]*)*\"|'[^']*(?:''[^']*)*'""", re.S)
BLANK_OR_COMMENT = re.compile(r"\s+|(?<=\s)#[^\r\n]*")
COLON = re.compile(r":(?=[\s,\[\]{}]|\Z)")
PLAIN_WORD = re.compile(
    r"(?:[^\s,\[\]{}:#]++|:(?![\s,\[\]{}]|\Z)|(?<!\s)#"
    r"|[ \t]++(?![\s,\[\]{}#]|:[\s,\[\]{}]|:\Z|\Z))++"
)
MARKS, CLOSING_BRACKET = "[]{},", {"[": "]", "{": "}"}
Token = tuple[str, str]  # a mark and ""; or the kind of a value and its text


def quoted_at(text: str, at: int, limit: int) -> tuple[YamlNode, int] | None:
    """The quoted text that begins here, and where it ends; None if nothing closes it."""
    quoted = QUOTED.match(text, at, limit)
    return (YamlNode(TEXT, unquote_text(quoted.group())), quoted.end()) if quoted else None


def flow_at(text: str, at: int, limit: int) -> tuple[YamlNode, int] | None:
    """The list or map that begins here, and where it ends.

    None if nothing closes it, or if it is too deep or too long.
    """
    tokens: list[Token] = []
    expected: list[str] = []  # the closing brackets of all open ones
    while at < limit and len(tokens) < MAX_TOKENS:
        if skipped := BLANK_OR_COMMENT.match(text, at, limit):
            at = skipped.end()
            continue
        token, at = _next_token(text, at, limit, tokens[-1][0] if tokens else "")
        tokens.append(token)
        mark = token[0]
        if mark in CLOSING_BRACKET:
            expected.append(CLOSING_BRACKET[mark])
        elif mark in CLOSING_BRACKET.values() and expected.pop() != mark:
            return None
        if len(expected) > DEEPEST:
            return None
        if not expected:
            return _next_value(tokens[::-1]), at
    return None


def _next_token(text: str, at: int, limit: int, previous: str) -> tuple[Token, int]:
    """The token that begins here, and where it ends. `previous` is the kind of the one before."""
    if text[at] in MARKS:
        return (text[at], ""), at + 1
    if COLON.match(text, at, limit) or (previous == TEXT and text[at] == ":"):
        return (":", ""), at + 1
    quoted = QUOTED.match(text, at, limit) if previous != WORD else None
    if quoted:
        return (TEXT, quoted.group()), quoted.end()
    plain = PLAIN_WORD.match(text, at, limit)
    end = plain.end() if plain else at + 1
    return (WORD, text[at:end]), end


def _next_value(rest: list[Token]) -> YamlNode:
    """Take the next value off the tokens, which are in reverse order."""
    kind, raw = rest.pop()
    if kind in CLOSING_BRACKET:
        return _read_collection(rest, CLOSING_BRACKET[kind])
    if kind == TEXT:
        return YamlNode(TEXT, unquote_text(raw))
    words = [raw]
    while rest and rest[-1][0] == WORD:  # the value continues in the next line
        words.append(rest.pop()[1])
    return YamlNode(WORD, " ".join(words))


def _read_collection(rest: list[Token], close: str) -> YamlNode:
    """Take a list or a map off the tokens, up to its closing bracket."""
    entries: list[tuple[YamlNode, YamlNode | None]] = []
    while rest[-1][0] != close:
        if rest[-1][0] in (",", ":"):  # a superfluous comma, or a value without a key
            rest.pop()
            continue
        key = _next_value(rest)
        entries.append((key, _value_after_key(rest, close)))
    rest.pop()
    if close == "}":
        pairs = (YamlPair(key.text, value or YamlNode()) for key, value in entries)
        return YamlNode(MAP, pairs=tuple(pairs))
    return YamlNode(LIST, items=tuple(_list_item(key, value) for key, value in entries))


def _value_after_key(rest: list[Token], close: str) -> YamlNode | None:
    """The value after a colon; None without a colon."""
    if rest[-1][0] != ":":
        return None
    rest.pop()
    is_missing = rest[-1][0] in (",", ":", close)
    return YamlNode() if is_missing else _next_value(rest)


def _list_item(key: YamlNode, value: YamlNode | None) -> YamlNode:
    """`[a: b]` is a list of one map with one pair."""
    return YamlNode(MAP, pairs=(YamlPair(key.text, value),)) if value else key
