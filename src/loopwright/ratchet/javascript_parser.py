"""The tree of brackets that JavaScript is read into; tree-sitter, if installed, removes types."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

CLOSING_BRACKET = {"(": ")", "[": "]", "{": "}"}


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# These words are not values: a `(` after one is no call, and a slash after one begins a pattern.
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


def blank_types_and_comments(path: str, text: str) -> str | None:
    """The text with blanks for types and comments; None without a parser, or if it finds errors."""
    parser = _load_parser(posixpath.splitext(path)[1].lower())
    if not parser:
        return None
    content = bytearray(text.encode("utf-8", "replace"))
    root = parser.parse(bytes(content)).root_node
    if root.has_error:
        return None
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type not in IGNORED_NODES:
            waiting += node.children
            continue
        begin, end = node.start_byte, node.end_byte
        content[begin:end] = re.sub(rb"[^\n]", b" ", content[begin:end])
    return content.decode("utf-8", "replace")


@lru_cache(maxsize=8)
def _load_parser(suffix: str) -> Any:
    module, language = "tree_sitter_javascript", "language"
    if "ts" in suffix:
        module = "tree_sitter_typescript"
        language = "language_tsx" if suffix == ".tsx" else "language_typescript"
    try:
        package, grammar = import_module("tree_sitter"), import_module(module)
        return package.Parser(package.Language(getattr(grammar, language)()))
    # It is not installed, or its version is one that we do not know.
    except (ImportError, AttributeError, TypeError, ValueError):
        return None
