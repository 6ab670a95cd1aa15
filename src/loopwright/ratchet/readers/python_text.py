"""The names of nodes in the syntax tree of Python."""

from __future__ import annotations

import ast


def last_word(node: ast.AST | None) -> str:
    """The last word of a name: `c` of `a.b.c`; "" of anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
