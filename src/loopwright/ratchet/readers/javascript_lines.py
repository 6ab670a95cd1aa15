"""Finds statements, calls and functions in the tree of brackets of JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ... import lazy_re as re
from .javascript_parser import CLOSING_BRACKET, KEYWORDS, Piece, Pieces, Values, text_at

NAME = re.compile(r"'[^']*+'|(?<![\w.$])[A-Za-z_$][\w$]*+(?:\.[\w$]++)*+(?!: )")
SIGNS = "()[]{}.,:;+-*/%=<>!&|?^~@# "
MAX_STATEMENT = 150  # pieces; a bracket counts as one
MAX_HEAD = 20  # pieces between `const` or `function` and the value or body
MAX_SUBSTITUTED = 2000  # letters


class Link(NamedTuple):
    """One step of a call chain. The call of what a call returned has no name."""

    name: str
    at: int
    args: tuple[Pieces, ...] | None = None


class Definition(NamedTuple):
    """A function with a name."""

    name: str
    params: Pieces
    body: Pieces
    end: int


def call_chain(pieces: Pieces, at: int) -> tuple[list[Link], int]:
    """The steps of `a.b(c).d` from its first word on, and where the chain ends."""
    links = [Link(pieces[at].text, at)]
    for i in range(at + 1, len(pieces)):
        piece = pieces[i]
        if piece.kind == "(":
            _add_arguments(links, i, split_at_commas(piece.inner))
        elif piece.kind == "template" and links[-1].name == "each":
            _add_arguments(links, i, ((piece,),))
        elif piece.kind == "word" and pieces[i - 1].text in (".", "?."):
            links.append(Link(piece.text, i))
        elif piece.text not in (".", "?.", "["):
            return links, i
    return links, len(pieces)


def _add_arguments(links: list[Link], at: int, args: tuple[Pieces, ...]) -> None:
    link = links.pop() if links[-1].args is None else Link("", at)
    links.append(link._replace(args=args))


def statement_end(pieces: Pieces, at: int) -> int:
    """Where the statement around this place ends: at a semicolon or before a new statement."""
    limit = min(len(pieces), at + MAX_STATEMENT)
    for end in range(at, limit):
        piece, last = pieces[end], pieces[max(end - 1, at)]
        if piece.text == ";":
            return end
        is_open = last.kind == "sign" or (last.text in KEYWORDS and last.text != "return")
        continues = piece.kind in ("sign", "(", "[", "{")
        if piece.line > last.line and not is_open and not continues:
            return end
    return limit


def function_parts(pieces: Pieces) -> tuple[Pieces, Pieces] | None:
    """Parameters and body if these pieces are one function."""
    if text_at(pieces, 0) == "async":
        pieces = pieces[1:]
    if text_at(pieces, 0) == "function" and pieces[-1].kind == "{":
        params = next((piece.inner for piece in pieces if piece.kind == "("), ())
        return params, pieces[-1].inner
    arrow = next((at for at, piece in enumerate(pieces) if piece.text == "=>"), 0)
    if not arrow or text_at(pieces, 1) not in ("=>", ":"):
        return None
    params = pieces[0].inner if pieces[0].kind == "(" else pieces[:1]
    body = pieces[arrow + 1 :]
    if len(body) == 1 and body[0].kind == "{":
        return params, body[0].inner
    line = body[0].line if body else 0
    return params, (Piece("word", "return", line), *body)


def branch_body(pieces: Pieces, at: int) -> tuple[Pieces, int]:
    """The block or the single statement at this place, and the place after it."""
    if text_at(pieces, at) == "{":
        return pieces[at].inner, at + 1
    end = statement_end(pieces, at)
    return pieces[at:end], end + (text_at(pieces, end) == ";")


def function_definitions(pieces: Pieces) -> Iterator[Definition]:
    """All functions with a name, those in brackets included."""
    for at, piece in enumerate(pieces):
        definition = function_definition(pieces, at)
        if definition:
            yield definition
        yield from function_definitions(piece.inner)


def source_text(pieces: Pieces) -> str:
    """On one line, the same for every layout, quotes, trailing commas and order of keys."""
    text = ""
    for at, piece in enumerate(pieces):
        word = piece.text
        if piece.kind in CLOSING_BRACKET:
            word = _bracket_text(piece)
        elif word in (",", ":", ";"):
            word = f"{word} " if at + 1 < len(pieces) else ""
        needs_blank = word[:1] not in SIGNS and text[-1:] not in SIGNS
        text += f" {word}" if needs_blank else word
    return text


def _bracket_text(piece: Piece) -> str:
    parts = split_at_commas(piece.inner)
    texts = [source_text(part) for part in parts]
    if piece.kind == "{" and all(text_at(part, 1) in (":", "") for part in parts):
        texts.sort()  # the keys of an object have no order
    return piece.text + ", ".join(texts) + CLOSING_BRACKET[piece.text]


def split_at_commas(pieces: Pieces) -> tuple[Pieces, ...]:
    """The parts between commas, without an empty last one."""
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.text == ",":
            parts.append([])
        else:
            parts[-1].append(piece)
    if not parts[-1]:
        parts.pop()
    return tuple(map(tuple, parts))


def object_parts(value: Pieces) -> dict[str, Pieces]:
    """The keys and values of an object that is written out; empty for any other value."""
    if len(value) != 1 or value[0].kind != "{":
        return {}
    parts = {}
    for part in split_at_commas(value[0].inner):
        if text_at(part, 1) in (":", ""):
            parts[part[0].text.strip("'")] = part[2:] or part
    return parts


def const_assignment(pieces: Pieces, at: int) -> tuple[str, Pieces, int] | None:
    """Name, value and end of `const name = value`."""
    if pieces[at].text != "const" or at + 1 == len(pieces):
        return None
    if pieces[at + 1].kind not in ("word", "{"):
        return None
    head = pieces[at : at + MAX_HEAD]
    begin = next((at + i + 1 for i, piece in enumerate(head) if piece.text == "="), len(pieces))
    end = statement_end(pieces, begin)
    return pieces[at + 1].text, pieces[begin:end], end


def function_definition(pieces: Pieces, at: int) -> Definition | None:
    """The function with a name that is defined here."""
    if pieces[at].text == "function" and text_at(pieces, at + 1) != "(":
        head = pieces[at : at + MAX_HEAD]
        end = next((at + i + 1 for i, piece in enumerate(head) if piece.kind == "{"), at + 1)
        name, value = text_at(pieces, at + 1), pieces[at:end]
    else:
        assignment = const_assignment(pieces, at)
        if assignment is None:
            return None
        name, value, end = assignment
    parts = function_parts(value)
    if not parts or not parts[1]:
        return None
    return Definition(name, parts[0], parts[1], end)


def substitute_names(text: str, values: Values) -> str:
    """The text with names replaced by their values, and the names in those values too."""
    for _ in range(3):
        substituted = NAME.sub(lambda match: _known_value(match[0], values) or match[0], text)
        if substituted == text or len(substituted) > MAX_SUBSTITUTED:
            break
        text = substituted
    return text


def _known_value(name: str, values: Values) -> str:
    """A dotted name with a value for its longest known beginning; "" if nothing of it is known."""
    beginning, rest = name, ""
    while beginning not in values and "." in beginning:
        beginning, _, last = beginning.rpartition(".")
        rest = f".{last}{rest}"
    return source_text(values[beginning]) + rest if beginning in values else ""
