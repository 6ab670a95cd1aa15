"""Finds Python code that linters and type checkers believe, and that never runs.

They take `TYPE_CHECKING` and `MYPY` for true. Below such a name there may be imports and types for
annotations. Anything else shows a tool another program than the one that runs: a result of another
type, a name that is not there at run time, or a part that the tool does not look at.
"""

from __future__ import annotations

import ast

from ...repo.sources import parse_python
from ..readers.python_text import last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BELIEVED_NAMES = frozenset(("TYPE_CHECKING", "MYPY", "PY2", "PY3"))
ANNOTATIONS = ("annotation", "returns", "type_comment")
ANYTHING = ("Any", "Incomplete")
BINDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TYPE_STATEMENTS = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Pass)


def believed_lines(before: str, after: str) -> list[tuple[int, str]]:
    """Line and source of each new statement that static tools take for something else."""
    old, new = parse_python(before), parse_python(after)
    if new is None:
        return []
    known = {text for _, text in _statements(old)} if old else set()
    return [(line, text) for line, text in _statements(new) if text not in known]


def _statements(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in _suspects(tree):
        yield node.lineno, ast.unparse(node).partition("\n")[0]


def _suspects(tree: ast.Module) -> Iterator[ast.stmt]:
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    branches = [n for n in statements if isinstance(n, ast.If) and _is_believed(n.test)]
    # `if not TYPE_CHECKING:`, `x if TYPE_CHECKING else y`, `assert MYPY`
    yield from (n for n in statements if n not in branches and any(map(_is_name, _own_parts(n))))
    inside = {id(node) for branch in branches for part in branch.body for node in ast.walk(part)}
    names = _names_at_run_time(tree, inside)
    for branch in branches:
        yield from branch.orelse
        for statement in branch.body:
            if not isinstance(statement, TYPE_STATEMENTS) or not _is_for_types(statement, names):
                yield statement


def _is_believed(test: ast.expr) -> bool:
    """Is it a condition that is false at run time, and that static tools believe or leave out?"""
    return _is_name(test) or (isinstance(test, ast.Constant) and not test.value)


def _is_name(node: ast.AST) -> bool:
    is_read = isinstance(getattr(node, "ctx", None), ast.Load)
    return is_read and last_word(node) in BELIEVED_NAMES


def _own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without the statements in it."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield from ast.walk(child)


def _is_for_types(statement: ast.stmt, names_at_run_time: set[str]) -> bool:
    """Does it only give names to annotations?"""
    aliases = getattr(statement, "names", [])  # of an import
    is_anything = any(alias.name in ANYTHING and alias.asname for alias in aliases)
    return not is_anything and names_at_run_time.isdisjoint(_bound_names(statement))


def _bound_names(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.ClassDef):
        return {statement.name}
    stored = (n for n in ast.walk(statement) if isinstance(n, ast.Name))
    return {node.id for node in stored if isinstance(node.ctx, ast.Store)}


def _names_at_run_time(tree: ast.Module, inside: set[int]) -> set[str]:
    """The names that code outside of the branches binds or uses, annotations left out."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if id(node) in inside or isinstance(node, getattr(ast, "TypeAlias", ())):
            continue
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, BINDING):
            found.add(node.name)
        for field, value in ast.iter_fields(node):
            if field not in ANNOTATIONS:
                parts = value if isinstance(value, list) else [value]
                waiting += [part for part in parts if isinstance(part, ast.AST)]
    return found
