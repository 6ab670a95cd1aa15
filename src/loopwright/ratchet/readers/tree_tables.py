"""The rows of tables in tests, whichever way a language writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ... import lazy_re as re
from .syntax import Node
from .tree_text import Argument, TreeText

MAX_ROWS = 500
ZERO = "zero_value"  # of a field that a row leaves out
LIST_CALL = re.compile(
    r"(?:\w+\.)?(?:listOf|setOf|arrayOf|arrayListOf|mapOf|sequenceOf|asList|of|ofEntries"
    r"|arguments|entry|vec|array|tuple|row|table|forAll|Pair|Triple)"
)
WORD = re.compile(r"\$?[A-Za-z_]\w*")
Row = dict[str, str]  # what names stand for
Part = tuple[str, Node]  # key or "", and value


class TableReader:
    """Finds lists that are written out, under their names too."""

    def __init__(self, tree: TreeText) -> None:
        self.tree = tree
        self.lists: dict[str, Node] = {}  # name → the list that it stands for
        self.fields: dict[str, list[str]] = {}  # type → the names of its fields

    def add_list(self, name: str, value: Node | None) -> None:
        if value is not None and self._list_node(value) is not None:
            self.lists[name] = value

    def add_type(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self.fields[self.tree.text(name)] = _field_names(node)

    def rows(self, node: Node, names: Sequence[str], has_keys: bool = True) -> list[Row] | None:
        """What the names stand for in each row; None if the rows are not written out.

        Without `has_keys`, the key of a row is its title and no value.
        """
        listed = self._resolve(node)
        if listed is None:
            return None
        parts = self._parts(listed)
        if not parts or len(parts) > MAX_ROWS:
            return None
        fields = self._row_fields(listed)
        return [self._bind(names, key if has_keys else "", value, fields) for key, value in parts]

    def rows_of_arguments(
        self, arguments: Sequence[Argument], names: Sequence[str]
    ) -> list[Row] | None:
        """The rows of `@CsvSource({"a, 1", "b, 2"})` or `@ValueSource(ints = {1, 2})`."""
        cells: list[str] = []
        for argument in arguments:
            listed = self._resolve(argument.node) if argument.node is not None else None
            parts = self._parts(listed) if listed is not None else []
            cells += [self.tree.text(value) for _, value in parts] or [argument.text]
        rows = []
        for cell in cells:
            values = [part.strip() for part in re.split(r"\s*[,|]\s*", cell.strip("'"))]
            quoted = values if len(names) > 1 else [cell]
            rows.append(dict(zip(names, map(_as_value, quoted), strict=False)))
        return rows or None

    def _resolve(self, node: Node) -> Node | None:
        """The list itself, if this is one or the name of one."""
        for _ in range(3):
            listed = self._list_node(node)
            if listed is not None:
                return listed
            following = self.lists.get(self.tree.text(self.tree.unwrap(node)))
            if following is None:
                return None
            node = following
        return None

    def _list_node(self, node: Node) -> Node | None:
        node = self.tree.unwrap(node)
        kind = self.tree.kind(node)
        if kind == "list":
            return node
        if kind == "list_holder":  # a type and its list
            inner = [part for part in self.tree.parts(node) if self.tree.kind(part) == "list"]
            return node if inner else None
        if kind == "macro":
            return None
        is_call = node.type in self.tree.dialect.calls or node.type in self.tree.dialect.methods
        if is_call:
            links = self.tree.chain(node)
            name = ".".join(link.name for link in links[-2:])
            if LIST_CALL.fullmatch(name) and links[-1].arguments:
                return node
        return None

    def _parts(self, node: Node) -> list[Part]:
        tree = self.tree
        if tree.kind(node) == "list_holder":
            node = next(part for part in tree.parts(node) if tree.kind(part) == "list")
        if tree.kind(node) == "list":
            return list(self._items(node))
        if node.type in tree.dialect.calls or node.type in tree.dialect.methods:
            arguments = tree.chain(node)[-1].arguments
            return [("", each.node) for each in arguments if each.node is not None]
        return []

    def _items(self, node: Node) -> Iterator[Part]:
        for part in self.tree.parts(node):
            inner = part
            while self.tree.kind(inner) == "argument":
                parts = self.tree.parts(inner)
                if len(parts) == 2:
                    break
                inner = parts[-1]
            if self.tree.kind(inner) in ("pair", "argument"):
                key, *_, value = self.tree.parts(inner)
                while self.tree.kind(value) == "argument":
                    value = self.tree.parts(value)[-1]
                yield self.tree.text(key), value
            else:
                yield "", inner

    def _row_fields(self, node: Node) -> list[str]:
        """The names of the fields of each row, by the type of the list."""
        own = _field_names(node)
        if own:
            return own
        first = self.tree.parts(node)[0] if self.tree.parts(node) else None
        words = WORD.findall(self.tree.text(first)) if first is not None else []
        return next((self.fields[word] for word in words if word in self.fields), [])

    def _bind(self, names: Sequence[str], key: str, value: Node, fields: list[str]) -> Row:
        listed = self._list_node(value)
        parts = self._parts(listed) if listed is not None else []
        if key and len(names) == 2:
            row = {names[0]: key, names[1]: self.tree.text(value)}
            return row | self._members(names[1], parts, fields)
        if len(names) == 2 and names[0] == "_":
            names = names[1:]
        if len(names) == 1:
            row = {names[0]: self.tree.text(value)}
            return row | self._members(names[0], parts, fields)
        texts = [self.tree.text(part) for _, part in parts]
        return dict(zip(names, texts, strict=False))

    def _members(self, name: str, parts: list[Part], fields: list[str]) -> Row:
        row: Row = {}
        for at, (key, part) in enumerate(parts):
            field = key.strip("':") or (fields[at] if at < len(fields) else str(at))
            text = self.tree.text(part)
            row |= {f"{name}.{field}": text, f"{name}['{field}']": text, f"{name}[{at}]": text}
        if any(key for key, _ in parts):
            row |= {f"{name}.{each}": ZERO for each in fields if f"{name}.{each}" not in row}
        return row


def _as_value(text: str) -> str:
    is_bare = re.fullmatch(r"-?[\d.]+|true|false|null|'.*'", text)
    return text if is_bare else f"'{text}'"


def _field_names(node: Node) -> list[str]:
    """The fields of a struct that is written out in a type."""
    names: list[str] = []
    waiting = [node.child_by_field_name("type") or node]
    while waiting:
        part = waiting.pop()
        if part.type == "field_declaration":
            found = part.children_by_field_name("name")
            names += [each.text.decode("utf-8", "replace") for each in found]
        elif part.type != "literal_value":
            waiting += reversed(part.named_children)
    return names
