"""Reads test files of JavaScript: what their runners have of their own."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from ... import lazy_re as re
from .dialect import Dialect
from .matchers import NUMBER, word_set
from .script_claims import ScriptClaims
from .script_tables import ScriptTables
from .suite import EXACT, LOOSE, NEVER, NO_TIMEOUT_SECONDS, Assertion, Mark, Suite
from .syntax import Node
from .tree_calls import MAX_QUOTED
from .tree_reader import TreeReader
from .tree_scope import Here, Scope
from .tree_statements import ASSERTING_WORD
from .tree_tables import Row
from .tree_text import Argument, Link, chain_text, substitute_names

# What only people and the type checker read.
IGNORED_NODES = word_set(
    "type_annotation type_arguments type_parameters type_predicate_annotation asserts_annotation "
    "interface_declaration type_alias_declaration ambient_declaration opting_type_annotation "
    "omitting_type_annotation accessibility_modifier override_modifier implements_clause"
)
CASTS = word_set("as_expression satisfies_expression non_null_expression")
FIELDS = word_set("pair shorthand_property_identifier")
TITLES = word_set("string template_string template")
LOOP_FIELDS = ("left", "right", "body")
# A runner, under its own name or as a choice: `process.env.CI?it.skip: it`.
RUNNER = re.compile(
    r"(?:(?P<choice>.+)\?)?"
    r"(?P<name>it|test|specify|[fx]it|xtest|[fx]?describe|context|suite)(?P<words>(?:\.\w+)*)"
    r"(?(choice): (?P<other>\w+)(?P<other_words>(?:\.\w+)*))"
)
RUNNER_CALL = re.compile(rb"\b(?:it|test|specify|describe|context|suite)(?:\.\w+)*\s*\(")
NOT_TESTS = word_set("step before beforeEach beforeAll after afterEach afterAll use extend")
RUNNER_OBJECTS = word_set("this t ctx context test it describe jest vi")
SKIP_WORDS = word_set("skip todo fixme failing fails fail skipIf runIf expectFailure")
TIMEOUT_WORDS = word_set("timeout setTimeout testTimeout retries retryTimes retry")
# What is given to these runs later, unless the test waits for it by one of the other words.
TIMER = re.compile(r"(?:\w+\.)*(?:setTimeout|setImmediate|nextTick|queueMicrotask)\(")
WAITING_WORD = re.compile(r"\b(?:done|resolve|reject|next|cb|callback|end|finish|t)\b")
COUNTED = re.compile(rb"expect\.assertions\((\d{1,3})\)")
COUNTING = re.compile(rb"\b(?:assertions|hasAssertions|plan)\b")
BRANCH = re.compile(rb"\b(?:if|switch|catch|for|forEach|each|map|while)\b|\?|&&|\|\|")
FAILURE_WORD = re.compile(r"\b(?:throw|fail|done|reject|expect|assert|should)\b")
# Of a callback; with await, the error is thrown instead.
NO_ERROR = re.compile(r"err(?:or)? == (?:null|undefined|false)|.* ifError")
FALSE, TRUE = ("false", "0", "null", "undefined", "!true"), ("true", "1", "!false")
PASSED_ERROR = re.compile(r"\b(?:done|cb|callback|next|reject|fail)\((\w+)\)")
# Two calls with one of these are not equal, even if they are spelled the same.
NOT_CONSTANT = re.compile(r"=>|<|\b(?:function|fn|stub|spy|mock|spyOn|new|require|import)\b")
PLANNED_TEST = re.compile(r"tspl\(")


class ScriptReader(TreeReader):
    max_error_share = 0.0  # the grammars are exact, and a conflict of a merge has both sides

    def __init__(self, dialect: Dialect, path: str) -> None:
        super().__init__(dialect, path)
        self.claims: ScriptClaims = ScriptClaims(self.tree)
        self.tables: ScriptTables = ScriptTables(self.tree)
        self.unit = posixpath.basename(path).partition(".")[0]
        self.runners: dict[str, str] = {}  # `const maybe = CI ? it.skip : it`

    def read_suite(self, root: Node, text: str) -> Suite:
        _remove_types(root)
        module = re.compile(rf"['\"`](\.[^'\"`\n]*/{re.escape(self.unit)}(?:\.\w+)?)['\"`]")
        paths = {*module.findall(text)}
        self.unit = paths.pop() if len(paths) == 1 else ""
        return super().read_suite(root, text)

    # --- statements ---

    def walk(self, node: Node, here: Here) -> Here:
        if node.type == "member_expression" and b"should" in node.text:
            for assertion in self._claims_of(self.tree.chain(node), node, here):
                self._add(assertion, here)  # `cart.size.should.be.ok`
        return super().walk(node, here)

    def _read_function(self, node: Node, here: Here) -> Here:
        """It is read where it is called. Its tests are read, whoever calls it."""
        if RUNNER_CALL.search(node.text):
            self.walk(self.tree.body_of(node), here)
        return here

    def _read_declaration(self, node: Node, here: Here) -> Here:
        names, value = self._declaration(node)
        text = self.tree.text(value)
        self._find_tricks(self.tree.text(node), self.tree.line(node))
        if len(names) == 1 and RUNNER.fullmatch(text):
            self.runners[names[0]] = text
            return here
        if PLANNED_TEST.match(text):
            self.claims.owners.update(names)
        if value is not None and self.tree.kind(value) == "lambda":
            return self._read_function(value, here)
        return super()._read_declaration(node, here)

    def _add(self, assertion: Assertion, here: Here) -> None:
        if not NO_ERROR.fullmatch(assertion.text):
            super()._add(assertion, here)

    def _is_plain_call(self, node: Node) -> bool:
        return super()._is_plain_call(node) and not NOT_CONSTANT.search(self.tree.text(node))

    def _read_if(self, node: Node, here: Here) -> Here:
        """What follows `if (err) return done(err)` is certain: the error makes the test fail."""
        after = super()._read_if(node, here)
        condition = node.child_by_field_name("condition") or node
        body = node.child_by_field_name("consequence")
        given_on = PASSED_ERROR.search(self.tree.text(body))
        is_reported = given_on and given_on[1] == self.tree.text(self.tree.unwrap(condition))
        return here if is_reported else after

    # --- tables ---

    def _patterns(self, function: Node) -> list[Node]:
        one = function.child_by_field_name("parameter")
        several = function.child_by_field_name("parameters")
        return [one] if one is not None else self.tree.parts(several) if several else []

    def _parameters(self, node: Node) -> list[str]:
        return [self.tree.text(pattern) for pattern in self._patterns(node)]

    def _bind_arguments(self, helper: Node, call: Link) -> Row:
        given = [argument.node for argument in call.arguments]
        return self.tables.bind_all(self._patterns(helper), given)

    def _read_loop(self, node: Node, here: Here) -> Here:
        left, right, body = (node.child_by_field_name(name) or node for name in LOOP_FIELDS)
        self._read_rows(self.tables.pattern_rows(right, [left]), body, here)
        return here

    # --- calls ---

    def _read_call(self, node: Node, here: Here) -> Here:
        links = self.tree.chain(node)
        text = chain_text(links)
        inside = here
        if TIMER.match(text) and not WAITING_WORD.search(text):
            inside = here.at_most(LOOSE)
        if any(link.name == "catch" and not _fails_in(link) for link in links):
            inside = here.at_most(NEVER)
        if links[-1].name == "forEach" and self._read_for_each(node, links[-1], inside):
            return here
        super()._read_call(node, inside)
        is_read = links[-1].name == "forEach" or self._runner(links) is not None
        if not is_read and not self._claims_of(links, node, here):
            for argument in links[-1].arguments:
                self._read_argument(argument, inside)
        return here

    def _read_for_each(self, node: Node, call: Link, here: Here) -> bool:
        blocks = self._blocks([call])
        callee = node.child_by_field_name("function")
        listed = callee.child_by_field_name("object") if callee is not None else None
        if not blocks or listed is None:
            return False
        rows = self.tables.pattern_rows(listed, self._patterns(blocks[0])[:1])
        self._read_rows(rows, self.tree.body_of(blocks[0]), here)
        return True

    def _read_argument(self, argument: Argument, here: Here) -> None:
        """The assertions in `Promise.all([…])`, and in a function that is given by its name."""
        helper = self.functions.get(argument.text)
        if helper is not None and self.tree.kind(helper) == "function":
            self._read_helper(helper, Link(""), here)
            return
        node = argument.node
        is_block = self.tree.kind(node) == "lambda"
        if node is not None and not is_block and ASSERTING_WORD.search(node.text):
            self.walk(node, here)

    # --- runners ---

    def _runner(self, links: list[Link]) -> re.Match[str] | None:
        name = links[0].name
        if [link.name for link in links[:2]] == ["t", "test"]:
            name = "test"
        return RUNNER.fullmatch(self.runners.get(name, name))

    def _read_block(self, links: list[Link], node: Node, here: Here) -> bool:
        runner = self._runner(links)
        if runner is not None and self._read_test(runner, links, node, here):
            return True
        if links[0].name in RUNNER_OBJECTS and len(links) > 1:
            self._apply_runner_call(links, here)
        return False

    def _apply_runner_call(self, links: list[Link], here: Here) -> None:
        """`this.skip()`, `jest.setTimeout(9)`, `test.describe.configure({ retries: 5 })`."""
        words = [link.name for link in links]
        if words == ["t", "fail"]:  # it makes the test fail now; `test.fail` expects that
            return
        arguments = links[-1].arguments
        self._apply_switch(".".join(words), [each.text for each in arguments], here)
        for key, value in self._options(arguments[:1]):
            self._apply_switch(key, [value], here)

    def _read_test(self, runner: re.Match[str], links: list[Link], node: Node, here: Here) -> bool:
        """Reads the test or the group that a call defines; False if it is something else."""
        words, arguments = [link.name for link in links], links[-1].arguments
        if not arguments or not NOT_TESTS.isdisjoint(words):
            return False
        first = arguments[0].node
        title = arguments[0].text if first is not None and first.type in TITLES else ""
        function = next(iter(self._blocks([links[-1]])), None)
        if function is None and not title:
            return False
        if function is None and len(arguments) > 1:  # `test('adds', macro, 1, 2)`
            function = self.functions.get(arguments[1].text)
            given = [argument.node for argument in arguments[1:]]
            patterns = self._patterns(function) if function is not None else []
            here = here.with_values(self.tables.bind_all(patterns, given))
        line, above = self.tree.line(node), self.scope
        self.scope = own = Scope(substitute_names(title, here.values).strip("'"), above)
        own.counts_assertions |= bool(function and COUNTING.search(function.text))
        self._apply_switches(runner, links, here)
        if self._is_only(runner["name"], words, arguments):
            self.only.append(Mark(f"{words[0]} {own.name}", line))
        rows = self._case_rows(links, function)
        body = self.tree.body_of(function) if function is not None else arguments[-1].node or node
        for row in [{}] if rows is None else rows:
            self.walk(body, here._replace(values={**here.values, **row}, reach=EXACT))
        own.cases = 0 if rows is None else len(rows)
        self._find_lowered_count(function, line)
        is_group = any(map(self.dialect.group_blocks.fullmatch, [runner["name"], *words]))
        if is_group:
            above.assertions += own.assertions
        else:
            self.tests.append(own.as_test(line))
        self.scope = above
        return True

    def _case_rows(self, links: list[Link], function: Node | None) -> list[Row] | None:
        """The rows of `each`; one empty row without a table, None if it cannot be read."""
        for link in links:
            listed = link.arguments[0].node if link.arguments else None
            if link.name in ("each", "for") and listed is not None:
                patterns = self._patterns(function) if function is not None else []
                return self.tables.pattern_rows(listed, patterns)
        return [{}]

    def _is_only(self, name: str, words: list[str], arguments: tuple[Argument, ...]) -> bool:
        by_option = ("only", "true") in self._options(arguments[1:])
        return name in ("fit", "fdescribe") or "only" in words or by_option

    def _options(self, arguments: tuple[Argument, ...]) -> list[tuple[str, str]]:
        """The keys and values of the objects that a call is given."""
        nodes = [argument.node for argument in arguments if argument.node is not None]
        fields = [field for node in nodes for field in self.tables.object_fields(node).items()]
        return [(key, self.tree.text(value)) for key, value in fields]

    def _apply_switches(self, runner: re.Match[str], links: list[Link], here: Here) -> None:
        """The skips, time-outs and retries that the words and arguments of a test set."""
        name = runner["name"]
        for words, is_chosen in (
            (runner["words"], bool(runner["choice"])),
            (runner["other_words"], True),
        ):
            for word in (words or "").split(".")[1:]:
                self._apply_switch(
                    f"{name}.{word}", [], here.at_most(LOOSE if is_chosen else EXACT)
                )
        for link in links[1:]:
            given = link.texts if link.name.endswith("If") else []
            self._apply_switch(f"{name}.{link.name}", given, here)
        arguments = links[-1].arguments[1:]
        for argument in arguments:
            self._apply_switch("timeout", [argument.text], here)
        for key, value in self._options(arguments):
            self._apply_switch(key, [value], here)
        if name.startswith("x") or here.reach < EXACT:
            self._apply_switch(f"{name}.skip", [], here)

    def _apply_switch(self, switch: str, values: list[str], here: Here) -> None:
        """Sets a skip, a time-out or retries for the scope: `this.skip()`, `{ retry: 3 }`."""
        word = switch.rpartition(".")[2]
        value = substitute_names(values[0], here.values) if values else "true"
        if word in TIMEOUT_WORDS and NUMBER.fullmatch(value):
            seconds = float(value) / 1000 or NO_TIMEOUT_SECONDS
            self.scope.patience += float(value) if "retr" in word else seconds
        elif word in SKIP_WORDS and value not in FALSE:
            is_constant = value in TRUE or value.startswith(("'", "`"))
            is_certain = is_constant and here.reach != LOOSE and word != "runIf"
            self.scope.disable(switch if is_certain else f"{switch}({value})", is_certain)

    def _find_lowered_count(self, function: Node | None, line: int) -> None:
        """`expect.assertions(1)` in a test with two lets one of them not run."""
        counted = COUNTED.search(function.text) if function is not None else None
        count = len(self.scope.assertions)
        if counted is None or function is None or self.scope.cases != 1:
            return
        if int(counted[1]) < count and not BRANCH.search(function.text):
            text = f"{counted[0].decode()} of {count} in {self.scope.name}"
            self.tricks.append(Mark(text[:MAX_QUOTED], line))


def _fails_in(handler: Link) -> bool:
    return bool(FAILURE_WORD.search(" ".join(handler.texts)))


def _remove_types(root: Node) -> None:
    """Takes out what only the type checker reads, and puts the keys of objects in order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = [_without_cast(child) for child in node.children]
        node.children, node.named_children, node.child_count = [], [], 0
        for child in _in_order(node, children):
            if child.type not in IGNORED_NODES:
                node.add(child)
        if node.type == "template_string":
            has_values = any(child.type == "template_substitution" for child in node.children)
            node.type = "template" if has_values else node.type
        waiting += node.children


def _without_cast(node: Node) -> Node:
    """Of `value as Type`, `value satisfies Type` and `value!`, only the value is read."""
    field = node.field
    while node.type in CASTS and node.children:
        node = node.children[0]
        node.field = field
    return node


def _in_order(node: Node, children: list[Node]) -> Iterator[Node]:
    """The keys of an object have no order, unless something is spread between them."""
    named = [child for child in children if child.is_named]
    if node.type == "object" and all(child.type in FIELDS for child in named):
        named.sort(key=lambda child: (child.named_children or [child])[0].text)  # by the key
    following = iter(named)
    for child in children:
        yield next(following) if child.is_named else child
