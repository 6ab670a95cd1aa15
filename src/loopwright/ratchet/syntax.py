"""Source text as a tree of tree-sitter, which is installed with the extra `languages`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

MAX_CHARS = 300_000  # a parser cannot be stopped; this many take less than a second
Node = Any  # a node of tree-sitter, which may not be installed where types are checked
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
# The extra `languages`, for those who have no pip package of ours: the same as in pyproject.toml.
REQUIREMENTS = (
    "tree-sitter>=0.24",
    "tree-sitter-javascript>=0.23",
    "tree-sitter-typescript>=0.23",
    "tree-sitter-go>=0.23",
    "tree-sitter-rust>=0.23",
    "tree-sitter-java>=0.23",
    "tree-sitter-kotlin>=1.1",
    "tree-sitter-c-sharp>=0.23",
    "tree-sitter-ruby>=0.23",
    "tree-sitter-php>=0.23",
)


def parse_tree(grammar: str, text: str) -> Node | None:
    """The root of the tree; None without the grammar, or if the text is too long."""
    parser = load_parser(grammar)
    if parser is None or len(text) > MAX_CHARS:
        return None
    return parser.parse(text.encode("utf-8", "replace")).root_node


@cache
def load_parser(grammar: str) -> Any:
    """The parser of a grammar; None if it is not installed, or has a version we do not know."""
    package, function = GRAMMARS[grammar]
    try:
        sitter, module = import_module("tree_sitter"), import_module(package)
        return sitter.Parser(sitter.Language(getattr(module, function)()))
    except (ImportError, AttributeError, TypeError, ValueError):
        return None
