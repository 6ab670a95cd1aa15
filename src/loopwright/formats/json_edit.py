"""Edits of a JSON file that keep every other byte: comments, order, spacing and trailing commas.

The text is scanned once into values with their places; an edit inserts or cuts at one place.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
PLAIN = re.compile(r"[-+.\w]+")
BOM = "\ufeff"
Path = tuple[str | int, ...]  # keys of objects, places in lists


class JsonEditError(ValueError):
    """The text is not JSON that we can edit."""


@dataclass
class Node:
    """A value and where it stands in the text."""

    start: int
    end: int = 0
    kind: str = "value"  # object, array or value
    keys: list[str] = field(default_factory=list)
    key_starts: list[int] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)  # of an object: the values of its keys

    def place(self, key: str) -> int:
        """The place of the key; of the last one, which counts, if it is there twice. -1: none."""
        return max((place for place, name in enumerate(self.keys) if name == key), default=-1)

    def member(self, key: str) -> Node | None:
        return self.items[self.place(key)] if key in self.keys else None


def scan(text: str) -> Node:
    """The value of the whole text."""
    try:
        node = _scan_value(text, _skip(text, 1 if text.startswith(BOM) else 0))
    except RecursionError as error:
        raise JsonEditError("it is nested too deeply") from error
    if _skip(text, node.end) != len(text):
        raise JsonEditError(f"something follows the value in line {_line(text, node.end)}")
    return node


def value_of(text: str, node: Node) -> Any:
    """The value itself, without its comments."""
    if node.kind == "object":
        return {key: value_of(text, item) for key, item in zip(node.keys, node.items, strict=True)}
    if node.kind == "array":
        return [value_of(text, item) for item in node.items]
    try:
        return json.loads(text[node.start : node.end])
    except ValueError as error:
        raise JsonEditError(f"no JSON value in line {_line(text, node.start)}") from error


def read_value(text: str) -> Any:
    """The value of the whole text; {} for an empty one."""
    return value_of(text, scan(text)) if text.removeprefix(BOM).strip() else {}


def append_item(text: str, path: tuple[str, ...], item: Any) -> str:
    """The text with one more item in the list at the path; what is missing on the way is added."""
    return _add(text, path, item, into_list=True)


def add_member(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with this value at the path, unless there is one already."""
    return _add(text, path, value, into_list=False)


def remove_item(text: str, path: Path, place: int) -> str:
    """The text without the item at this place of the list at the path."""
    node = _find(text, path)
    if node is None or node.kind != "array":
        return text
    return _cut(text, [(item.start, item.end) for item in node.items], place)


def replace_item(text: str, path: Path, place: int, item: Any) -> str:
    """The text with another item at this place of the list at the path; nothing else moves."""
    node = _find(text, path)
    if node is None or node.kind != "array" or value_of(text, node.items[place]) == item:
        return text
    old = node.items[place]
    line_end, indent = "\r\n" if "\r\n" in text else "\n", _indent_of(text, old.start)
    rendered = json.dumps(item, indent=_indent_unit(text), ensure_ascii=False)
    return text[: old.start] + rendered.replace("\n", f"{line_end}{indent}") + text[old.end :]


def remove_member(text: str, path: tuple[str, ...]) -> str:
    """The text without the member at the path."""
    parent = _find(text, path[:-1])
    if parent is None or parent.kind != "object" or path[-1] not in parent.keys:
        return text
    spans = [(start, item.end) for start, item in zip(parent.key_starts, parent.items, strict=True)]
    return _cut(text, spans, parent.place(path[-1]))


def _find(text: str, path: Path) -> Node | None:
    node: Node | None = scan(text) if text.removeprefix(BOM).strip() else None
    for key in path:
        if node and isinstance(key, int) and node.kind == "array":
            node = node.items[key] if key < len(node.items) else None
        elif node and isinstance(key, str) and node.kind == "object":
            node = node.member(key)
        else:
            node = None
    return node


