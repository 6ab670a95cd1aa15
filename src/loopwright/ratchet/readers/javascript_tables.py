"""What names stand for in a JavaScript test: constants, parameters, and the rows of tables."""

from __future__ import annotations

from typing import NamedTuple

from .javascript_lines import (
    branch_body,
    const_assignment,
    function_parts,
    object_parts,
    split_at_commas,
)
from .javascript_parser import Piece, Pieces, Values, parse_pieces, text_at, texts_in
from .matchers import word_set

MAX_PARTS = 1000  # of a list or an object
MAX_STEPS = 12  # pieces of a call whose result has a name
# Two calls with one of these are not equal, even if they are spelled the same.
NOT_CONSTANT = word_set("=> < function fn stub spy mock spyOn new require import")
ROW = dict[str, Pieces]


class TableLoop(NamedTuple):
    """`for (const row of rows)` or `rows.forEach((row) => …)`."""

    rows: list[ROW]  # one empty row if they are not known
    body: Pieces
    end: int


def is_literal(value: Pieces) -> bool:
    return len(value) == 1 and value[0].kind in ("string", "number", "[", "{")


def constants_in(pieces: Pieces) -> ROW:
    """Names that stand for a literal, a list or an object, or for the result of a call."""
    constants: ROW = {}
    for at, piece in enumerate(pieces):
        assignment = const_assignment(pieces, at) if piece.text == "const" else None
        value = assignment[1] if assignment else ()
        if not value or len(value[0].inner) > MAX_PARTS:
            continue
        pattern = pieces[at + 1 : at + 2]
        if is_literal(value):
            constants |= bind_names(pattern, value)
        elif _is_constant_call(value):
            constants |= _bind_result(pattern[0], value)
    return constants


def _is_constant_call(value: Pieces) -> bool:
    if value[-1].kind != "(" or len(value) >= MAX_STEPS:
        return False
    return NOT_CONSTANT.isdisjoint(texts_in(value))


def _bind_result(pattern: Piece, call: Pieces) -> ROW:
    """The names of `const name = call()` or `const { name } = call()`."""
    if call[0].text == "await":
        call = call[1:]
    if pattern.kind == "word":
        return {pattern.text: call}
    if pattern.kind != "{":
        return {}
    dot = Piece("sign", ".", 0)
    bound = {}
    for part in split_at_commas(pattern.inner):
        if text_at(part, 1) in ("", ":"):
            bound[part[-1].text] = (*call, dot, part[0])
    return bound


def bind_names(pattern: Pieces, value: Pieces) -> ROW:
    """What the names of a parameter stand for, given its value."""
    if not value or not pattern:
        return {}
    bound: ROW = {}
    if pattern[0].kind == "word":
        name = pattern[0].text
        for key, part in object_parts(value).items():
            bound[f"{name}.{key}"] = part
        bound[name] = value
    elif pattern[0].kind == "[" == value[0].kind:
        names, parts = split_at_commas(pattern[0].inner), split_at_commas(value[0].inner)
        for name_part, part in zip(names, parts, strict=False):
            bound |= bind_names(name_part, part)
    else:
        parts_by_key = object_parts(value)
        for key, name_part in object_parts(pattern).items():
            bound |= bind_names(name_part, parts_by_key.get(key, ()))
    return bound


def bind_arguments(params: Pieces, args: Pieces) -> ROW:
    """What the parameters of a function stand for; both with their commas."""
    return bind_names(_as_list(params), _as_list(args))


def _as_list(pieces: Pieces) -> Pieces:
    return (Piece("[", "[", 0, pieces),)


def table_rows(table: Pieces, params: Pieces, values: Values) -> list[ROW] | None:
    """What the parameters stand for in each row; None if the rows are not written out."""
    if len(table) == 1:
        table = values.get(table[0].text, table)
    if text_at(table, 0).startswith("`"):
        return _template_rows(table[0].text)
    if [piece.text for piece in table] == ["Object", ".", "entries", "("]:
        table = _entries_table(table[3].inner, values) or table
    if len(table) != 1 or table[0].kind != "[":
        return None
    if "..." in {piece.text for piece in table[0].inner}:
        return None
    first_param = (split_at_commas(params) or ((),))[0]
    rows = []
    for row in split_at_commas(table[0].inner):
        is_spread = row[0].kind == "[" and len(params) > 1
        rows.append(bind_names(_as_list(params) if is_spread else first_param, row))
    return rows


def _template_rows(template: str) -> list[ROW]:
    """The rows of a table that is written as a template: a head, then cells such as `${1}`."""
    head, *lines = template.strip("`\n ").split("\n")
    names = [name.strip() for name in head.split("|")]
    rows = []
    for line in lines:
        cells = [parse_pieces(cell.strip()[2:-1]) or () for cell in line.split("|")]
        rows.append(dict(zip(names, cells, strict=False)))
    return rows or [{}]


def _entries_table(argument: Pieces, values: Values) -> Pieces:
    """`Object.entries(argument)` as a list of [key, value]; empty if it is not written out."""
    parts = object_parts(values.get(text_at(argument, 0), argument))
    comma = Piece("sign", ",", 0)
    rows: list[Piece] = []
    for key, value in parts.items():
        rows += [*_as_list((Piece("string", f"'{key}'", 0), comma, *value)), comma]
    return _as_list(tuple(rows)) if rows else ()


def table_loop(pieces: Pieces, at: int, values: Values) -> TableLoop | None:
    """The loop that begins here."""
    if pieces[at].text == "for" and text_at(pieces, at + 1) == "(":
        head = pieces[at + 1].inner
        of = next((i for i, piece in enumerate(head) if piece.text == "of"), 0)
        rows = table_rows(head[of + 1 :], head[1:of], values)
        body, end = branch_body(pieces, at + 2)
        return TableLoop([{}] if rows is None else rows, body, end)
    is_entries = pieces[at].text == "Object" and text_at(pieces, at + 2) == "entries"
    call = at + (4 if is_entries else 1)
    if [text_at(pieces, i) for i in range(call, call + 3)] != [".", "forEach", "("]:
        return None
    params, body = function_parts(pieces[call + 2].inner) or ((), ())
    rows = table_rows(pieces[at:call], params[:1], values)
    return TableLoop([{}] if rows is None else rows, body, call + 3)
