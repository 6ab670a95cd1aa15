"""Reads test files of JavaScript and TypeScript: jest, vitest, mocha, node:test, Playwright."""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from .javascript_asserts import ASSERTING, chain_assertions
from .javascript_lines import (
    Link,
    branch_body,
    call_chain,
    const_assignment,
    function_definition,
    function_definitions,
    function_parts,
    object_parts,
    source_text,
    split_at_commas,
    statement_end,
    substitute_names,
)
from .javascript_parser import KEYWORDS, Pieces, Values, parse_pieces, text_at, texts_in
from .javascript_runners import (
    BLOCKS,
    RUNNERS,
    case_rows,
    has_only_option,
    is_planned_test,
    is_runner,
    patience_of,
    switches_of,
    title_of,
)
from .javascript_scope import Context, Scope
from .javascript_tables import bind_arguments, bind_names, constants_in, is_literal, table_loop
from .matchers import NUMBER, evaluate_condition, word_set
from .suite import EXACT, LOOSE, NEVER, Assertion, Mark, Suite, Test

MAX_WORK = 150_000  # pieces, as often as tables and helpers repeat them
MAX_HELPER_DEPTH = 3  # helpers that call helpers
LARGE_SUITE = 400  # different words
ONLY_RUNNERS = ("fit", "fdescribe")
NOT_TESTS = word_set("step before beforeEach beforeAll after afterEach afterAll use extend")
RUNNER_OBJECTS = word_set("this t ctx context test it describe jest vi")
TAMPERED_OBJECTS = ("process", "global", "globalThis", "window", "expect")
SKIP_WORDS = word_set("skip todo fixme failing fails fail skipIf runIf expectFailure")
# What is given to these runs later, unless the test waits for it by one of the other words.
TIMERS = word_set("setTimeout setImmediate nextTick queueMicrotask")
WAITING_WORDS = word_set("done resolve reject next cb callback end finish t")
TIMEOUT_WORDS = ("timeout", "setTimeout", "testTimeout", "retries", "retryTimes", "retry")
COUNTED = re.compile(r"expect\.assertions\((\d{1,3})\)")
BRANCH_WORDS = word_set("if switch catch ? && || for forEach each map while")
COUNTING_WORDS = word_set("assertions hasAssertions plan")  # they say how many will run
CHOICE_SIGNS = word_set("? && ||")
BEFORE_CALLBACK = word_set(", : = => return new ? && ||")
PARTIAL_MOCK_WORDS = word_set("importActual requireActual importOriginal")
FALSE, TRUE = ("false", "0", "null", "undefined", "!true"), ("true", "1", "!false")
# A block with one of these does not hide a failure.
PASSED_ERROR = re.compile(r"\b(?:done|cb|callback|next|reject|fail)\((\w+)\)")
FAILURE_WORDS = word_set("throw fail done reject expect assert should")
HELPER_WORDS = FAILURE_WORDS | word_set("skip t")
TAMPERING = re.compile(
    r"process\.(exit\(0?\)|exitCode=0)|(global|globalThis)\.(expect|it|test)="
    r"|expect\.extend\(\{to(Be|Equal)\("
)
MAX_QUOTED = 80


def read(path: str, text: str) -> Suite | None:
    """The tests of the file, or None if it cannot be read."""
    suffix = posixpath.splitext(path)[1].lower()
    grammar = ("tsx" if suffix == ".tsx" else "typescript") if "ts" in suffix else "javascript"
    pieces = parse_pieces(text, grammar)
    if pieces is None:
        return None
    return FileReader(pieces, posixpath.basename(path).partition(".")[0]).read_suite()