def _add(text: str, path: tuple[str, ...], value: Any, into_list: bool) -> str:
    if not text.removeprefix(BOM).strip():
        text = f"{text}{{}}\n" if not text.strip(f"{BOM} \t\r\n") else text
    node, depth, line_end = scan(text), 0, "\r\n" if "\r\n" in text else "\n"
    while depth < len(path) and node.kind == "object" and (below := node.member(path[depth])):
        node, depth = below, depth + 1
    rest = path[depth:]
    if not rest and not into_list:
        return text
    if node.kind != ("object" if rest else "array"):
        name = ".".join(path[:depth]) or "the whole file"
        wanted = "an object in {}" if rest else "a list in []"
        raise JsonEditError(f"{name} is not {wanted}, in line {_line(text, node.start)}")
    new: Any = [value] if into_list and rest else value
    for key in reversed(rest[1:]):
        new = {key: new}
    unit = _indent_unit(text)
    inner = _indent_of(text, node.start) + unit
    rendered = json.dumps(new, indent=unit, ensure_ascii=False).replace("\n", f"{line_end}{inner}")
    if rest:
        rendered = f"{json.dumps(rest[0], ensure_ascii=False)}: {rendered}"
    if node.items:
        place = node.items[-1].end
        return f"{text[:place]},{line_end}{inner}{rendered}{text[place:]}"
    outer = _indent_of(text, node.start)
    inside = text[node.start + 1 : node.end - 1]
    kept = inside.rstrip() if inside.strip() else ""
    end = f"{line_end}{outer}" if not kept else f"{kept}{line_end}{outer}"
    return f"{text[: node.start + 1]}{line_end}{inner}{rendered}{end}{text[node.end - 1 :]}"


def _cut(text: str, spans: list[tuple[int, int]], place: int) -> str:
    """The text without one of the elements, and without the comma that it needed."""
    start, end = spans[place]
    if place:
        return text[: spans[place - 1][1]] + text[end:]
    if len(spans) > 1:
        return text[:start] + text[spans[1][0] :]
    after = _skip(text, end)
    if text[after : after + 1] == ",":
        end = after + 1
    before = text[:start].rstrip()
    closing = text[end:].lstrip()
    is_alone = before[-1:] in "[{" and closing[:1] in "]}"
    return before + closing if is_alone else text[:start] + text[end:]


def _indent_of(text: str, place: int) -> str:
    """The white space at the beginning of the line."""
    line = text[text.rfind("\n", 0, place) + 1 : place].removeprefix(BOM)
    return line[: len(line) - len(line.lstrip())]


def _indent_unit(text: str) -> str:
    """The first indentation in the file; two spaces without one."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _skip(text: str, place: int) -> int:
    """The place after white space and comments."""
    found = BLANK.match(text, place)
    return found.end() if found else place


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _scan_value(text: str, place: int) -> Node:
    match text[place : place + 1]:
        case "{":
            return _scan_list(text, place, "object", "}")
        case "[":
            return _scan_list(text, place, "array", "]")
        case '"':
            found = STRING.match(text, place)
        case _:
            found = PLAIN.match(text, place)
    if not found:
        raise JsonEditError(f"no JSON value in line {_line(text, place)}")
    return Node(place, found.end())


def _scan_list(text: str, place: int, kind: str, closing: str) -> Node:
    node = Node(place, kind=kind)
    place = _skip(text, place + 1)
    while text[place : place + 1] != closing:
        if kind == "object":
            found = STRING.match(text, place)
            if not found:
                raise JsonEditError(f"no name in line {_line(text, place)}")
            node.keys.append(json.loads(found[0]))
            node.key_starts.append(place)
            place = _skip(text, found.end())
            if text[place : place + 1] != ":":
                raise JsonEditError(f"no colon after a name in line {_line(text, place)}")
            place = _skip(text, place + 1)
        node.items.append(_scan_value(text, place))
        place = _skip(text, node.items[-1].end)
        if text[place : place + 1] == ",":
            place = _skip(text, place + 1)
        elif text[place : place + 1] != closing:
            raise JsonEditError(f"no comma or {closing!r} in line {_line(text, place)}")
    node.end = place + 1
    return node
