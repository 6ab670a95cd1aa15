"""The constants of a test file: what tests expect may be written outside of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .syntax import Node
from .tree_statements import is_literal
from .tree_text import TreeText

Declaration = Callable[[Node], tuple[list[str], Node | None]]  # its names, and its value


def file_constants(root: Node, tree: TreeText, read_declaration: Declaration) -> dict[str, str]:
    """The names outside of functions that stand for a literal, and for nothing else."""
    constants: dict[str, str] = {}
    changed: set[str] = set()
    functions: list[Node] = []
    for node in _declarations([root], tree, functions):
        names, value = read_declaration(node)
        literal = tree.text(value) if value is not None and len(names) == 1 else ""
        for name in names:
            is_same = constants.setdefault(name, literal) == literal
            if not is_same or value is None or not is_literal(tree, value, literal):
                changed.add(name)
    if constants.keys() - changed:
        for node in _declarations(functions, tree):
            changed.update(read_declaration(node)[0])
    return {name: literal for name, literal in constants.items() if name not in changed}


def _declarations(
    roots: list[Node], tree: TreeText, functions: list[Node] | None = None
) -> Iterator[Node]:
    """All declarations below the roots. With a list, functions go there and are not read."""
    waiting = [*roots]
    while waiting:
        node = waiting.pop()
        if functions is not None and tree.kind(node) in ("function", "lambda"):
            functions.append(node)
            continue
        if node.type in tree.dialect.declarations:
            yield node
        waiting += node.named_children
