"""Broken copies of a module: each differs from the original in one small way that a test should notice."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

PAIRS = [
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
    (ast.And, ast.Or),
]
OTHER: dict[Any, Any] = {
    one: other for pair in (*PAIRS, (ast.Add, ast.Sub)) for one, other in (pair, pair[::-1])
}
PLAIN = ast.Name | ast.Attribute | ast.Call | ast.NamedExpr
UNTOLD = (
    ast.JoinedStr | ast.Assert | ast.arg | ast.Import | ast.ImportFrom
)  # words, and what is asserted to be impossible


class Mutant(NamedTuple):
    file: str
    line: int
    before: str
    after: str
    text: str  # of the whole module

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {' '.join(self.before.split())}  →  {' '.join(self.after.split())}"


def mutants_of(file: str, text: str) -> list[Mutant]:
    data, starts, found = text.encode(), [0], []
    for row in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    for node, new in _changes(ast.parse(text)):
        first, last = (
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
        )
        after = ast.unparse(new) if isinstance(node, ast.stmt) else f"({ast.unparse(new)})"
        broken = (data[:first] + after.encode() + data[last:]).decode()
        found.append(Mutant(file, node.lineno, data[first:last].decode(), after, broken))
    return found


def _changes(tree: ast.AST) -> Iterator[tuple[Any, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        elsewhere = isinstance(
            node, ast.If | ast.BoolOp | ast.AnnAssign
        ) and "win32" in ast.unparse(node)
        if (
            words
            or elsewhere
            or isinstance(node, UNTOLD)
            or (isinstance(node, ast.If | ast.Assign) and "TYPE_CHECKING" in ast.unparse(node))
        ):
            continue
        yield from ((node, new) for new in _ways(copy.deepcopy(node)))
        if isinstance(node, ast.If | ast.While) and isinstance(node.test, PLAIN):
            yield node.test, ast.UnaryOp(ast.Not(), node.test)
        yield from _changes(node)


def _ways(node: Any) -> Iterator[ast.AST]:
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                yield ast.Compare(
                    node.left,
                    [*node.ops[:i], OTHER[type(op)](), *node.ops[i + 1 :]],
                    node.comparators,
                )
        case ast.BoolOp() | ast.BinOp() if type(node.op) in OTHER:
            node.op = OTHER[type(node.op)]()
            yield node
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float() as value):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.IfExp():
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.Return(value=ast.expr() as value) if not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield ast.Return(ast.Constant(None))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue():
            yield ast.Pass()
