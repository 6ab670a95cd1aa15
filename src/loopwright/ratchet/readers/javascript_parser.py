"""JavaScript and TypeScript as a tree of brackets, without types and comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ... import lazy_re as re
from .matchers import word_set
from .syntax import Node, parse_tree

CLOSING_BRACKET = {"(": ")", "[": "]", "{": "}"}
# These words are not values: a `(` after one is no call.
KEYWORDS = word_set(
    "async await break case catch class const continue default delete do else export extends "
    "finally for from function if import in instanceof let new of return static switch throw try "
    "typeof var void while yield"
)
# What only people and the type checker read.
IGNORED_NODES = word_set(
    "comment jsx_text html_comment hash_bang_line type_annotation type_arguments type_parameters "
    "type_predicate_annotation interface_declaration type_alias_declaration asserts_annotation "
    "ambient_declaration opting_type_annotation omitting_type_annotation accessibility_modifier "
    "override_modifier implements_clause"
)
# Of `value as Type`, `value satisfies Type` and `value!`, only the value is read.
CASTS = word_set("as_expression satisfies_expression non_null_expression")
LITERALS = {"string": "string", "template_string": "template", "regex": "regex"}
WORD = re.compile(r"[#@]?[^\W\d][\w$]*|\$[\w$]*")


class Piece(NamedTuple):
    kind: str  # word, number, string, template, regex, sign; for a bracket its opening sign
    text: str  # a string is in single quotes, however it was written
    line: int
    inner: tuple[Piece, ...] = ()


Pieces = tuple[Piece, ...]
Values = Mapping[str, Pieces]  # what names stand for


def text_at(pieces: Sequence[Piece], at: int) -> str:
    return pieces[at].text if 0 <= at < len(pieces) else ""


def texts_in(pieces: Pieces) -> set[str]:
    """The texts of all pieces, those in brackets included."""
    texts: set[str] = set()
    waiting = list(pieces)
    while waiting:
        piece = waiting.pop()
        texts.add(piece.text)
        waiting += piece.inner
    return texts


def make_piece(kind: str, text: str, line: int) -> Piece:
    """A literal, a word or a sign, spelled as all of its kind are."""
    if kind == "string":
        text = "'" + re.sub(r"\\([\"'`])", r"\1", text[1:-1]) + "'"
    return Piece(kind, text.replace("_", "") if kind == "number" else text, line)


def nest_brackets(flat: Sequence[Piece]) -> Pieces:
    """Makes each bracket one piece with the others in it; ValueError if brackets do not match."""
    open_brackets: list[tuple[Piece, list[Piece]]] = []
    level: list[Piece] = []
    for piece in flat:
        if piece.kind != "sign" or piece.text not in "([{}])":
            level.append(piece)
        elif piece.text in CLOSING_BRACKET:
            open_brackets.append((piece, level))
            level = []
        elif open_brackets and CLOSING_BRACKET[open_brackets[-1][0].text] == piece.text:
            first, outer = open_brackets.pop()
            outer.append(Piece(first.text, first.text, first.line, tuple(level)))
            level = outer
        else:
            raise ValueError("a bracket that nothing opens")
    if open_brackets:
        raise ValueError("a bracket that nothing closes")
    return tuple(level)


def parse_pieces(text: str, grammar: str = "javascript") -> Pieces | None:
    """The tree of brackets; None if the text cannot be read."""
    root = parse_tree(grammar, text)
    if root is None or root.has_error:
        return None
    try:
        return nest_brackets(tuple(_tokens(root)))
    except ValueError:
        return None


def _tokens(root: Node) -> Iterator[Piece]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in IGNORED_NODES:
            continue
        if node.type in CASTS:
            waiting.append(node.children[0])
        elif node.type in LITERALS or not node.child_count:
            yield from _leaf(node)
        else:
            waiting += reversed(node.children)


def _leaf(node: Node) -> Iterator[Piece]:
    text, line = node.text.decode("utf-8", "replace"), node.line
    kind = LITERALS.get(node.type) or ("number" if node.type == "number" else "sign")
    if kind == "template" and "${" not in text:
        kind = "string"
    elif kind == "sign" and WORD.fullmatch(text):
        kind = "word"
    if text:
        yield make_piece(kind, text, line)
