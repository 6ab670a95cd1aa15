"""Source text as a tree of tree-sitter, which is installed with the extra `languages`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

MAX_CHARS = 600_000  # a parser cannot be stopped; this many take about a second
MAX_NODES = 600_000
GRAMMARS = {  # name → package, and the function that returns the grammar
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
}


class Node:
    """A copy of a node. Those of tree-sitter may crash when they are asked for their text."""

    __slots__ = (
        "child_count",
        "children",
        "field",
        "has_error",
        "is_named",
        "line",
        "named_children",
        "prev_named_sibling",
        "source",
        "span",
        "type",
    )

    def __init__(self, node: Any, field: str, source: bytes) -> None:
        self.type: str = node.type
        self.is_named: bool = node.is_named
        self.has_error: bool = node.has_error
        self.line: int = node.start_point[0] + 1
        self.span = slice(node.start_byte, node.end_byte)
        self.field = field  # its name in the node above; "" without one
        self.source = source
        self.child_count: int = 0
        self.children: list[Node] = []
        self.named_children: list[Node] = []
        self.prev_named_sibling: Node | None = None

    @property
    def text(self) -> bytes:
        return self.source[self.span]

    def add(self, child: Node) -> None:
        self.children.append(child)
        self.child_count += 1
        if child.is_named:
            child.prev_named_sibling = self.named_children[-1] if self.named_children else None
            self.named_children.append(child)

    def child_by_field_name(self, name: str) -> Node | None:
        return next((child for child in self.children if child.field == name), None)

    def children_by_field_name(self, name: str) -> list[Node]:
        return [child for child in self.children if child.field == name]


def parse_tree(grammar: str, text: str) -> Node | None:
    """The root of the tree; None without the grammar, or if the text is too long."""
    parser = load_parser(grammar)
    if parser is None or len(text) > MAX_CHARS:
        return None
    source = text.encode("utf-8", "replace")
    tree = parser.parse(source)
    cursor = tree.walk()
    root = Node(cursor.node, "", source)
    above, count = [root], 1
    goes_down = cursor.goto_first_child()
    while goes_down and count <= MAX_NODES:
        count += 1
        node = Node(cursor.node, cursor.field_name or "", source)
        above[-1].add(node)
        if cursor.goto_first_child():
            above.append(node)
            continue
        while not cursor.goto_next_sibling():
            cursor.goto_parent()
            above.pop()
            if not above:
                return root
    return root if count <= MAX_NODES else None


def error_share(root: Node) -> float:
    """The share of letters that the grammar did not understand."""
    if not root.has_error:
        return 0.0
    letters, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR":
            letters += len(node.text)
        elif node.has_error:
            waiting += node.children
    return letters / max(1, len(root.source))


@cache
def load_parser(grammar: str) -> Any:
    """The parser of a grammar; None if it is not installed, or has a version we do not know."""
    package, function = GRAMMARS[grammar]
    try:
        sitter, module = import_module("tree_sitter"), import_module(package)
        return sitter.Parser(sitter.Language(getattr(module, function)()))
    except (ImportError, AttributeError, TypeError, ValueError):
        return None
