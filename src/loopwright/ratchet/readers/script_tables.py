"""What the names of a pattern of JavaScript stand for, and the rows of tables in its tests."""

from __future__ import annotations

from collections.abc import Sequence

from .syntax import Node
from .tree_tables import MAX_ROWS, Row, TableReader

AROUND_A_PATTERN = ("required_parameter", "optional_parameter", "assignment_pattern")


class ScriptTables(TableReader):
    def pattern_rows(self, listed: Node, patterns: Sequence[Node]) -> list[Row] | None:
        """What the names of the patterns stand for in each row; None if that is not known."""
        if listed.type in ("template", "template_string"):
            return self._template_rows(listed)
        entries = self._entries_of(listed)
        if entries is not None:
            return [self._bind_entry(patterns, *entry) for entry in entries.items()]
        table = self._resolve(listed)
        if table is None or table.type != "array" or len(table.named_children) > MAX_ROWS:
            return None
        rows = self.tree.parts(table)
        if any(row.type == "spread_element" for row in rows):
            return None
        return [self._bind_row(patterns, row) for row in rows]

    def _template_rows(self, template: Node) -> list[Row]:
        """A head with the names, then cells such as `${1}`, with a sign between them."""
        head = template.text.decode("utf-8", "replace").strip("`\n ").partition("\n")[0]
        names = [name.strip() for name in head.split("|")]
        cells = [
            self.tree.text(part.named_children[0])
            for part in template.named_children
            if part.type == "template_substitution" and part.named_children
        ]
        starts = range(0, len(cells), len(names))
        rows = [dict(zip(names, cells[at:], strict=False)) for at in starts]
        return rows or [{}]

    def _entries_of(self, node: Node) -> dict[str, Node] | None:
        """The fields of the object in `Object.entries(cases)`."""
        links = self.tree.chain(node)
        if [link.name for link in links] != ["Object", "entries"] or not links[1].arguments:
            return None
        argument = links[1].arguments[0].node
        table = self._resolve(argument) if argument is not None else None
        return None if table is None else self.object_fields(table)

    def _bind_entry(self, patterns: Sequence[Node], key: str, value: Node) -> Row:
        names = self.tree.parts(_bare_pattern(patterns[0])) if patterns else []
        if len(names) != 2:
            return {}
        return {self.tree.text(names[0]): f"'{key}'"} | self.bind(names[1], value)

    def object_fields(self, node: Node) -> dict[str, Node]:
        """The fields of an object that is written out; none of any other value."""
        parts = self._parts(node) if node.type == "object" else []
        return {(key or self.tree.text(part)).strip("'"): part for key, part in parts}

    def _bind_row(self, patterns: Sequence[Node], row: Node) -> Row:
        """A row that is a list fills several parameters; any other row fills the first one."""
        if row.type == "array" and len(patterns) > 1:
            return self.bind_all(patterns, self.tree.parts(row))
        return self.bind(patterns[0], row) if patterns else {}

    def bind_all(self, patterns: Sequence[Node], values: Sequence[Node | None]) -> Row:
        bound: Row = {}
        for pattern, value in zip(patterns, values, strict=False):
            bound |= self.bind(pattern, value)
        return bound

    def bind(self, pattern: Node, value: Node | None) -> Row:
        """What the names of a pattern stand for, given its value."""
        if value is None:
            return {}
        pattern, value = _bare_pattern(pattern), self.tree.unwrap(value)
        if pattern.type == "array_pattern":
            cells = self.tree.parts(value) if value.type == "array" else []
            return self.bind_all(self.tree.parts(pattern), cells)
        fields = self.object_fields(value)
        if pattern.type == "object_pattern":
            return self._bind_fields(pattern, fields)
        name = self.tree.text(pattern)
        members = {f"{name}.{key}": self.tree.text(part) for key, part in fields.items()}
        return {name: self.tree.text(value)} | members

    def _bind_fields(self, pattern: Node, fields: dict[str, Node]) -> Row:
        bound: Row = {}
        for part in self.tree.parts(pattern):
            inner = self.tree.parts(part) or [part]  # `key: name`, or `key = value`
            target = inner[-1] if part.type == "pair_pattern" else inner[0]
            bound |= self.bind(target, fields.get(self.tree.text(inner[0]).strip("'")))
        return bound


def _bare_pattern(pattern: Node) -> Node:
    """Without its type, and without the value that it has if none is given."""
    while pattern.type in AROUND_A_PATTERN and pattern.named_children:
        pattern = pattern.named_children[0]
    return pattern
