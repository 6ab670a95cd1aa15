"""Reads Python test files: which tests a runner collects, and what skips them."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from ... import lazy_re as re
from ...checks.test_files import PYTHON_NAME, is_python_test
from ...core.findings import Finding
from ...repo.baseline import Change
from ...repo.sources import parse_python
from . import python_changes
from .python_asserts import (
    constants_by_name,
    contains_assertion,
    fixture_decorator,
    pytestmark_marks,
)
from .python_body import MAX_CASES, SKIP_CALL, BodyReader
from .python_changes import Outline
from .python_literals import constant_truth, literal_rows
from .python_marks import Marks, parametrize_cases, read_marks
from .python_nodes import calls_in, names_in
from .python_scope import Context
from .python_tampering import STATEMENTS, find_tampering
from .python_text import last_name, source_text
from .python_values import MAX_LETTERS, Function, Functions, Values, substitute_names
from .suite import LOOSE, Assertion, Suite, Test

is_test = is_python_test
SET_UP_NAME = re.compile(r"(?:async)?set_?up(?:_?class|testdata|_method)?$", re.I)
PATCH_CALL = re.compile(
    r"\b(?:patch(?:\.object)?|setattr)\((?:'[\w.]{0,99}?(\w{1,99})\.|(?:\w+\.)*(\w+), ')(\w+)'"
    r"(?!.*wraps=)"
)
PATCHING_NAMES = frozenset(("patch", "object", "setattr"))
TEST_REMOVAL = re.compile(
    r"(?:del )?([\w.]+?)(?:\.__test__)?(?:| = (?:None|False|[\w.]*skip\b.*))$"
)
WORD = re.compile(r"\w{3,}")
LOSSES = ("test-deleted", "assertion-removed", "test-cases-removed")  # rules
MAX_STATEMENTS = 20_000  # of one file, as often as its tables and helpers repeat them


def read(path: str, text: str, unchanged: frozenset[str] = frozenset()) -> Suite | None:
    """The tests of the file without the `unchanged` ones, or None if it cannot be read."""
    tree = parse_python(text)
    if tree is None:
        return None
    try:
        return ModuleReader(tree, unchanged).read_suite(posixpath.basename(path))
    except (RecursionError, ValueError, ArithmeticError):  # too deep, too long, or not printable
        return None


def unchanged_tests(before: str, after: str) -> frozenset[str]:
    """The tests that say the same in both texts of a file."""
    old, new = parse_python(before), parse_python(after)
    if old is None or new is None:
        return frozenset()
    return python_changes.unchanged_tests(Outline(old, before), Outline(new, after))


def read_similar(
    changes: Sequence[Change], findings: Sequence[Finding], before: Mapping[str, Suite]
) -> list[Suite]:
    """The unchanged tests that have most words of something that seems to be lost."""
    findings = [finding for finding in findings if finding.rule in LOSSES]
    if not findings:
        return []
    lost = [set(WORD.findall(finding.before)) for finding in findings]
    for path, suite in before.items():
        names = {finding.before for finding in findings if finding.file == path}
        for test in suite.tests:
            if test.name in names:
                lost += [set(WORD.findall(assertion.text)) for assertion in test.assertions]
    suites = []
    for change in changes:
        tree = parse_python(change.after) if change.after else None
        if tree is None or change.before is None:
            continue
        tests = Outline(tree, change.after or "").tests
        other = [name for name, text in tests.items() if not _has_most_words(text, lost)]
        if len(other) < len(tests):
            suites.append(read(change.path, change.after or "", frozenset(other)))
    return [suite for suite in suites if suite]


def _has_most_words(text: str, lost: Sequence[set[str]]) -> bool:
    words = set(WORD.findall(text))
    return any(words_lost and 2 * len(words_lost & words) > len(words_lost) for words_lost in lost)


class ModuleReader:
    """One module: its functions, its constants, and how many statements we may still read."""

    def __init__(self, tree: ast.Module, unchanged: frozenset[str] = frozenset()) -> None:
        self.body = tree.body
        self.unchanged = unchanged
        self.statements_left = MAX_STATEMENTS
        self.functions = {part.name: part for part in tree.body if isinstance(part, Function)}
        self.classes = {part.name: part for part in tree.body if isinstance(part, ast.ClassDef)}
        self.constants = constants_by_name(tree.body)
        self.short_constants = _short_values(self.constants)
        self.attributes: Values = {}  # of the class that we read
        self.statement_texts = _statement_texts(tree.body)

    def count_statement(self) -> None:
        self.statements_left -= 1
        if self.statements_left < 0:
            raise ValueError("too many statements")

    def read_suite(self, name: str) -> Suite:
        tests: dict[str, Test] = {}
        if PYTHON_NAME.fullmatch(name) and name != "conftest.py":
            scope = TestScope("", pytestmark_marks(self.body), self._module_skip(), self.functions)
            # Of two tests with one name, the later one runs.
            tests = {test.name: test for test in self._collect_tests(self.body, scope)}
        helpers = []
        for function in self.functions.values():
            if not function.name.startswith("test") and contains_assertion(function.body):
                scope = TestScope("", (), "", self.functions)
                helpers.append(self._read_test(function, scope))
        return Suite(
            tests=tuple(tests.values()),
            tricks=tuple(find_tampering(self.body)),
            helpers=tuple(helpers),
        )

    def _module_skip(self) -> str:
        """The statement that skips the whole module, or ""."""
        for part in self.body:
            if isinstance(part, ast.Expr | ast.Raise) and SKIP_CALL.match(source_text(part)):
                return source_text(part)
        return ""

    def _collect_tests(self, body: Sequence[ast.stmt], scope: TestScope) -> Iterator[Test]:
        texts = [*self.statement_texts, *_statement_texts(body)]
        removals = {match[1]: match[0] for match in map(TEST_REMOVAL.match, texts) if match}
        for part in body:
            if isinstance(part, Function):
                if f"{scope.prefix}{part.name}" in self.unchanged:
                    continue
                if part.name.startswith("test") and not fixture_decorator(part):
                    removed_by = _removal_of(f"{scope.prefix}{part.name}", part.name, removals)
                    marks = (*part.decorator_list, *scope.marks)
                    own_scope = scope._replace(marks=marks, off=scope.off or removed_by)
                    yield self._read_test(part, own_scope)
            elif isinstance(part, ast.ClassDef):
                off = scope.off or removals.get(part.name, "")
                yield from self._collect_methods(part, scope._replace(off=off))
            elif isinstance(part, ast.If) and constant_truth(part.test) is not False:
                yield from self._collect_tests([*part.body, *part.orelse], scope)

    def _collect_methods(self, part: ast.ClassDef, scope: TestScope) -> Iterator[Test]:
        base_names = [last_name(base) for base in part.bases]
        bases = [self.classes[name] for name in base_names if name in self.classes]
        inside = [member for owner in (*bases, part) for member in owner.body]
        methods = {member.name: member for member in inside if isinstance(member, Function)}
        helpers = self.functions | methods
        is_plain_test_class = part.name.startswith("Test") and "__init__" not in helpers
        if not part.bases and not is_plain_test_class:
            return
        attributes = constants_by_name(inside)
        self.attributes = {f"self.{name}": value for name, value in attributes.items()}
        own_scope = TestScope(
            prefix=f"{scope.prefix}{part.name}::",
            marks=(*scope.marks, *part.decorator_list, *pytestmark_marks(part.body)),
            off=scope.off,
            helpers=helpers,
        )
        yield from self._collect_tests(inside, own_scope)

    def _read_test(self, function: Function, scope: TestScope) -> Test:
        marks = [substitute_names(mark, self.constants) for mark in scope.marks]
        effects = read_marks(marks)
        set_up = _set_up_functions(function, scope.helpers)
        calls = [mark for mark in marks if isinstance(mark, ast.Call)]
        tables = [parametrize_cases(call) for call in calls if last_name(call) == "parametrize"]
        tables += self._fixture_tables(set_up)
        readable = [table for table in tables if table is not None]
        cases = list(islice(product(*readable), MAX_CASES + 1))
        patched: set[tuple[str, ...]] = set()
        names_used: set[str] = set()
        for part in (*set_up, function):
            names = _names_used(part)
            names_used |= names
            if not PATCHING_NAMES.isdisjoint(names):
                patched.update(PATCH_CALL.findall(source_text(part)))
        body = BodyReader(self, scope.helpers, patched, names_used)
        for rows in cases:
            self._read_case(body, function, set_up, rows)
        steps = "; ".join(body.steps)
        if steps and not body.assertions:  # it asserts only that nothing is raised
            body.assertions = [Assertion(steps, function.lineno, LOOSE, steps)]
        disabled_by = effects.disabled_by or scope.off or body.disabled_by
        if not cases:
            disabled_by = disabled_by or "a table without cases"
        is_countable = len(readable) == len(tables) and len(cases) <= MAX_CASES
        return Test(
            name=f"{scope.prefix}{function.name}",
            line=function.lineno,
            assertions=tuple(body.assertions),
            disabled_by=disabled_by,
            cases=len(cases) if is_countable else 0,
            patience=effects.patience,
            skip_condition=effects.skip_condition or body.skip_condition,
            steps=tuple(body.steps),
        )

    def _read_case(
        self,
        body: BodyReader,
        function: Function,
        set_up: Sequence[Function],
        rows: Sequence[Values],
    ) -> None:
        """Reads the set-up and the test with the values of one case of its tables."""
        values = self.short_constants | self.attributes
        for row in rows:
            values |= row
        here = Context(values)
        for part in set_up:
            body.walk_statements([s for s in part.body if not isinstance(s, ast.Return)], here)
            given = _given_value(part)
            if given is not None:  # the test knows it by the name of the fixture
                values |= _short_values({part.name: substitute_names(given, values)})
        body.walk_statements(function.body, here)

    def _fixture_tables(self, set_up: Sequence[Function]) -> list[list[Values]]:
        """The cases of the first fixture with `params`."""
        for function in set_up:
            for keyword in getattr(fixture_decorator(function), "keywords", ()):
                if keyword.arg == "params":
                    rows = literal_rows(substitute_names(keyword.value, self.constants))
                    return [[{"request.param": row} for row in rows or [keyword.value]]]
        return []


def _names_used(function: Function) -> set[str]:
    """All that a function names or calls. It remembers them."""
    names: set[str] | None = function.__dict__.get("names_used")
    if names is None:
        keywords = {word.arg or "" for call in calls_in(function) for word in call.keywords}
        names = {*names_in(function), *map(last_name, calls_in(function)), *keywords}
        function.__dict__["names_used"] = names
    return names


class TestScope(NamedTuple):
    """What a module or a class says about the tests in it."""

    prefix: str  # of their names
    marks: Marks
    off: str  # what skips all of them
    helpers: Functions


def _removal_of(full_name: str, name: str, removals: dict[str, str]) -> str:
    """The statement that takes a test out of the collection, or ""."""
    for target in ("__test__", name, full_name.replace("::", ".")):
        if removals.get(target):
            return removals[target]
    return ""


def _statement_texts(body: Sequence[ast.stmt]) -> list[str]:
    return [source_text(part) for part in body if isinstance(part, STATEMENTS)]


def _short_values(values: Values) -> Values:
    return {name: value for name, value in values.items() if len(source_text(value)) < MAX_LETTERS}


def _given_value(function: Function) -> ast.expr | None:
    """What a fixture returns or yields."""
    if "given_value" not in function.__dict__:
        parts = (part for part in ast.walk(function) if isinstance(part, ast.Return | ast.Yield))
        function.__dict__["given_value"] = next((p.value for p in parts if p.value), None)
    value: ast.expr | None = function.__dict__["given_value"]
    return value


def _set_up_functions(function: Function, helpers: Functions) -> list[Function]:
    """What runs before a test: set-ups, its fixtures, and their fixtures; only of this file."""
    fixtures = [function]
    for part in fixtures:  # grows while we walk over it
        for arg in part.args.args:
            fixture = helpers.get(arg.arg)
            if fixture and fixture_decorator(fixture) and fixture not in fixtures:
                fixtures.append(fixture)
    automatic = [helper for helper in helpers.values() if _runs_automatically(helper)]
    ordered = dict.fromkeys((*automatic, *reversed(fixtures)))
    return [part for part in ordered if part is not function]


def _runs_automatically(function: Function) -> bool:
    if SET_UP_NAME.match(function.name):
        return True
    decorator = fixture_decorator(function)
    return decorator is not None and "autouse=True" in source_text(decorator)
