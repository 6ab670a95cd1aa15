"""Mutants of Python, by its syntax tree."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ..repo.sources import parse_python
from .changed_files import split_lines
from .edits import Edit
from .python_lines import cannot_matter, is_log_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BOUNDARIES: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
NEGATIONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
}


class Operator(NamedTuple):
    """One kind of mutant: what it does, with an example."""

    name: str
    find: Callable[[ast.AST], Iterator[tuple[ast.AST, str]]]
    before: str
    after: str


def skip_branch(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Of `if` and conditional expressions; of a comprehension, the condition is dropped.

    A negated condition would be noticed by a test of either side.
    """
    if isinstance(node, ast.If | ast.IfExp):
        yield node.test, f"False and ({ast.unparse(node.test)})"
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield test, "True"


def move_boundary(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in BOUNDARIES:
        yield node, _compared(node, BOUNDARIES[type(node.ops[0])])


def negate_comparison(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in NEGATIONS:
        yield node, _compared(node, NEGATIONS[type(node.ops[0])])


def _compared(node: ast.Compare, sign: str) -> str:
    return f"({ast.unparse(node.left)} {sign} {ast.unparse(node.comparators[0])})"


def drop_call(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.Expr) and not is_log_call(node):
        value = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(value, ast.Call):
            yield node, "pass"
    elif isinstance(node, ast.Raise) and node.exc is not None:
        yield node, "pass"


def drop_assignment(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """To attributes and items; without a variable the code would not run at all."""
    if isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Assign)
        and all(isinstance(target, ast.Subscript) for target in node.targets)
    ):
        yield node, "pass"


def return_early(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.Return) and node.value is not None:
        is_constant = isinstance(node.value, ast.Constant)
        yield from () if is_constant else ((node, "return None"),)


def change_result(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Of a constant, another of its type: a test of the type alone would notice None."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
        yield from _other_constant(node.value)


def change_operator(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        if not _is_text(node.left) and not _is_text(node.right):
            yield node, f"({_inner(node.left)} {OPERATORS[type(node.op)]} {_inner(node.right)})"
    elif isinstance(node, ast.BoolOp):
        sign = " and " if isinstance(node.op, ast.Or) else " or "
        yield node, f"({sign.join(map(_inner, node.values))})"


def _inner(node: ast.AST) -> str:
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.BinOp | ast.BoolOp | ast.IfExp) else text


def _is_text(node: ast.AST) -> bool:
    is_string = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return is_string or isinstance(node, ast.JoinedStr)


def change_constant(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Numbers and truth values, and texts that are compared."""
    if isinstance(node, ast.Constant) and not isinstance(node.value, str):
        yield from _other_constant(node)
    elif isinstance(node, ast.Compare):
        for part in node.comparators:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield from _other_constant(part)


def _other_constant(node: ast.Constant) -> Iterator[tuple[ast.AST, str]]:
    match node.value:
        case bool(value):
            yield node, str(not value)
        case int(value) | float(value):
            yield node, str(value + 1)
        case str(value) if value:
            yield node, '""'


# Name, how it is found, and an example that a test applies.
OPERATOR_TABLE = (
    Operator("branch not taken", skip_branch, "if a:\n    b()\n", "if False and (a):\n    b()\n"),
    Operator("negated condition", negate_comparison, "x = a == b\n", "x = (a != b)\n"),
    Operator(
        "early return", return_early, "def f():\n    return a\n", "def f():\n    return None\n"
    ),
    Operator("other result", change_result, "def f():\n    return 3\n", "def f():\n    return 4\n"),
    Operator("dropped call", drop_call, "a.close()\n", "pass\n"),
    Operator("dropped assignment", drop_assignment, "a[1] = b\n", "pass\n"),
    Operator("boundary", move_boundary, "x = a < b\n", "x = (a <= b)\n"),
    Operator("other operator", change_operator, "x = a + b\n", "x = (a - b)\n"),
    Operator("other constant", change_constant, "x = 3\n", "x = 4\n"),
)


def python_mutants(text: str) -> list[Edit] | None:
    """All mutants of a text; None if it cannot be parsed."""
    tree = parse_python(text)
    if tree is None:
        return None
    starts = _LineStarts(text)
    edits: list[Edit] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and cannot_matter(node):
            continue
        for operator in OPERATOR_TABLE:
            for part, new in operator.find(node):
                edits += starts.edit(operator.name, part, new)
        waiting += _children(node)
    return edits


def _children(node: ast.AST) -> list[ast.AST]:
    """What is inside, without types, decorators and the texts of errors."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
        return []
    left_out = {"annotation", "returns", "decorator_list", "type_params", "bases"}
    children: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        if name not in left_out:
            rows = value if isinstance(value, list) else [value]
            children += [row for row in rows if isinstance(row, ast.AST)]
    return children


class _LineStarts:
    """Positions in a text; the parser counts the bytes of a line."""

    def __init__(self, text: str) -> None:
        self.rows = split_lines(text)
        self.starts = [0]
        for row in self.rows:
            self.starts.append(self.starts[-1] + len(row))

    def position(self, line: int, column: int) -> int:
        row = self.rows[line - 1]
        if not row.isascii():
            column = len(row.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))
        return self.starts[line - 1] + column

    def edit(self, operator: str, node: ast.AST, new: str) -> Iterator[Edit]:
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        if first and last:
            start = self.position(first, getattr(node, "col_offset", 0))
            end = self.position(last, getattr(node, "end_col_offset", 0))
            yield Edit(operator, first, start, end, new)
