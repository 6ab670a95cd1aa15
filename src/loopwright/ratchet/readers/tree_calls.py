"""Reads the calls of a test: assertions, helpers, loops over lists, and blocks that are tests."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from ... import lazy_re as re
from .dialect import Dialect
from .suite import EXACT, LOOSE, NEVER, Mark, Test
from .syntax import Node
from .tree_attributes import AttributeReader
from .tree_claims import class_name
from .tree_scope import Here, Scope
from .tree_statements import ASSERTING_WORD, MAX_BOUND, StatementReader
from .tree_tables import Row
from .tree_text import Link, chain_text, substitute_names

MAX_HELPER_DEPTH = 3  # helpers that call helpers
MAX_QUOTED = 80
EACH = re.compile(r"each|[fF]orEach|each_with_index|for_each|each_pair|eachWithIndex")


class CallReader(StatementReader):
    """Collects the tests, and the marks beside them, that calls make."""

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


def _block_name(link: Link) -> str:
    """A title may be the function itself: `"adds" { … }`."""
    return "'" if link.name.startswith("'") else link.name


def _unit_name(path: str) -> str:
    """The name of the class that a test file is about."""
    name = posixpath.basename(path).partition(".")[0]
    name = re.sub(r"^(?:Test(?=[A-Z])|test_)|(?:Tests?|IT|TestCase|Spec|_spec|_test)$", "", name)
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
