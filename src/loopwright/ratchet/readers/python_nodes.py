"""The names and the calls inside of a Python node, which nodes remember: they never change."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def calls_in(node: ast.AST) -> tuple[ast.Call, ...]:
    """The calls inside a node, those outside first."""
    calls: tuple[ast.Call, ...] | None = node.__dict__.get("calls_in")
    if calls is None:
        found = [node] if isinstance(node, ast.Call) else []
        for part in parts_of(node):
            found.extend(calls_in(part))
        calls = tuple(found)
        node.__dict__["calls_in"] = calls
    return calls


def names_in(node: ast.AST) -> frozenset[str]:
    """The names inside a node, as `x` and `self.x`."""
    names: frozenset[str] | None = node.__dict__.get("names_in")
    if names is None:
        found: set[str] = set()
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
        for part in parts_of(node):
            found |= names_in(part)
        names = frozenset(found)
        node.__dict__["names_in"] = names
    return names


def parts_of(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right below, without the contexts and the operators, which say nothing more."""
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            for part in value:
                if isinstance(part, ast.AST):
                    yield part
        elif isinstance(value, ast.AST) and value._fields:
            yield value
