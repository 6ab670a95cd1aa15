"""A source file as a tree of statements, in every language, without a parser but that of Python.

A statement that holds others (a function, a block, `if`) has a head and children. Languages with
brackets are read by their brackets, the others by their indentation: no parser would be there for
the hook, and a file must be read in the same way wherever the comparison runs.
"""

from __future__ import annotations

import ast
import posixpath
from functools import lru_cache

from ...repo.parsed_files import CLEAR_CACHES
from ...repo.sources import parse_python, python_error
from .bracket_statements import BracketReader
from .indented_statements import IndentedReader
from .statement import MAX_DEPTH, Statement, one_line

MAX_CHARS = 600_000


@lru_cache(maxsize=400)  # several rules and runs read both sides of a change; none changes them
def read_statements(path: str, text: str) -> list[Statement] | None:
    """The statements of a file; None if it cannot be read."""
    if len(text) > MAX_CHARS:
        return None
    ending = posixpath.splitext(path)[1].lower()
    if ending in (".py", ".pyw"):
        tree = parse_python(text)
        return None if tree is None else _python_statements(tree.body, 0)
    if ending in (".rb", ".rake", ".sh", ".bash", ".bats", ".pl", ".t", ".exs"):
        return IndentedReader(path, text).read()
    return BracketReader(path, text).read()


CLEAR_CACHES.append(read_statements.cache_clear)


def why_unreadable(path: str, text: str) -> tuple[int, str]:
    """The line at which a file cannot be read, 0 for the whole file, and the reason."""
    if len(text) > MAX_CHARS:
        return 0, f"it has {len(text):,} characters; at most {MAX_CHARS:,} are read"
    if path.lower().endswith((".py", ".pyw")) and (error := python_error(text)):
        return error
    return 0, "its blocks are too deep or too many"


def _python_statements(body: list[ast.stmt], depth: int) -> list[Statement]:
    if depth > MAX_DEPTH:
        return []
    return [_python_statement(node, depth) for node in body if not _is_text(node)]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _python_statement(node: ast.stmt, depth: int) -> Statement:
    whole = ast.unparse(node)
    marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", ())]
    bodies = [getattr(node, name, None) or [] for name in ("body", "orelse", "finalbody")]
    if not bodies[0] or not isinstance(bodies[0], list):
        return Statement(one_line(whole), node.lineno)
    lines = [line for line in whole.split("\n") if line.strip()]
    head = next((line for line in lines if not line.startswith("@")), "")
    first, *others = [_python_statements(part, depth + 1) for part in bodies]
    statement = Statement(
        source=one_line(whole),
        line=node.lineno,
        head=head.strip(),
        children=first,
        marks=" ".join(f"@{mark}" for mark in marks),
    )
    handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
    for handler in handlers:
        inner = _python_statements(handler.body, depth + 1)
        name = ast.unparse(handler).partition("\n")[0]
        statement.children.append(Statement(name, handler.lineno, name, "", inner))
    for case in getattr(node, "cases", []):
        statement.children += _python_statements(case.body, depth + 1)
    for inner in filter(None, others):
        if isinstance(node, ast.If) and len(inner) == 1 and inner[0].head.startswith("if "):
            statement.children.append(inner[0])
        else:
            statement.children.append(Statement("else", inner[0].line, "else:", "", inner))
    return statement
