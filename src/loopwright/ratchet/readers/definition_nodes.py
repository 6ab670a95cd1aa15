"""Where definitions are in the syntax tree of a file: that of Python, or one of tree-sitter."""

from __future__ import annotations

import ast
import posixpath

from ... import lazy_re as re
from ...repo.sources import PYTHON_ENDINGS, parse_python
from .definition_heads import CLASS, CONSTANT, FUNCTION, Place
from .syntax import Node, error_share, parse_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MAX_ERROR_SHARE = 0.05  # of the letters, in which a grammar may find errors


def _node_kinds(functions: str, classes: str, constants: str) -> dict[str, str]:
    rows = ((FUNCTION, functions), (CLASS, classes), (CONSTANT, constants))
    return {node: kind for kind, nodes in rows for node in nodes.split()}


SCRIPT = _node_kinds(
    "function_declaration generator_function_declaration method_definition",
    "class_declaration abstract_class_declaration interface_declaration enum_declaration"
    " type_alias_declaration",
    "variable_declarator field_definition public_field_definition pair assignment_expression",
)
NODES = {
    "javascript": SCRIPT,
    "typescript": SCRIPT,
    "tsx": SCRIPT,
    "go": _node_kinds(
        "function_declaration method_declaration", "type_spec type_alias", "const_spec var_spec"
    ),
    "rust": _node_kinds(
        "function_item function_signature_item",
        "struct_item enum_item trait_item union_item impl_item",
        "const_item static_item",
    ),
    "java": _node_kinds(
        "method_declaration constructor_declaration compact_constructor_declaration",
        "class_declaration interface_declaration enum_declaration record_declaration",
        "variable_declarator",
    ),
    "kotlin": _node_kinds(
        "function_declaration", "class_declaration object_declaration", "property_declaration"
    ),
    "csharp": _node_kinds(
        "method_declaration constructor_declaration operator_declaration property_declaration"
        " local_function_statement",
        "class_declaration struct_declaration interface_declaration record_declaration"
        " enum_declaration",
        "variable_declarator",
    ),
    "ruby": _node_kinds("method singleton_method", "class module", "assignment"),
    "php": _node_kinds(
        "function_definition method_declaration",
        "class_declaration interface_declaration trait_declaration enum_declaration",
        "const_element property_element",
    ),
}
GRAMMAR_OF = {
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    **dict.fromkeys((".kt", ".kts"), "kotlin"),
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".cs": "csharp",
    ".rb": "ruby",
    ".php": "php",
}
NAME_FIELDS = ("name", "property", "key", "left", "type")
OPERATOR = re.compile(r"\boperator\s*([^\s(]+)")
RECEIVER = re.compile(r"(\w+)(?:\[.*)?\)$", re.S)
FUNCTION_VALUES = ("arrow_function", "function_expression", "generator_function")
NEEDS_FUNCTION = ("pair", "assignment_expression")  # otherwise it only sets a value
NO_OWNERS = ("exports", "module", "this", "prototype")


def places_in_tree(path: str, text: str) -> list[Place] | None:
    """None without a parser for the language, and if it cannot read the text."""
    if path.endswith(PYTHON_ENDINGS):
        module = parse_python(text)
        found = None if module is None else [*_python_places(module, text)]
    else:
        grammar = GRAMMAR_OF.get(posixpath.splitext(path)[1], "")
        root = parse_tree(grammar, text) if grammar else None
        is_read = root is not None and error_share(root) <= MAX_ERROR_SHARE
        found = [*_tree_places(root, NODES[grammar])] if root is not None and is_read else None
    if found is None or text.isascii():
        return found
    characters = _character_positions(text.encode("utf-8", "replace"), found)
    return [
        place._replace(start=characters[place.start], end=characters[place.end]) for place in found
    ]


def _character_positions(source: bytes, places: Iterable[Place]) -> dict[int, int]:
    """Parsers count bytes."""
    positions = sorted({position for place in places for position in (place.start, place.end)})
    found, last, count = {}, 0, 0
    for position in positions:
        count += len(source[last:position].decode("utf-8", "replace"))
        last = position
        found[position] = count
    return found


def _python_places(module: ast.Module, text: str) -> Iterator[Place]:
    starts = [0]
    for line in text.encode("utf-8", "replace").split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        waiting += [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.expr)]
        kind, names = _python_names(node)
        for name in names:
            assert isinstance(node, ast.stmt)
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
            yield Place(kind, name, start, end)


def _python_names(node: ast.AST) -> tuple[str, list[str]]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return FUNCTION, [name]
        case ast.ClassDef(name=name):
            return CLASS, [name]
        case ast.Assign(targets=targets):
            return CONSTANT, [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            return CONSTANT, [name]
        case _:
            return "", []


def _tree_places(root: Node, kinds: Mapping[str, str]) -> Iterator[Place]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.named_children)
        kind = kinds.get(node.type, "")
        if not kind:
            continue
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if value is not None and value.type in FUNCTION_VALUES:
            kind = FUNCTION
        elif kind == CONSTANT and (node.type in NEEDS_FUNCTION or b"=" not in node.text):
            continue
        owner, name = _owner_and_name(node)
        if name:
            yield Place(kind, name, node.span.start, node.span.stop, owner)


def _owner_and_name(node: Node) -> tuple[str, str]:
    if node.type == "operator_declaration":  # of C#; the sign is no node with a name
        operator = OPERATOR.search(node.text.decode("utf-8", "replace"))
        return "", operator[1] if operator else ""
    name = _name_node(node)
    text = name.text.decode("utf-8", "replace") if name is not None else ""
    if node.type == "assignment" and not text[:1].isupper():
        return "", ""  # a variable of Ruby
    if name is not None and name.type.endswith("_pattern"):
        return "", ""  # `const { total } = cart`
    if name is None or name.type == "operator" or text.startswith("["):
        return "", text
    *path, last = re.split(r"\.|::", text.partition("<")[0].strip("&$'\"`"))
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        match = RECEIVER.search(receiver.text.decode("utf-8", "replace"))
        return match[1] if match else "", last
    owners = [part for part in path if part not in NO_OWNERS]
    is_assigned = node.type == "assignment_expression" and bool(owners)
    return owners[-1] if is_assigned else "", last


def _name_node(node: Node) -> Node | None:
    for field in NAME_FIELDS:
        child = node.child_by_field_name(field)
        if child is not None:
            return child
    for part in node.named_children:
        if part.type == "variable_declaration":  # of Kotlin, with a type
            return next(iter(part.named_children), None)
    return next(iter(node.named_children), None)
