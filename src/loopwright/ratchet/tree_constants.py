"""The constants of a test file: what tests expect may be written outside of them."""

from __future__ import annotations

from collections.abc import Callable

from .syntax import Node
from .tree_statements import LITERAL
from .tree_text import TreeText

Declaration = Callable[[Node], tuple[list[str], Node | None]]  # its names, and its value


def file_constants(root: Node, tree: TreeText, read_declaration: Declaration) -> dict[str, str]:
    """The names outside of functions that stand for a literal, and for nothing else."""
    constants: dict[str, str] = {}
    changed: set[str] = set()
    waiting = [(root, False)]
    while waiting:
        node, is_inside = waiting.pop()
        if node.type in tree.dialect.declarations:
            names, value = read_declaration(node)
            literal = tree.text(value) if value is not None else ""
            is_constant = not is_inside and len(names) == 1 and LITERAL.fullmatch(literal)
            for name in names:
                if is_constant and constants.get(name, literal) == literal:
                    constants[name] = literal
                else:
                    changed.add(name)
        is_inside = is_inside or tree.kind(node) in ("function", "lambda")
        waiting += [(child, is_inside) for child in node.named_children]
    return {name: literal for name, literal in constants.items() if name not in changed}
