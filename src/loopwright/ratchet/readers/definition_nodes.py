"""Where definitions are in a file of Python, by its own parser."""

from __future__ import annotations

import ast

from ...repo.sources import parse_python
from .definition_heads import CLASS, CONSTANT, FUNCTION, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def places_in_python(text: str) -> list[Place] | None:
    """None if the parser cannot read the text."""
    module = parse_python(text)
    if module is None:
        return None
    found = [*_python_places(module, text)]
    if text.isascii():
        return found
    characters = _character_positions(text.encode("utf-8", "replace"), found)
    return [
        place._replace(start=characters[place.start], end=characters[place.end]) for place in found
    ]


def _character_positions(source: bytes, places: Iterable[Place]) -> dict[int, int]:
    """The parser counts bytes."""
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
