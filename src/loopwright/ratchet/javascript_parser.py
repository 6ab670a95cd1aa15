"""The tree of brackets that JavaScript is read into, and tree-sitter, which blanks out types and comments where installed."""

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


# Words that are no value: nothing is called by them, and after them a slash begins a pattern.
KEYWORDS = word_set(
    "async await break case catch class const continue default delete do else export extends finally for from function "
    "if import in instanceof let new of return static switch throw try typeof var void while yield"
)
# What only people and the type checker read.
IGNORED_NODES = word_set(
    "comment jsx_text html_comment hash_bang_line type_annotation type_arguments type_parameters type_predicate_annotation "
    "interface_declaration type_alias_declaration asserts_annotation ambient_declaration opting_type_annotation "
    "omitting_type_annotation accessibility_modifier override_modifier implements_clause"
)


class Piece(NamedTuple):
    kind: str  # word, number, string, template, regex, sign; of a bracket the one that opens
    text: str  # of a string in single quotes, whatever it was written in
    line: int
    inner: tuple[Piece, ...] = ()


Pieces = tuple[Piece, ...]
Values = Mapping[str, Pieces]  # what names stand for


def text_at(pieces: Sequence[Piece], at: int) -> str:
    return pieces[at].text if 0 <= at < len(pieces) else ""


def texts_in(pieces: Pieces) -> set[str]:
    found, waiting = set[str](), list(pieces)
    while waiting:
        one = waiting.pop()
        found.add(one.text)
        waiting += one.inner
    return found


def make_piece(kind: str, text: str, line: int) -> Piece:
    """A literal, a word or a sign, spelled as all of its kind are."""
    if kind == "string":
        text = "'" + re.sub(r"\\([\"'`])", r"\1", text[1:-1]) + "'"
    return Piece(kind, text.replace("_", "") if kind == "number" else text, line)


def nest_brackets(flat: Sequence[Piece]) -> Pieces:
    """Brackets become groups; ValueError where one has no partner."""
    above: list[tuple[Piece, list[Piece]]] = []
    level: list[Piece] = []
    for one in flat:
        if one.kind != "sign" or one.text not in "([{}])":
            level.append(one)
        elif one.text in CLOSING_BRACKET:
            above.append((one, level))
            level = []
        elif above and CLOSING_BRACKET[above[-1][0].text] == one.text:
            first, outer = above.pop()
            outer.append(Piece(first.text, first.text, first.line, tuple(level)))
            level = outer
        else:
            raise ValueError("a bracket that nothing opens")
    if above:
        raise ValueError("a bracket that nothing closes")
    return tuple(level)


def blank_types_and_comments(path: str, text: str) -> str | None:
    """The text with blanks for what only people and the type checker read; None where no parser is, or where it finds errors."""
    parser = _load_parser(posixpath.splitext(path)[1].lower())
    kept = bytearray(text.encode("utf-8", "replace"))
    root = parser.parse(bytes(kept)).root_node if parser else None
    if root is None or root.has_error:
        return None
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type not in IGNORED_NODES:
            waiting += node.children
            continue
        begin, end = node.start_byte, node.end_byte
        kept[begin:end] = re.sub(rb"[^\n]", b" ", kept[begin:end])
    return kept.decode("utf-8", "replace")


@lru_cache(maxsize=8)
def _load_parser(ending: str) -> Any:
    try:
        package = import_module("tree_sitter")
        grammar = import_module(
            "tree_sitter_typescript" if "ts" in ending else "tree_sitter_javascript"
        )
        name = {".tsx": "language_tsx"}.get(
            ending, "language_typescript" if "ts" in ending else "language"
        )
        return package.Parser(package.Language(getattr(grammar, name)()))
    except (
        ImportError,
        AttributeError,
        TypeError,
        ValueError,
    ):  # absent, or of a version that we do not know
        return None
