"""Reads the tests of a file in any language with a dialect: one walk over its syntax tree."""

from __future__ import annotations

from collections.abc import Callable

from ... import lazy_re as re
from .dialect import Dialect
from .suite import NEVER, Mark, Suite
from .syntax import Node, error_share, parse_tree
from .tree_calls import MAX_QUOTED, CallReader
from .tree_constants import file_constants
from .tree_scope import Here, Scope
from .tree_statements import ASSERTING_WORD

MAX_WORK = 400_000  # nodes, as often as tables and helpers repeat them
SET_UP_NAME = re.compile(r"(?i)set_?up(?:_?before_?class|_?class|_?fixture)?")
SET_UP_MARK = re.compile(
    r"Before(?:Each|All|Class|Method|Test)?|(?:OneTime)?SetUp|(?:Test|Class)Initialize"
)


class TreeReader(CallReader):
    """Walks once over the tree; tests and groups open their own scopes."""

    max_error_share = 0.05  # of the letters, in which a grammar may find errors

    def read_suite(self, root: Node, text: str) -> Suite:
        self._collect_names(root)
        self.constants = file_constants(root, self.tree, self._declaration)
        self.walk(root, Here(literals=self.constants))
        if self.scope.assertions:
            self.tests.append(self.scope.as_test(1))
        tests, self.tests = self.tests, []
        self._read_helpers()
        for number, line in enumerate(text.splitlines()[:40], 1):
            if self.dialect.off_file.search(line):
                self.off.append(Mark(line.strip()[:MAX_QUOTED], number))
        return Suite(
            tests=tuple(tests),
            off=tuple(self.off),
            only=tuple(self.only),
            tricks=tuple(dict.fromkeys(self.tricks)),
            helpers=tuple(self.tests),
        )

    def _collect_names(self, root: Node) -> None:
        """The functions, lists and types that have a name, wherever they are."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            kind = self.tree.kind(node)
            if kind == "function":
                name = self._function_name(node)
                self.functions.setdefault(name, node)
                self.tables.add_list(name, self._returned_node(node))
            elif kind == "type":
                self.tables.add_type(node)
            elif node.type in self.dialect.declarations:
                names, value = self._declaration(node)
                for name in names[:1]:
                    if self.tree.kind(value) == "lambda" and value is not None:
                        self.functions.setdefault(name, value)
                    self.tables.add_list(name, value)
            waiting += reversed(node.named_children)

    def _read_helpers(self) -> None:
        for name, node in self.functions.items():
            if self._is_test_function(node) or not ASSERTING_WORD.search(node.text):
                continue
            self.scope = Scope(name)
            self.walk(self.tree.body_of(node), Here(literals=self.constants))
            if self.scope.assertions:
                self.tests.append(self.scope.as_test(self.tree.line(node)))

    # --- the walk ---

    def walk(self, node: Node, here: Here) -> Here:
        """Reads a node; the answer is what holds after it."""
        self.work_done += 1
        if self.work_done > MAX_WORK:
            raise ValueError("too much to read")
        kind = self.tree.kind(node)
        if kind in READERS:
            read: Callable[[Node, Here], Here] = getattr(self, READERS[kind])
            return read(node, here)
        dialect = self.dialect
        if node.type in dialect.declarations:
            return self._read_declaration(node, here)
        if node.type in dialect.loops:
            return self._read_loop(node, here)
        if node.type in dialect.calls or node.type in dialect.methods:
            return self._read_call(node, here)
        return self._walk_parts(node, here)

    def _skip(self, node: Node, here: Here) -> Here:
        return here

    def _leave(self, node: Node, here: Here) -> Here:
        self._walk_parts(node, here)
        return here.at_most(NEVER)

    # --- classes and functions ---

    def _read_class(self, node: Node, here: Here) -> Here:
        above = self.scope
        name = self.tree.text(node.child_by_field_name("name"))
        self.scope = Scope(name, above, "::")
        self.attributes.apply(self.attributes.of(node), self.scope)
        self._read_set_up(node)
        for part in self.tree.parts(node):
            self.walk(part, here)
        above.assertions += self.scope.assertions
        self.scope = above
        return here

    def _read_set_up(self, node: Node) -> None:
        """What skips in a function that runs before every test of the class skips them all."""
        body = node.child_by_field_name("body") or node
        own = self.scope
        for part in self.tree.parts(body):
            if not self._is_set_up(part):
                continue
            self.scope = Scope(own.name)
            self.walk(self.tree.body_of(part), Here(literals=self.constants))
            own.disabled_by = own.disabled_by or self.scope.disabled_by
            own.skip_condition = own.skip_condition or self.scope.skip_condition
        self.scope = own

    def _is_set_up(self, node: Node) -> bool:
        if self.tree.kind(node) != "function":
            return False
        if SET_UP_NAME.fullmatch(self._function_name(node)):
            return True
        return any(SET_UP_MARK.fullmatch(mark.name) for mark in self.attributes.of(node))

    def _read_function(self, node: Node, here: Here) -> Here:
        if not self._is_test_function(node):
            return here
        above = self.scope
        self.scope = own = Scope(self._function_name(node), above, "::")
        attributes = self.attributes.of(node)
        self.attributes.apply(attributes, own)
        rows = self.attributes.rows(attributes, self._parameters(node))
        body = self.tree.body_of(node)
        for row in [{}] if rows is None else rows:
            self.walk(body, Here({**here.values, **row}, self.constants))
        if rows is None:
            own.cases = 0
        elif len(rows) > 1 or own.cases == 1:
            own.cases = max(own.cases, len(rows))
        self.tests.append(own.as_test(self.tree.line(node)))
        self.scope = above
        return here

    def _returned_node(self, node: Node) -> Node | None:
        """What a function without further steps returns."""
        body = self.tree.body_of(node)
        for _ in range(4):
            parts = self.tree.parts(body)
            is_wrapping = self.tree.kind(body) in ("return", "block", "wrapper", "")
            if len(parts) != 1 or not is_wrapping or body.type in self.dialect.calls:
                break
            body = parts[0]
        return body


READERS = {  # what a node is → the method that reads it
    **dict.fromkeys(("comment", "string", "number", "atom"), "_skip"),
    **dict.fromkeys(("attribute", "attributes", "types"), "_skip"),
    **dict.fromkeys(("if", "unless"), "_read_if"),
    **dict.fromkeys(("return", "throw"), "_leave"),
    "function": "_read_function",
    "class": "_read_class",
    "lambda": "_walk_inside",
    "try": "_read_try",
    "case": "_read_case",
    "switch": "_read_switch",
    "choice": "_read_choice",
}


def read_tests(
    dialect: Dialect, path: str, text: str, reader: type[TreeReader] = TreeReader
) -> Suite | None:
    """The tests of the file, or None if it cannot be read."""
    root = parse_tree(dialect.grammar, text)
    if root is None or error_share(root) > reader.max_error_share:
        return None
    return reader(dialect, path).read_suite(root, text)
