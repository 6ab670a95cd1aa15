"""The tree of brackets of a JavaScript or TypeScript file from its text alone, and the way about in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .javascript_parser import (
    CLOSING_BRACKET,
    KEYWORDS,
    Piece,
    Pieces,
    Values,
    make_piece,
    nest_brackets,
    text_at,
)

# Possessive: no letter of a hostile file is read twice.
TOKEN = re.compile(
    r"(?P<blank>\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|\A#![^\n]*+"
    r"|(?<=[\w)\]}'\"] )(?:as|satisfies) [\w$.]++(?:<[^<>();]{0,99}+>)?+(?:\[\])*+"  # what only the type checker reads
    r"|(?<=[\w)\]])!(?=[.,;)\[])|(?<=\w)<[^<>()=;&]{1,99}+(?:<[^<>();]{0,99}+>[^<>()=;&]{0,99}+)?+>(?=\())"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+')"
    r"|(?P<template>`(?:\\.|[^`\\])*+`)"
    r"|(?P<number>(?:0[xXbBoO][\da-fA-F_]++|(?:\d[\d_]*+\.?[\d_]*+|\.\d[\d_]*+)(?:[eE][+-]?\d++)?+)n?+)"
    r"|(?P<word>[\#@]?[^\W\d][\w$]*+|\$[\w$]*+)"
    r"|(?P<sign>\.\.\.|===|!==|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\*\*|.)",
    re.S,
)
NAME = re.compile(r"'[^']*+'|(?<![\w.$])[A-Za-z_$][\w$]*+(?:\.[\w$]++)*+(?!: )")
SIGNS = "()[]{}.,:;+-*/%=<>!&|?^~@# "
MAX_UNCLOSED, LONGEST_STATEMENT, MAX_SUBSTITUTED = (
    100,
    150,
    2000,
)  # pieces of a statement, what is in brackets not counted
REGEX_LITERAL = re.compile(
    r"/(?![/*])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n]){0,200}+\]|[^/\\\n\[])++/[a-z]*+"
)


class Link(NamedTuple):
    """One step of a chain: a name, where it stands, and what it is called with; the call of what a call gave has no name."""

    name: str
    at: int
    args: tuple[Pieces, ...] | None = None


def parse_pieces(text: str) -> Pieces | None:
    """The tree as far as the signs tell; None where brackets or quotes do not match."""
    try:
        return nest_brackets(tuple(_tokens(text)))
    except ValueError:
        return None


def _tokens(text: str) -> Iterator[Piece]:
    at, line, unclosed = 0, 1, 0
    last = Piece("sign", "", 0)
    while at < len(text):
        # After a value a slash divides, and in a tag it closes.
        value = last.text in KEYWORDS or (
            last.kind == "sign" and last.text not in (")", "]", "}", "++", "--", "<")
        )
        found = (
            REGEX_LITERAL.match(text, at) if value and text[at] == "/" else None
        ) or TOKEN.match(text, at)
        assert found, "BUG: any letter is a sign"
        kind = found.lastgroup or "regex"
        unclosed += kind == "sign" and found[0] in "'\"`"  # the text between two tags may hold one
        if unclosed > MAX_UNCLOSED:
            raise ValueError("too many strings that never end")
        if kind != "blank":
            last = make_piece(
                "string" if kind == "template" and "${" not in found[0] else kind, found[0], line
            )
            yield last
        at, line = found.end(), line + found[0].count("\n")


def call_chain(pieces: Pieces, at: int) -> tuple[list[Link], int]:
    """The steps of `a.b(c).d` from its first word on, and where it ends."""
    links = [Link(pieces[at].text, at)]
    for i in range(at + 1, len(pieces)):
        one = pieces[i]
        if one.kind == "(" or (one.kind == "template" and links[-1].name == "each"):
            last = links.pop() if links[-1].args is None else Link("", i)
            links.append(
                last._replace(
                    args=split_at_commas(one.inner) if one.inner or one.kind == "(" else ((one,),)
                )
            )
        elif one.kind == "word" and pieces[i - 1].text in (".", "?."):
            links.append(Link(one.text, i))
        elif one.text not in (".", "?.", "["):
            return links, i
    return links, len(pieces)


def statement_end(pieces: Pieces, at: int) -> int:
    """Where the statement ends that goes on at this place: at a semicolon, or at a new line that cannot go on."""
    for end in range(at, min(len(pieces), at + LONGEST_STATEMENT)):
        one, last = pieces[end], pieces[max(end - 1, at)]
        waits = last.kind == "sign" or (last.text in KEYWORDS and last.text != "return")
        if one.text == ";" or (
            one.line > last.line and not waits and one.kind not in ("sign", "(", "[", "{")
        ):
            return end
    return min(len(pieces), at + LONGEST_STATEMENT)


def function_parts(pieces: Pieces) -> tuple[Pieces, Pieces] | None:
    """Parameters and body where this is a function and nothing else."""
    pieces = pieces[1:] if text_at(pieces, 0) == "async" else pieces
    if text_at(pieces, 0) == "function" and pieces[-1].kind == "{":
        return next((one.inner for one in pieces if one.kind == "("), ()), pieces[-1].inner
    arrow = next((at for at, one in enumerate(pieces) if one.text == "=>"), 0)
    if not arrow or text_at(pieces, 1) not in ("=>", ":"):
        return None
    params = pieces[0].inner if pieces[0].kind == "(" else pieces[:1]
    body = pieces[arrow + 1 :]
    plain = (Piece("word", "return", body[0].line if body else 0), *body)
    return params, body[0].inner if len(body) == 1 and body[0].kind == "{" else plain


def branch_body(pieces: Pieces, at: int) -> tuple[Pieces, int]:
    """The block or the one statement that stands here, and the place after it."""
    if text_at(pieces, at) == "{":
        return pieces[at].inner, at + 1
    end = statement_end(pieces, at)
    return pieces[at:end], end + (text_at(pieces, end) == ";")


def function_definitions(pieces: Pieces) -> Iterator[tuple[str, Pieces, Pieces, int]]:
    for at, one in enumerate(pieces):
        if made := function_definition(pieces, at):
            yield made
        yield from function_definitions(one.inner)


def source_text(pieces: Pieces) -> str:
    """On one line, alike whatever the layout, the quotes, the commas at the end and the order of keys."""
    said = ""
    for at, one in enumerate(pieces):
        text = one.text
        if one.kind in CLOSING_BRACKET:
            parts = split_at_commas(one.inner)
            is_object = one.kind == "{" and all(text_at(part, 1) in (":", "") for part in parts)
            text += (
                ", ".join(sorted(map(source_text, parts)) if is_object else map(source_text, parts))
                + CLOSING_BRACKET[text]
            )
        elif text in (",", ":", ";"):
            text = f"{text} " if at + 1 < len(pieces) else ""
        said += f" {text}" if text[:1] not in SIGNS and said[-1:] not in SIGNS else text
    return said


def split_at_commas(pieces: Pieces) -> tuple[Pieces, ...]:
    """The parts between commas; an empty last part is none."""
    parts: list[list[Piece]] = [[]]
    for one in pieces:
        if one.text == ",":
            parts.append([])
        else:
            parts[-1].append(one)
    return tuple(tuple(part) for part in (parts if parts[-1] else parts[:-1]))


def object_parts(value: Pieces) -> dict[str, Pieces]:
    """The parts of an object that is written out."""
    parts = split_at_commas(value[0].inner) if len(value) == 1 and value[0].kind == "{" else ()
    return {
        part[0].text.strip("'"): part[2:] or part for part in parts if text_at(part, 1) in (":", "")
    }


def const_assignment(pieces: Pieces, at: int) -> tuple[str, Pieces, int] | None:
    """Name, value and end of `const name = value`."""
    if (
        pieces[at].text != "const"
        or at + 1 == len(pieces)
        or pieces[at + 1].kind not in ("word", "{")
    ):
        return None
    begin = next(
        (i + 1 for i in range(at, min(at + 20, len(pieces))) if pieces[i].text == "="), len(pieces)
    )
    end = statement_end(pieces, begin)
    return pieces[at + 1].text, pieces[begin:end], end


def function_definition(pieces: Pieces, at: int) -> tuple[str, Pieces, Pieces, int] | None:
    """The function that is defined here: its name, parameters, body, and where it ends."""
    found = const_assignment(pieces, at)
    if pieces[at].text == "function" and text_at(pieces, at + 1) != "(":
        end = next(
            (i + 1 for i in range(at, min(at + 20, len(pieces))) if pieces[i].kind == "{"), at + 1
        )
        found = (text_at(pieces, at + 1), pieces[at:end], end)
    made = function_parts(found[1]) if found else None
    return (found[0], *made, found[2]) if found and made and made[1] else None


def substitute_names(text: str, values: Values) -> str:
    """The text with names replaced by what they stand for, and those in it too."""
    for _ in range(3):
        said = NAME.sub(
            lambda name: found if (found := _known_value(name[0], values)) else name[0], text
        )
        if said == text or len(said) > MAX_SUBSTITUTED:
            break
        text = said
    return text


def _known_value(name: str, values: Values) -> str:
    """What stands for the longest part of a dotted name that is known."""
    known, rest = name, ""
    while known not in values and "." in known:
        known, _, last = known.rpartition(".")
        rest = f".{last}{rest}"
    return source_text(values[known]) + rest if known in values else ""