class FileReader:
    """Walks once over the tree of a file; tests and blocks open their own scopes."""

    def __init__(self, pieces: Pieces, name: str = "") -> None:
        self.pieces = pieces
        self.work_done = 0
        self.scope = Scope()
        self.tests: list[Test] = []
        self.only: list[Mark] = []
        self.tricks: list[Mark] = []
        self.helpers = {}
        self.large_suites: dict[str, bool] = {}  # functions full of tests → are they read?
        for definition in function_definitions(pieces):
            words = texts_in(definition.body)
            if not HELPER_WORDS.isdisjoint(words):
                self.helpers[definition.name] = definition
                if len(words) > LARGE_SUITE and not RUNNERS.isdisjoint(words):
                    self.large_suites[definition.name] = False
        self.runners: dict[str, Pieces] = {}  # `const maybe = CI ? it.skip : it`
        self.arguments: Pieces = ()  # of the call that is read
        self.planned_tests: set[str] = set()  # `const plan = tspl(t, { plan: 3 })`
        self.tested_module = _module_named_after(name, pieces)

    def read_suite(self) -> Suite:
        self.walk_pieces(self.pieces, Context({}))
        self._end_scope(1)
        tests, self.tests = self.tests, []
        for helper in self.helpers.values():
            self.scope = Scope(helper.name)
            self.walk_pieces(helper.body, Context(constants_in(self.pieces)))
            self._end_scope(helper.body[0].line)
        return Suite(
            tests=tuple(tests),
            only=tuple(self.only),
            tricks=tuple(dict.fromkeys(self.tricks)),
            helpers=tuple(self.tests),
        )

    def _end_scope(self, line: int, cases: int = 1, is_test: bool = False) -> None:
        scope = self.scope
        steps = "; ".join(scope.steps[scope.set_up_count :])
        if is_test and steps and not scope.assertions:  # it asserts only that nothing is thrown
            scope.assertions = [Assertion(steps, line, LOOSE, steps)]
        if not scope.assertions and not is_test:
            return
        test = Test(
            name=scope.name or "outside of tests",
            line=line,
            assertions=tuple(scope.assertions),
            disabled_by=scope.disabled_by,
            cases=cases,
            patience=scope.patience,
            skip_condition=scope.skip_condition,
            steps=tuple(scope.steps),
        )
        self.tests.append(test)

    def walk_pieces(self, pieces: Pieces, here: Context) -> None:
        self.work_done += 1 + len(pieces)
        if self.work_done > MAX_WORK:
            raise ValueError("too much to read")
        here = here.with_values(constants_in(pieces))
        at = 0
        while at < len(pieces):
            at, here = self._read_statement(pieces, at, here)

    def _read_statement(self, pieces: Pieces, at: int, here: Context) -> tuple[int, Context]:
        """Reads what begins here; the answer is the next place, and what holds there."""
        text, following = pieces[at].text, text_at(pieces, at + 1)
        loop = table_loop(pieces, at, here.values)
        if loop:
            for row in loop.rows:
                self.walk_pieces(loop.body, here.with_values(row))
            if not loop.rows:
                self.walk_pieces(loop.body, here.at_most(NEVER))
            return loop.end, here
        if text == "try" and following == "{":
            return self._read_try(pieces, at, here), here
        if text in ("if", "switch") and following == "(":
            return self._read_if(pieces, at, here)
        if text == "return":
            end = statement_end(pieces, at)
            self.walk_pieces(pieces[at + 1 : end], here)
            return end, here.at_most(NEVER)
        return self._read_expression(pieces, at, here), here

    def _read_expression(self, pieces: Pieces, at: int, here: Context) -> int:
        alias = const_assignment(pieces, at)
        if alias and is_runner(alias[1]):
            name, value, end = alias
            self.runners[name] = value
            return end
        if alias and is_planned_test(alias[1]):
            self.planned_tests.add(alias[0])
        definition = function_definition(pieces, at)
        if definition:
            is_argument = at == 0 and pieces is self.arguments
            is_callback = is_argument or text_at(pieces, at - 1) in BEFORE_CALLBACK
            defines_tests = not RUNNERS.isdisjoint(texts_in(definition.body))
            if is_callback or defines_tests:
                self.walk_pieces(definition.body, here)
            return definition.end
        piece = pieces[at]
        is_member = text_at(pieces, at - 1) in (".", "?.")
        if piece.kind == "word" and piece.text not in KEYWORDS and not is_member:
            return self._read_chain(pieces, at, here)
        if piece.inner:
            self.walk_pieces(piece.inner, here)
        return at + 1

    def _read_chain(self, pieces: Pieces, at: int, here: Context) -> int:
        links, end = self._links_at(pieces, at)
        words, args, line = [link.name for link in links], links[-1].args, pieces[at].line
        if text_at(pieces, at - 1) in CHOICE_SIGNS:
            here = here.at_most(LOOSE)
        is_runner_call = (
            words[0] in RUNNERS or words[0] in self.runners or words[:2] == ["t", "test"]
        )
        if is_runner_call and args and self._read_test_or_block(links, line, here):
            return end
        self._find_tampering(pieces, at, end, links)
        if words[0] in RUNNER_OBJECTS and len(words) > 1:
            self._apply_runner_call(words, args, here)
        if words[-1] in self.helpers and here.helper_depth < MAX_HELPER_DEPTH:
            self._read_helper(words[-1], pieces[end - 1].inner, here)
        elif any(map(ASSERTING.fullmatch, words)):
            reach = NEVER if words[0] == "expect" and "catch" in words else here.reach
            for assertion in chain_assertions(pieces, at, links, here.values):
                strength = min(assertion.strength, reach)
                self.scope.assertions.append(assertion.but(strength=strength))
        elif any(link.args is not None for link in links):
            self.scope.steps.append(_step_text(links, here.values))
            self._read_callbacks(links, here)
        if words[-1] in TIMERS and WAITING_WORDS.isdisjoint(texts_in(pieces[at:end])):
            here = here.at_most(LOOSE)
        if words[-1] == "catch" and FAILURE_WORDS.isdisjoint(texts_in(pieces[end - 1 : end])):
            here = here.at_most(NEVER)
        for piece in pieces[at + 1 : end]:
            if piece.inner:
                self.arguments = piece.inner
                self.walk_pieces(piece.inner, here)
        return end

    def _links_at(self, pieces: Pieces, at: int) -> tuple[list[Link], int]:
        links, end = call_chain(pieces, at)
        if links[0].name in self.planned_tests:
            links[0] = links[0]._replace(name="t")
        return links, end

    def _find_tampering(self, pieces: Pieces, at: int, end: int, links: list[Link]) -> None:
        line = pieces[at].line
        if links[0].name in TAMPERED_OBJECTS:
            text = source_text(pieces[at : end + 2])
            if TAMPERING.match(text):
                self.tricks.append(Mark(text[:MAX_QUOTED], line))
        words, args = [link.name for link in links], links[-1].args
        if words not in (["jest", "mock"], ["vi", "mock"]) or not args:
            return
        is_whole_mock = PARTIAL_MOCK_WORDS.isdisjoint(texts_in(pieces[at:end]))
        if self.tested_module == source_text(args[0]) and is_whole_mock:
            self.tricks.append(Mark(source_text(pieces[at:end])[:MAX_QUOTED], line))

    def _apply_runner_call(
        self, words: list[str], args: tuple[Pieces, ...] | None, here: Context
    ) -> None:
        """`this.skip()`, `jest.setTimeout(9)`, and the bare `it.skip` of `(CI ? it.skip : it)`."""
        if words == ["t", "fail"]:  # it makes the test fail now; `test.fail` expects that
            return
        is_bare = args is None
        self._apply_switch(".".join(words), args or (), here.at_most(LOOSE) if is_bare else here)
        if args:
            for key, value in object_parts(args[0]).items():
                self._apply_switch(key, (value,), here)

    def _read_callbacks(self, links: list[Link], here: Context) -> None:
        """The helpers that a call is given by name: `names.forEach(check)`."""
        for link in links:
            for arg in link.args or ():
                name = arg[0].text if len(arg) == 1 else ""
                if name in self.helpers and here.helper_depth < MAX_HELPER_DEPTH:
                    self._read_helper(name, (), here)

    def _read_helper(self, name: str, args: Pieces, here: Context) -> None:
        helper = self.helpers[name]
        if name in self.large_suites:
            # All its tests are read once, and each call counts as one assertion.
            text = f"{name}({source_text(args)})"
            self.scope.assertions.append(Assertion(text, helper.body[0].line, EXACT, text))
            if self.large_suites[name]:
                return
            self.large_suites[name] = True
        inside = here.with_values(bind_arguments(helper.params, args))
        self.walk_pieces(helper.body, inside._replace(helper_depth=here.helper_depth + 1))

    def _read_test_or_block(self, links: list[Link], line: int, here: Context) -> bool:
        """Reads the test or block that begins here; False if it is something else."""
        args, words, above = links[-1].args or (), [link.name for link in links], self.scope
        functions = filter(None, map(function_parts, args))
        params, body = next(functions, ((), ()))
        macro = self.helpers.get(text_at(args[1], 0)) if len(args) > 1 else None
        if not body and macro:
            params, body = macro.params, macro.body
            for part, arg in zip(split_at_commas(params), args[1:], strict=False):
                here = here.with_values(bind_names(part, arg))
        title = title_of(args[0])
        if not (body or title) or not NOT_TESTS.isdisjoint(words):
            return False
        name = substitute_names(title, here.values).strip("'")
        self.scope = own = Scope(name, above)
        if not COUNTING_WORDS.isdisjoint(texts_in(body)):
            own.counts_assertions = True
        self._apply_runner_alias(words[0], here)
        for switch, values in switches_of(links, here):
            self._apply_switch(switch, values, here)
        if words[0] in ONLY_RUNNERS or "only" in words or has_only_option(args):
            self.only.append(Mark(f"{words[0]} {own.name}", line))
        rows = case_rows(links, params, here.values)
        for row in [{}] if rows is None else rows:
            self.walk_pieces(body or args[-1], Context({**here.values, **row}))
        cases = 0 if rows is None else len(rows)
        self._find_lowered_count(body, cases, line)
        self._end_scope(line, cases, is_test=BLOCKS.isdisjoint(words))
        self.scope = above
        return True

    def _find_lowered_count(self, body: Pieces, cases: int, line: int) -> None:
        """`expect.assertions(1)` in a test with two lets one of them not run."""
        texts, count = texts_in(body), len(self.scope.assertions)
        if "assertions" not in texts or cases != 1 or not BRANCH_WORDS.isdisjoint(texts):
            return
        counted = COUNTED.search(source_text(body))
        if counted and int(counted[1]) < count:
            self.tricks.append(Mark(f"{counted[0]} of {count} in {self.scope.name}", line))

    def _apply_runner_alias(self, name: str, here: Context) -> None:
        """A runner with a name of its own may be `it.skip`, or a choice between `it` and that."""
        texts = texts_in(self.runners.get(name, ()))
        if not CHOICE_SIGNS.isdisjoint(texts):
            here = here.at_most(LOOSE)
        for word in texts & {*SKIP_WORDS}:
            self._apply_switch(f"{name}.{word}", (), here)

    def _apply_switch(self, switch: str, args: tuple[Pieces, ...], here: Context) -> None:
        """Sets a skip, a time-out or retries for the scope: `this.skip()`, `{ retry: 3 }`."""
        word, scope = switch.rpartition(".")[2], self.scope
        value = substitute_names(source_text(args[0]), here.values) if args else "true"
        if word in TIMEOUT_WORDS and NUMBER.fullmatch(value):
            scope.patience += patience_of(word, float(value))
        elif word in SKIP_WORDS and value not in FALSE:
            is_constant = value in TRUE or value.startswith(("'", "`"))
            if is_constant and here.reach != LOOSE and word != "runIf":
                scope.disabled_by = scope.disabled_by or switch
            else:
                scope.skip_condition = scope.skip_condition or f"{switch}({value})"

    def _read_if(self, pieces: Pieces, at: int, here: Context) -> tuple[int, Context]:
        condition_pieces = pieces[at + 1].inner
        condition = substitute_names(source_text(condition_pieces), here.values)
        condition = evaluate_condition(condition)
        body, end = branch_body(pieces, at + 2)
        other: Pieces = ()
        if text_at(pieces, end) == "else":
            other, end = branch_body(pieces, end + 1)
        # Where both branches assert, one of them runs.
        is_certain = self._is_certain(condition, condition_pieces, here)
        is_certain = is_certain or not FAILURE_WORDS.isdisjoint(texts_in(other))
        inside = here.at_most(EXACT if is_certain or condition in TRUE else LOOSE)
        if condition in FALSE:
            inside = here.at_most(NEVER)
        for branch in (body, other):
            self.walk_pieces(branch, inside)
        leaves = not {"return", "continue"}.isdisjoint(piece.text for piece in body)
        given_on = PASSED_ERROR.search(source_text(body))
        reports_error = given_on is not None and given_on[1] == condition
        if other or not leaves or reports_error or condition in FALSE:
            return end, here
        if condition in TRUE:
            return end, here.at_most(NEVER)
        return end, here.at_most(EXACT if is_certain else LOOSE)

    def _is_certain(self, condition: str, pieces: Pieces, here: Context) -> bool:
        """Does the condition ask for what was asserted before, or for a value of a table?"""
        asked = condition.lstrip("!(")
        for assertion in self.scope.assertions:
            if assertion.subject and asked.startswith(assertion.subject):
                return True
        return any(is_literal(here.values.get(word, ())) for word in texts_in(pieces))

    def _read_try(self, pieces: Pieces, at: int, here: Context) -> int:
        body, at = pieces[at + 1].inner, at + 2
        if text_at(pieces, at) == "catch":
            has_binding = text_at(pieces, at + 1) == "("
            handler, at = branch_body(pieces, at + (2 if has_binding else 1))
            must_throw = not {"throw", "fail"}.isdisjoint(texts_in(body))
            is_reached = must_throw or self.scope.counts_assertions
            self.walk_pieces(handler, here.at_most(EXACT if is_reached else LOOSE))
            if FAILURE_WORDS.isdisjoint(texts_in(handler)):
                here = here.at_most(NEVER)
        self.walk_pieces(body, here)
        return at


def _module_named_after(name: str, pieces: Pieces) -> str:
    """The import path of the module that the test file is named after; "" if it is not certain."""
    path = re.compile(rf"'\.[^']*/{re.escape(name)}(\.\w+)?'")
    paths = [text for text in texts_in(pieces) if path.fullmatch(text)]
    return paths[0] if len(paths) == 1 else ""


def _step_text(links: list[Link], values: Values) -> str:
    """A call that asserts nothing, without the functions that it is given."""
    args = [arg for link in links for arg in link.args or ()]
    texts = [source_text(arg) for arg in args if not function_parts(arg)]
    name = ".".join(link.name for link in links)
    return substitute_names(f"{name}({', '.join(texts)})", values)
