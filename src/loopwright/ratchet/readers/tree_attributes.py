"""Annotations and attributes of tests: what switches a test off, and the cases of a table."""

from __future__ import annotations

import re
from typing import NamedTuple

from .syntax import Node
from .tree_claims import class_name
from .tree_scope import Scope
from .tree_tables import WORD, Row, TableReader
from .tree_text import Argument, TreeText

MAX_QUOTED = 80


class Attribute(NamedTuple):
    """An annotation: its name, its arguments, and how it is spelled."""

    name: str
    text: str
    line: int
    arguments: tuple[Argument, ...] = ()


class AttributeReader:
    def __init__(self, tree: TreeText, tables: TableReader) -> None:
        self.tree = tree
        self.dialect = tree.dialect
        self.tables = tables

    def of(self, node: Node) -> list[Attribute]:
        """The annotations of a function or a class."""
        found = []
        beside = node.prev_named_sibling
        while beside is not None and self.tree.kind(beside) in ("attribute", "comment"):
            found += self._attributes_in(beside)
            beside = beside.prev_named_sibling
        for part in node.children:
            if self.tree.kind(part) in ("attribute", "attributes"):
                found += self._attributes_in(part)
        return found

    def _attributes_in(self, node: Node) -> list[Attribute]:
        if self.tree.kind(node) == "comment":
            text = node.text.decode("utf-8", "replace")
            # Tags count in a documentation comment only: `// @Ignore` is switched off itself.
            tags = re.findall(r"@(\w+)[ \t]*([^\n*]*)", text) if text.startswith("/**") else []
            return [
                Attribute(name, f"@{name}", self.tree.line(node), (Argument(f"'{value.strip()}'"),))
                for name, value in tags
            ]
        if self.tree.kind(node) == "attributes":
            return [each for part in node.named_children for each in self._attributes_in(part)]
        if self.tree.kind(node) != "attribute":
            return []
        inner, kinds = node, ("attribute", "attribute_part")
        while len(self.tree.parts(inner)) == 1 and self.tree.kind(inner) in kinds:
            inner = self.tree.parts(inner)[0]
        parts = self.tree.parts(inner) if self.tree.kind(inner) in kinds else [inner]
        name = self.tree.text(parts[0]).lstrip("@#").rpartition("::")[2]
        arguments = self.tree.arguments(parts[1]) if len(parts) > 1 else ()
        name = name.rpartition(".")[2].rpartition("\\")[2]
        return [Attribute(name, self.tree.text(node), self.tree.line(node), arguments)]

    def apply(self, attributes: list[Attribute], scope: Scope) -> None:
        """Sets what the annotations of a test or a class say."""
        dialect = self.dialect
        for attribute in attributes:
            text = attribute.text
            if dialect.off_mark.search(text):
                scope.disable(text[:MAX_QUOTED], True)
            elif dialect.condition_mark.search(text):
                scope.disable(text[:MAX_QUOTED], False)
            error = dialect.expects_error.search(text)
            if error:
                value = next(filter(None, error.groups()), "")
                scope.expected_errors.append((class_name(value), attribute.line))
            number = dialect.patience.search(text)
            if number:
                scope.patience += float(next(filter(None, number.groups())))

    def rows(self, attributes: list[Attribute], names: list[str]) -> list[Row] | None:
        """The rows of annotations; one empty row without any, None if they cannot be read."""
        dialect = self.dialect
        rows: list[Row] = []
        for attribute in reversed(attributes):
            texts = [argument.text for argument in attribute.arguments]
            if dialect.row_marks.fullmatch(attribute.name):
                rows.append(self._row_of(attribute, names))
            elif dialect.list_marks.fullmatch(attribute.name):
                found = self.tables.rows_of_arguments(attribute.arguments, names)
                if found is None:
                    return None
                rows += found
            elif dialect.source_marks.fullmatch(attribute.name):
                word = WORD.findall((texts or [""])[-1].replace("nameof", ""))
                source = self.tables.lists.get(word[-1]) if word else None
                found = self.tables.rows(source, names, False) if source is not None else None
                if found is None:
                    return None
                rows += found
        return rows or [{}]

    def _row_of(self, attribute: Attribute, names: list[str]) -> Row:
        arguments = attribute.arguments
        if len(arguments) == 1 and arguments[0].node is not None and len(names) > 1:
            listed = self.tables.rows(arguments[0].node, ["·"])
            if listed:  # a list with the values: #[TestWith(['a', 1])]
                return dict(zip(names, (row["·"] for row in listed), strict=False))
        return dict(zip(names, (argument.text for argument in arguments), strict=False))
