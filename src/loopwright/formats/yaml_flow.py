"""Values in flow style, `{active: true, gaps: ["a", b]}`, and quoted ones: read from a place in a text up to their end."""

from __future__ import annotations

import re

from .yaml_node import LIST, MAP, TEXT, WORD, YamlNode, YamlPair, unquote_text

DEEPEST, MAX_TOKENS = 12, 20_000
QUOTED = re.compile(r"""\"[^"\\]*(?:\\.[^"\\]*)*\"|'[^']*(?:''[^']*)*'""", re.S)
BLANK = re.compile(r"\s+")
COMMENT = re.compile(r"(?<=\s)#[^\r\n]*")
COLON = re.compile(r":(?=[\s,\[\]{}]|\Z)")
PLAIN_WORD = re.compile(
    r"(?:[^\s,\[\]{}:#]++|:(?![\s,\[\]{}]|\Z)|(?<!\s)#|[ \t]++(?![\s,\[\]{}#]|:[\s,\[\]{}]|:\Z|\Z))++"
)
MARKS, CLOSING_BRACKET = "[]{},", {"[": "]", "{": "}"}
Token = tuple[str, str]  # a mark and nothing; or the kind of a value, and how it is written


def quoted_at(text: str, at: int, limit: int) -> tuple[YamlNode, int] | None:
    """The text in quotes that begins here, and where it ends; None if nothing closes it."""
    found = QUOTED.match(text, at, limit)
    return (YamlNode(TEXT, unquote_text(found.group())), found.end()) if found else None


def flow_at(text: str, at: int, limit: int) -> tuple[YamlNode, int] | None:
    """The list or map that begins here, and where it ends; None if nothing closes it, or it is too deep or too long."""
    tokens: list[Token] = []
    closing: list[str] = []
    while at < limit and len(tokens) < MAX_TOKENS:
        if skipped := BLANK.match(text, at, limit) or COMMENT.match(text, at, limit):
            at = skipped.end()
            continue
        token, at = _next_token(text, at, limit, tokens[-1][0] if tokens else "")
        tokens.append(token)
        if token[0] in CLOSING_BRACKET:
            closing.append(CLOSING_BRACKET[token[0]])
        elif token[0] in CLOSING_BRACKET.values() and closing.pop() != token[0]:
            return None
        if len(closing) > DEEPEST:
            return None
        if not closing:
            return _next_value(tokens[::-1]), at
    return None


def _next_token(text: str, at: int, limit: int, after: str) -> tuple[Token, int]:
    if text[at] in MARKS:
        return (text[at], ""), at + 1
    if COLON.match(text, at, limit) or (after == TEXT and text[at] == ":"):
        return (":", ""), at + 1
    if after != WORD and (found := QUOTED.match(text, at, limit)):
        return (TEXT, found.group()), found.end()
    plain = PLAIN_WORD.match(text, at, limit)
    end = plain.end() if plain else at + 1
    return (WORD, text[at:end]), end


def _next_value(rest: list[Token]) -> YamlNode:
    """The next value; the tokens lie with the next one last."""
    kind, raw = rest.pop()
    if kind in CLOSING_BRACKET:
        return _read_collection(rest, CLOSING_BRACKET[kind])
    if kind == TEXT:
        return YamlNode(TEXT, unquote_text(raw))
    words = [raw]
    while rest and rest[-1][0] == WORD:  # they go on in the next line
        words.append(rest.pop()[1])
    return YamlNode(WORD, " ".join(words))


def _read_collection(rest: list[Token], close: str) -> YamlNode:
    pairs: list[YamlPair] = []
    items: list[YamlNode] = []
    while rest[-1][0] != close:
        if rest[-1][0] in (",", ":"):  # a comma too many, a key that is missing
            rest.pop()
            continue
        key, value = _next_value(rest), None
        if rest[-1][0] == ":":
            rest.pop()
            value = YamlNode() if rest[-1][0] in (",", ":", close) else _next_value(rest)
        if close == "}":
            pairs.append(YamlPair(key.text, value or YamlNode()))
        else:
            items.append(YamlNode(MAP, pairs=(YamlPair(key.text, value),)) if value else key)
    rest.pop()
    return YamlNode(MAP, pairs=tuple(pairs)) if close == "}" else YamlNode(LIST, items=tuple(items))
