"""Reads the tests of a file in any language with a dialect: one walk over its syntax tree."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from ... import lazy_re as re
from .dialect import Dialect
from .suite import EXACT, LOOSE, NEVER, Mark, Suite, Test
from .syntax import Node, error_share, parse_tree
from .tree_attributes import AttributeReader
from .tree_claims import class_name
from .tree_constants import file_constants
from .tree_scope import Here, Scope
from .tree_statements import ASSERTING_WORD, MAX_BOUND, StatementReader
from .tree_tables import Row
from .tree_text import Link, chain_text, substitute_names

MAX_WORK = 400_000  # nodes, as often as tables and helpers repeat them
MAX_HELPER_DEPTH = 3  # helpers that call helpers
MAX_QUOTED = 80
SET_UP_NAME = re.compile(r"(?i)set_?up(?:_?before_?class|_?class|_?fixture)?")
SET_UP_MARK = re.compile(
    r"Before(?:Each|All|Class|Method|Test)?|(?:OneTime)?SetUp|(?:Test|Class)Initialize"
)
EACH = re.compile(r"each|[fF]orEach|each_with_index|for_each|each_pair|eachWithIndex")


class TreeReader(StatementReader):
    """Walks once over the tree; tests and groups open their own scopes."""

    max_error_share = 0.05  # of the letters, in which a grammar may find errors

    def __init__(self, dialect: Dialect, path: str) -> None:
        super().__init__(dialect)
        self.attributes = AttributeReader(self.tree, self.tables)
        self.unit = _unit_name(path)
        self.work_done = 0
        self.tests: list[Test] = []
        self.off: list[Mark] = []
        self.only: list[Mark] = []
        self.tricks: list[Mark] = []
        self.functions: dict[str, Node] = {}
        self.constants: dict[str, str] = {}  # names outside of functions → their literal

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

    def _is_test_function(self, node: Node) -> bool:
        if self.tree.kind(node) != "function":
            return False
        if self.dialect.test_name.fullmatch(self._function_name(node)):
            return True
        mark = self.dialect.test_mark
        return any(mark.fullmatch(attribute.name) for attribute in self.attributes.of(node))

    def _function_name(self, node: Node) -> str:
        return self.tree.text(node.child_by_field_name("name")).strip("`")

    def _parameters(self, node: Node) -> list[str]:
        listed = node.child_by_field_name("parameters") or next(
            (part for part in self.tree.parts(node) if self.tree.kind(part) == "parameters"), None
        )
        names: list[str] = []
        for part in self.tree.parts(listed) if listed is not None else ():
            if self.tree.kind(part) == "attribute":
                continue
            named = [n for n in part.children_by_field_name("name") if n.is_named]  # `a, b int`
            named = named or part.children_by_field_name("pattern") or self.tree.parts(part)[:1]
            names += map(self.tree.text, named or [part])
        return names

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

    # --- calls ---

    def _read_call(self, node: Node, here: Here) -> Here:
        links = self.tree.chain(node)
        text = chain_text(links)
        line = self.tree.line(node)
        self._find_tricks(text, line)
        if self._read_block(links, node, here):
            return here
        last = links[-1]
        blocks = self._blocks(links)
        if self.dialect.off_call.match(text):
            self.scope.disable(text[:MAX_QUOTED], here.reach == EXACT)
            return here.at_most(NEVER)
        error = self.dialect.expects_error.match(text)
        if error:
            value = substitute_names(next(filter(None, error.groups()), ""), here.values)
            self.scope.expected_errors.append((class_name(value), line))
            return here
        if EACH.fullmatch(last.name) and self._read_each(links, blocks, here):
            return here
        helper = self._called_helper(last)
        if helper is not None:
            self._read_helper(helper, last, here, blocks)
            return here
        found = self._claims_of(links, node, here)
        for assertion in found:
            self._add(assertion, here)
        if not found and last.is_called and self.scope.name:
            self.scope.steps.append(substitute_names(text, here.values)[:MAX_BOUND])
        if not found:
            self._read_tokens(node, here)
        is_swallowed = bool(self.dialect.swallows.match(text))
        for block in blocks:
            self._walk_inside(block, here.at_most(NEVER) if is_swallowed else here)
        for argument in last.arguments:
            given = self.functions.get(argument.text)
            if self.tree.kind(given) == "lambda" and given is not None:
                self._read_helper(given, Link(""), here)
        return here

    def _called_helper(self, call: Link) -> Node | None:
        """The function of this file that a call means, if it asserts something. No test is."""
        helper = self.functions.get(call.name) if call.is_called else None
        if helper is None or not ASSERTING_WORD.search(helper.text):
            return None
        return None if self._is_test_function(helper) else helper

    def _read_tokens(self, node: Node, here: Here) -> None:
        """The assertions in the arguments of a macro, which the grammar does not read."""
        waiting = [part for part in node.children if self.tree.kind(part) == "tokens"]
        while waiting:
            parts = waiting.pop().children
            for name, sign, given in zip(parts, parts[1:], parts[2:], strict=False):
                if sign.type != "!" or self.tree.kind(given) != "tokens":
                    continue
                link = Link(self.tree.text(name), self.tree.arguments(given), True)
                for assertion in self._claims_of([link], name, here):
                    self._add(assertion, here)
            waiting += [part for part in parts if self.tree.kind(part) == "tokens"]

    def _find_tricks(self, text: str, line: int) -> None:
        mock = self.dialect.mocks.search(text)
        is_of_unit = bool(mock) and self.unit in (mock.groups() if mock else ())
        if is_of_unit or self.dialect.tampering.match(text):
            self.tricks.append(Mark(text[:MAX_QUOTED], line))

    def _read_each(self, links: list[Link], blocks: list[Node], here: Here) -> bool:
        root = links[0].node
        block = blocks[-1] if blocks else self._named_helper(links[-1])
        if root is None or block is None:
            return False
        names = self._parameters(block) or ["it"]
        rows = self.tables.rows(root, names) if len(links) <= 3 else None
        self._read_rows(rows, self.tree.body_of(block), here)
        return True

    def _named_helper(self, call: Link) -> Node | None:
        """The helper that `names.forEach(::assertInvalid)` calls for each element."""
        words = re.findall(r"\w+", " ".join(call.texts))
        helper = self.functions.get(words[-1]) if words else None
        is_asserting = helper is not None and ASSERTING_WORD.search(helper.text)
        return helper if is_asserting else None

    def _read_helper(
        self, helper: Node, call: Link, here: Here, blocks: Sequence[Node] = ()
    ) -> None:
        """Reads a helper with the arguments of a call, and the blocks that it is given."""
        for block in blocks:
            self._walk_inside(block, here)
        if here.depth >= MAX_HELPER_DEPTH:
            return
        names = self._parameters(helper)
        values = {
            name: substitute_names(text, here.values)
            for name, text in self._bind_arguments(helper, call).items()
            if len(text) < MAX_BOUND
        }
        known = {name: text for name, text in here.values.items() if name not in names}
        inside = here._replace(values={**known, **values}, depth=here.depth + 1)
        self.walk(self.tree.body_of(helper), inside)

    def _bind_arguments(self, helper: Node, call: Link) -> Row:
        return dict(zip(self._parameters(helper), call.texts, strict=False))

    def _read_block(self, links: list[Link], node: Node, here: Here) -> bool:
        """Reads the test or the group of tests that a call defines; False if it is neither."""
        at = next((i for i, link in enumerate(links) if self._is_block(link)), -1)
        if at < 0:
            return False
        link = links[at]
        blocks = self._blocks(links)
        is_test = bool(self.dialect.test_blocks.fullmatch(_block_name(link)))
        is_own_title = link.name.startswith("'")
        title = link.name if is_own_title else next(filter(None, link.texts), link.name)
        is_pending = is_test and self.dialect.has_pending_tests and bool(link.texts)
        is_skip = bool(self.dialect.off_call.match(link.name))
        if link.name in self.functions or (not blocks and (is_skip or not is_pending)):
            return False
        above = self.scope
        self.scope = own = Scope(substitute_names(title, here.values).strip("'"), above)
        text = ".".join([*(each.name for each in links)])
        options = ", ".join(each for each in link.texts[1:] if len(each) < MAX_QUOTED)
        switches = f"{text}({title}, {options})"
        if self.dialect.off_mark.search(switches) or (is_test and not blocks):
            own.disable(link.name, here.reach >= LOOSE)
        if self.dialect.only_call.search(switches):
            self.only.append(Mark(f"{link.name} {own.name}", self.tree.line(node)))
        rows = self._block_rows(links[at + 1 :], blocks)
        for row in [{}] if rows is None else rows:
            for block in blocks:
                inside = Here({**here.values, **row}, self.constants, depth=here.depth)
                self._walk_inside(self.tree.body_of(block), inside)
        if rows is None:
            own.cases = 0
        elif len(rows) > 1:
            own.cases = len(rows)
        if is_test:
            self.tests.append(own.as_test(self.tree.line(node)))
        elif own.assertions:
            above.assertions += own.assertions
        self.scope = above
        return True

    def _is_block(self, link: Link) -> bool:
        name, dialect = _block_name(link), self.dialect
        is_named = dialect.test_blocks.fullmatch(name) or dialect.group_blocks.fullmatch(name)
        return link.is_called and bool(is_named)

    def _block_rows(self, links: list[Link], blocks: list[Node]) -> list[Row] | None:
        """The rows of `it(…)->with([…])`; one empty row without a table."""
        for link in links:
            if link.name == "with" and link.arguments and blocks:
                listed = link.arguments[0].node
                names = self._parameters(blocks[0])
                return self.tables.rows(listed, names, False) if listed is not None else None
        return [{}]


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


def _block_name(link: Link) -> str:
    """A title may be the function itself: `"adds" { … }`."""
    return "'" if link.name.startswith("'") else link.name


def _unit_name(path: str) -> str:
    """The name of the class that a test file is about."""
    name = posixpath.basename(path).partition(".")[0]
    name = re.sub(r"^(?:Test(?=[A-Z])|test_)|(?:Tests?|IT|TestCase|Spec|_spec|_test)$", "", name)
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
