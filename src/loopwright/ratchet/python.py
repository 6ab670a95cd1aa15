"""Reads test files of Python: which tests a runner collects, what each asserts, and what switches them off."""

from __future__ import annotations

import ast
import copy
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from ..repo.sources import parse_python
from .python_asserts import (
    call_assertions,
    condition_assertions,
    constant_truth,
    constants_by_name,
    fixture_decorator,
    last_name,
    literal_number,
    literal_rows,
    pytestmark_marks,
    source_text,
)
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion, Mark, Suite, Test

TEST_FILE_NAME = re.compile(r"(?:test_.*|.*_test|tests|test|conftest)\.py$")
RAISES = re.compile(r"raises|warns|assert(?:Raises|Warns)(?:Regex)?$")
ASSERTING = re.compile(
    r"assert|raises$|warns$|(?:check|expect|verify|ensure|must|should)(?:_|[A-Z]|$)|fail$"
)
SKIP_CALL = re.compile(
    r"(?:pytest\.)?(?:skip|xfail)\(|self\.skipTest\(|raise (?:unittest\.)?SkipTest"
)
SKIP_MARKS = ("skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure")
ON_WINDOWS = re.compile(r"win32|'nt'|Windows")  # what is skipped there alone still runs here
SWALLOWING_HANDLER = re.compile(
    r"except(?: [^:]*\b(?:AssertionError|Exception|BaseException)\b[^:]*)?:(?!.*\b(?:raise|assert\w*|fail)\b)"
)
SET_UP_NAME = re.compile(r"(?:async)?set_?up(?:_?class|testdata|_method)?$", re.I)
PATCH_CALL = re.compile(
    r"\b(?:patch(?:\.object)?|setattr)\((?:'[\w.]{0,99}?(\w{1,99})\.|(?:\w+\.)*(\w+), ')(\w+)'(?!.*wraps=)"
)
TEST_REMOVAL = re.compile(
    r"(?:del )?([\w.]+?)(?:\.__test__)?(?:| = (?:None|False|[\w.]*skip\b.*))$"
)
BROAD_EXCEPTION = re.compile(r"(?:AssertionError|Exception|BaseException)\b")
RAISED_MESSAGE = re.compile(r"str\(raised(?:\.\w+)?\) (?:has|==) (.*)")
FORGED_RESULT = re.compile(
    r"^[\w.()]+\.(?:outcome|longrepr|wasxfail|exitstatus|testsfailed) = |^setattr\(\w+, '(?:outcome|exitstatus)'"
    r"|^(?:atexit\.register\()?os\._exit|^(?:sys\.)?exit\(0?\)|^pytest\.exit\(.*returncode=0|^(?:pytest|unittest)\.[\w.]+ = "
    r"|^\w+\.force_result\(|^collect_ignore\w* \+?= \[."
)
TESTS_LEFT_OUT = re.compile(
    r"^items\.clear|^del items|^items\[:\] = (?!sorted|list)|^item\.add_marker\(.*(?:skip|xfail)|^return True"
)
REQUESTED_SKIP = re.compile(
    r"getoption|keywords|get_closest_marker|iter_markers|platform|environ|which\("
)
NO_TIMEOUT_SECONDS = 86400.0  # for a test without a time-out
MAX_CASES = 1000  # of one table
MAX_STEPS = 20_000  # statements of one file, as often as its tables and helpers repeat them
MAX_LETTERS = 2000  # of an expression that is put in the place of a name

Function = ast.FunctionDef | ast.AsyncFunctionDef
Functions = Mapping[str, Function]
Marks = Sequence[ast.expr]
Values = dict[str, ast.expr]
MUTABLE = ast.List | ast.Dict | ast.Set
STATEMENTS = ast.Assign | ast.AugAssign | ast.Expr | ast.Delete | ast.Return


def is_test(path: str) -> bool:
    """Is it a file in which tests, their helpers or the runner's hooks stand?"""
    folder, name = posixpath.split(path)
    return name.endswith(".py") and bool(
        TEST_FILE_NAME.match(name) or {"tests", "test"} & set(folder.split("/"))
    )


def read(path: str, text: str) -> Suite | None:
    """What the file says; None where it cannot be read."""
    tree = parse_python(text)
    try:
        return None if tree is None else ModuleReader(tree).read_suite(posixpath.basename(path))
    except (
        RecursionError,
        ValueError,
        ArithmeticError,
    ):  # too deep, too much, or not to be spelled again
        return None


class ModuleReader:
    """One module: its functions, its constants, and how many statements we are still willing to read."""

    def __init__(self, tree: ast.Module) -> None:
        self.body, self.steps_left = tree.body, MAX_STEPS
        self.functions = {part.name: part for part in tree.body if isinstance(part, Function)}
        self.classes = {part.name: part for part in tree.body if isinstance(part, ast.ClassDef)}
        self.constants, self.attributes = constants_by_name(tree.body), Values()
        self.statement_texts = [
            source_text(part) for part in tree.body if isinstance(part, STATEMENTS)
        ]
        self.short_constants = {
            name: value
            for name, value in self.constants.items()
            if len(source_text(value)) < MAX_LETTERS
        }

    def read_suite(self, name: str) -> Suite:
        tests: dict[str, Test] = {}
        if TEST_FILE_NAME.match(name) and name != "conftest.py":
            ends = [
                source_text(part) for part in self.body if isinstance(part, ast.Expr | ast.Raise)
            ]
            off = next((words for words in ends if SKIP_CALL.match(words)), "")
            found = self._collect_tests(
                self.body, "", pytestmark_marks(self.body), off, self.functions
            )
            tests = {test.name: test for test in found}  # of two with one name the later counts
        others = [
            one
            for one in self.functions.values()
            if not one.name.startswith("test") and contains_assertion(one.body)
        ]
        helpers = tuple(self._read_test(one, one.name, (), "", self.functions) for one in others)
        return Suite(
            tuple(tests.values()), tricks=tuple(find_tampering(self.body)), helpers=helpers
        )

    def _collect_tests(
        self, body: Sequence[ast.stmt], where: str, marks: Marks, off: str, helpers: Functions
    ) -> Iterator[Test]:
        plain = [
            *self.statement_texts,
            *(source_text(part) for part in body if isinstance(part, STATEMENTS)),
        ]
        gone = {found[1]: found[0] for found in map(TEST_REMOVAL.match, plain) if found}
        for part in body:
            if isinstance(part, Function):
                if part.name.startswith("test") and not fixture_decorator(part):
                    lost = (
                        gone.get("__test__")
                        or gone.get(part.name)
                        or gone.get(f"{where}{part.name}".replace("::", "."), "")
                    )
                    yield self._read_test(
                        part,
                        f"{where}{part.name}",
                        (*part.decorator_list, *marks),
                        off or lost,
                        helpers,
                    )
            elif isinstance(part, ast.ClassDef):
                bases = [
                    self.classes[last_name(base)]
                    for base in part.bases
                    if last_name(base) in self.classes
                ]
                inside = [one for owner in (*bases, part) for one in owner.body]
                methods = self.functions | {
                    one.name: one for one in inside if isinstance(one, Function)
                }
                if part.bases or (part.name.startswith("Test") and "__init__" not in methods):
                    around = (*marks, *part.decorator_list, *pytestmark_marks(part.body))
                    self.attributes = {
                        f"self.{name}": value for name, value in constants_by_name(inside).items()
                    }
                    yield from self._collect_tests(
                        inside,
                        f"{where}{part.name}::",
                        around,
                        off or gone.get(part.name, ""),
                        methods,
                    )
            elif isinstance(part, ast.If) and constant_truth(part.test) is not False:
                yield from self._collect_tests(
                    [*part.body, *part.orelse], where, marks, off, helpers
                )

    def _read_test(
        self, function: Function, name: str, marks: Marks, off: str, helpers: Functions
    ) -> Test:
        known = [substitute_names(mark, self.constants) for mark in marks]
        switched, maybe, patience = _read_marks(known)
        tables = [
            _parametrize_cases(mark)
            for mark in known
            if isinstance(mark, ast.Call) and last_name(mark) == "parametrize"
        ]
        first = _set_up_functions(function, helpers)
        given = [
            word.value
            for one in first
            for word in getattr(fixture_decorator(one), "keywords", ())
            if word.arg == "params"
        ]
        tables += [
            [
                {"request.param": row}
                for row in literal_rows(substitute_names(rows, self.constants)) or [rows]
            ]
            for rows in given[:1]
        ]
        body = BodyReader(
            self,
            helpers,
            {found for one in (*first, function) for found in PATCH_CALL.findall(source_text(one))},
        )
        cases = list(
            islice(product(*(table for table in tables if table is not None)), MAX_CASES + 1)
        )
        count = 0 if None in tables or len(cases) > MAX_CASES else len(cases)
        for rows in cases:
            values = (
                self.short_constants
                | self.attributes
                | {name: value for row in rows for name, value in row.items()}
            )
            for one in first:  # what it gives is known by its name
                body.walk_statements(
                    [part for part in one.body if not isinstance(part, ast.Return)],
                    values,
                    EXACT,
                    0,
                )
                gives = [
                    part.value
                    for part in ast.walk(one)
                    if isinstance(part, ast.Return | ast.Yield) and part.value
                ][:1]
                values.update(
                    (one.name, it)
                    for it in substitute_names(gives, values)
                    if len(source_text(it)) < MAX_LETTERS
                )
            body.walk_statements(function.body, values, EXACT, 0)
        if not body.assertions and body.steps:  # it says no more than that nothing is raised
            body.assertions = [
                Assertion("; ".join(body.steps), function.lineno, LOOSE, "; ".join(body.steps))
            ]
        off = switched or off or body.disabled_by or ("" if cases else "a table without cases")
        return Test(
            name,
            function.lineno,
            tuple(body.assertions),
            off,
            count,
            patience,
            maybe or body.skip_condition,
            tuple(body.steps),
        )


class BodyReader:
    """One test. `most` is what an assertion can tell here: less under a condition, nothing where it is swallowed."""

    def __init__(
        self, reader: ModuleReader, helpers: Functions, replaced: set[tuple[str, ...]]
    ) -> None:
        self.reader, self.helpers, self.patched_names = reader, helpers, replaced
        self.assertions: list[Assertion] = []
        self.steps: list[str] = []
        self.disabled_by = self.skip_condition = ""

    def walk_statements(
        self, body: Sequence[ast.stmt], values: Values, most: int, depth: int
    ) -> int:
        """Reads statement by statement; the answer is what an assertion after them could tell."""
        for part in body:
            self.reader.steps_left -= 1
            if self.reader.steps_left < 0:
                raise ValueError("nobody writes so much by hand")
            most = self._read_statement(part, values, most, depth)
        return most

    def _read_statement(self, part: ast.stmt, values: Values, most: int, depth: int) -> int:
        match part:
            case ast.Assert(test=test):
                self._read_helper_calls(part, values, most, depth)
                if constant_truth(test) is not False:  # which says that nobody comes here
                    self._add_assertions(
                        condition_assertions(substitute_names(test, values)), part, most
                    )
            case ast.Return():
                self._read_helper_calls(part, values, most, depth)
                return NEVER
            case ast.Expr() | ast.Raise() if SKIP_CALL.match(source_text(part)):
                self.disabled_by = self.disabled_by or (source_text(part) if most == EXACT else "")
                self.skip_condition = self.skip_condition or source_text(part)
                return NEVER
            case (
                ast.Expr(value=ast.Call() as call)
                | ast.Expr(value=ast.Await(value=ast.Call() as call))
            ):
                self._read_call(call, part, values, most, depth)
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                self._read_helper_calls(part, values, most, depth)
                self._read_assignment(target, value, values)
            case ast.If():
                return self._read_if(part, values, most, depth)
            case ast.For() | ast.AsyncFor():
                rows = literal_rows(substitute_names(part.iter, self.reader.constants | values))
                for row in [None] if rows is None or len(rows) > MAX_CASES else rows:
                    self.walk_statements(
                        part.body,
                        values if row is None else values | _unpack_target(part.target, row),
                        most,
                        depth,
                    )
            case ast.Try():
                swallows = any(
                    SWALLOWING_HANDLER.match(source_text(handler)) for handler in part.handlers
                )
                after = self.walk_statements(
                    [*part.body, *part.orelse], values, NEVER if swallows else most, depth
                )
                ends = [
                    self.walk_statements(handler.body, dict(values), min(most, LOOSE), depth)
                    for handler in part.handlers
                ]
                most, after = (
                    (min(most, LOOSE), min(after, LOOSE)) if NEVER in ends else (most, after)
                )
                return self.walk_statements(
                    part.finalbody, values, most if swallows else after, depth
                )
            case ast.With() | ast.AsyncWith():
                return self._read_with(part, values, most, depth)
            case ast.While() | ast.FunctionDef() | ast.AsyncFunctionDef():  # somebody calls it back
                self.walk_statements(part.body, dict(values), most, depth)
            case ast.AugAssign():
                _forget_values(part.target, values)
        return most

    def _add_assertions(self, said: Iterable[Assertion], at: ast.stmt, most: int) -> None:
        for one in said:
            message = RAISED_MESSAGE.fullmatch(one.text)
            if (
                message and self.assertions and self.assertions[-1].text.startswith("raises (")
            ):  # what `match=` says, in a line of its own
                old = self.assertions.pop()
                one = old.but(
                    text=old.text.replace("): ", f", {message[1]}): ", 1),
                    strength=min(old.strength + 1, EXACT),
                )
            faked = any(
                re.match(rf"[\w.]*\b{a or b}(?:\(.*\))?\.{c}\(", one.subject)
                for a, b, c in self.patched_names
            )
            self.assertions.append(
                one.but(line=at.lineno, strength=NEVER if faked else min(one.strength, most))
            )

    def _read_call(
        self, call: ast.Call, at: ast.stmt, values: Values, most: int, depth: int
    ) -> None:
        known, name = substitute_names(call, values), last_name(call)
        if RAISES.match(name) and len(call.args) > 1 and not name.endswith("Regex"):
            done = ast.Call(known.args[1], known.args[2:], known.keywords)
            self._add_raises(ast.Call(known.func, known.args[:1], []), source_text(done), at, most)
        elif self._read_helper_calls(at, values, most, depth):
            return
        elif ASSERTING.match(name) and (
            isinstance(call.func, ast.Name) or name.startswith("assert")
        ):
            self._add_assertions(call_assertions(known), at, most)
        else:
            self.steps.append(source_text(known))
            _forget_values(call, values, MUTABLE)  # who knows what is in it now?

    def _read_helper_calls(self, part: ast.AST, values: Values, most: int, depth: int) -> bool:
        """Reads the asserting helpers of this file that a statement calls, with what they are given. Was there one?"""
        calls = [node for node in ast.walk(part) if isinstance(node, ast.Call) and depth < 3]
        own = [
            call
            for call in calls
            if source_text(call.func) in (last_name(call), f"self.{last_name(call)}")
            and last_name(call) in self.helpers
        ]
        read = [
            (self.helpers[last_name(call)], call)
            for call in own
            if contains_assertion(self.helpers[last_name(call)].body, self.helpers)
        ]
        for helper, call in read:
            self.walk_statements(
                helper.body,
                self.reader.short_constants | _bind_arguments(helper, call, values),
                most,
                depth + 1,
            )
        return bool(read)

    def _read_assignment(self, target: ast.expr, value: ast.expr, values: Values) -> None:
        known = substitute_names(value, values)
        self.steps.append(source_text(known))
        _forget_values(value, values, MUTABLE)
        _forget_values(target, values)
        if len(self.steps[-1]) < MAX_LETTERS:
            values.update(_unpack_target(target, known))

    def _read_if(self, part: ast.If, values: Values, most: int, depth: int) -> int:
        holds = constant_truth(substitute_names(part.test, values))
        if holds is not None:
            self.walk_statements(part.orelse if holds else part.body, values, NEVER, depth)
            return self.walk_statements(part.body if holds else part.orelse, values, most, depth)
        both = contains_assertion(part.body) and contains_assertion(part.orelse)
        under = most if both or ON_WINDOWS.search(source_text(part.test)) else min(most, LOOSE)
        ends = [
            self.walk_statements(body, dict(values), under, depth)
            for body in (part.body, part.orelse)
        ]
        return (
            most
            if both or NEVER not in ends or SKIP_CALL.match(source_text(part.body[-1]))
            else under
        )

    def _read_with(
        self, part: ast.With | ast.AsyncWith, values: Values, most: int, depth: int
    ) -> int:
        for item in part.items:
            call = substitute_names(item.context_expr, values)
            if last_name(call) == "suppress":
                self.walk_statements(
                    part.body,
                    values,
                    NEVER if BROAD_EXCEPTION.search(source_text(call)) else min(most, LOOSE),
                    depth,
                )
                return most
            if isinstance(call, ast.Call) and RAISES.match(last_name(call)):
                self._add_raises(
                    call,
                    "; ".join(source_text(substitute_names(one, values)) for one in part.body),
                    part,
                    most,
                )
                call = ast.Name("raised")
            if item.optional_vars:
                self._read_assignment(item.optional_vars, call, values)
        return self.walk_statements(part.body, values, most, depth)

    def _add_raises(self, call: ast.Call, done: str, at: ast.stmt, most: int) -> None:
        kind = call.args[0] if call.args else None
        match = (
            call.args[1]
            if len(call.args) > 1
            else next((w.value for w in call.keywords if w.arg == "match"), None)
        )
        told = (
            f", {source_text(match)}"
            if match and source_text(match) not in ("''", "'.*'", "'.+'", "'.'")
            else ""
        )
        strength = (
            LOOSE if kind is None or BROAD_EXCEPTION.fullmatch(source_text(kind)) else PARTIAL
        )
        many = len(kind.elts) - 1.0 if isinstance(kind, ast.Tuple) else 0.0
        text = f"raises ({source_text(kind) if kind else ''}{told}): {done}"
        self._add_assertions([Assertion(text, 0, strength + bool(told), done, many)], at, most)


def contains_assertion(body: Iterable[ast.stmt], helpers: Functions | None = None) -> bool:
    """Does this hold an assertion of any kind, or call a helper that does?"""
    nodes = [node for part in body for node in ast.walk(part)]
    called = [last_name(node) for node in nodes if isinstance(node, ast.Call)]
    told = any(isinstance(node, ast.Assert) for node in nodes) or any(
        ASSERTING.match(name) for name in called
    )
    return told or any(
        contains_assertion(helpers[name].body) for name in called if helpers and name in helpers
    )


def substitute_names(node: Any, values: Values) -> Any:
    """The same with the values in the place of names; `self.x` and `await x` are x: rewriting those proves nothing."""
    match node:
        case ast.Name(ctx=ast.Load()):
            return values.get(node.id, node)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant() as key) if isinstance(
            full := values.get(name), ast.Dict
        ):
            return next(
                (
                    row
                    for k, row in zip(full.keys, full.values, strict=True)
                    if k and source_text(k) == source_text(key)
                ),
                node,
            )
        case ast.Await(value=inner):
            return substitute_names(inner, values)
        case ast.Attribute(value=ast.Name(id="self" | "cls" | "datetime" | "decimal" | "request")):
            return values.get(source_text(node).replace("cls.", "self."), ast.Name(node.attr))
        case list():
            return [substitute_names(part, values) for part in node]
        case ast.AST() if not isinstance(node, ast.JoinedStr):  # not every value can stand in one
            fresh = copy.copy(node)
            for field, part in ast.iter_fields(node):
                setattr(fresh, field, substitute_names(part, values))
            return fresh
    return node


def _set_up_functions(function: Function, helpers: Functions) -> list[Function]:
    """What runs before a test, in this file: set-ups, the fixtures that it asks for, and what those ask for."""
    found = [function]
    for one in found:
        found += [
            other
            for arg in one.args.args
            if (other := helpers.get(arg.arg)) and fixture_decorator(other) and other not in found
        ]
    first = [
        one
        for one in helpers.values()
        if SET_UP_NAME.match(one.name)
        or "autouse=True" in source_text(fixture_decorator(one) or one.args)
    ]
    return [one for one in dict.fromkeys((*first, *reversed(found))) if one is not function]


def _forget_values(node: ast.AST, values: Values, kind: Any = ast.expr) -> None:
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(
            values.get(source_text(part)), kind
        ):
            values.pop(source_text(part))


def _unpack_target(target: ast.expr, value: ast.expr) -> Values:
    """The names of a target and what each becomes."""
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    parts = getattr(value, "elts", []) if isinstance(target, ast.Tuple) else [value]
    return {
        source_text(name).replace("cls.", "self."): part
        for name, part in zip(names, parts, strict=False)
    }


def _bind_arguments(helper: Function, call: ast.Call, values: Values) -> Values:
    """The parameters of a helper and what a call gives for them."""
    names = [
        arg.arg
        for arg in (*helper.args.args, *helper.args.kwonlyargs)
        if arg.arg not in ("self", "cls")
    ]
    defaults = [*helper.args.defaults, *(value for value in helper.args.kw_defaults if value)]
    found = dict(zip(reversed(names), reversed(defaults), strict=False))
    found |= {
        name: substitute_names(arg, values)
        for name, arg in zip(names[: len(helper.args.args)], call.args, strict=False)
    }
    return found | {
        word.arg: substitute_names(word.value, values) for word in call.keywords if word.arg
    }


def _parametrize_cases(mark: ast.Call) -> list[Values] | None:
    """The cases of a parametrized test that run: the values that its parameters take; None where they are not written down."""
    names = re.findall(r"\w+", source_text(mark.args[0])) if mark.args else []
    rows = literal_rows(mark.args[1]) if len(mark.args) > 1 else None
    runs = [
        row for row in rows or () if not re.search(r"marks=.*(?:skip\b|xfail)", source_text(row))
    ]
    parts = [
        row.args if isinstance(row, ast.Call) and last_name(row) == "param" else row for row in runs
    ]
    cases = [
        part
        if isinstance(part, list)
        else getattr(part, "elts", [part])
        if len(names) > 1
        else [part]
        for part in parts
    ]
    return None if rows is None else [dict(zip(names, case, strict=False)) for case in cases]


def _read_marks(marks: Marks) -> tuple[str, str, float]:
    """By what the marks of a test switch it off, under which condition, and how much patience they give it."""
    off, maybe, patience = "", "", NO_TIMEOUT_SECONDS
    for mark in marks:
        name, words = last_name(mark), source_text(mark)
        told = [
            word.value
            for word in getattr(mark, "keywords", ())
            if word.arg in ("condition", "timeout", "reruns")
        ]
        given = [*getattr(mark, "args", ()), *told]
        holds = (
            constant_truth(given[0]) if given and name not in ("skip", "expectedFailure") else True
        )
        if name in SKIP_MARKS and holds is None:
            maybe = maybe or ("" if ON_WINDOWS.search(words) else words)
        elif name in SKIP_MARKS and holds is not (name == "skipUnless"):
            off = off or words
        elif name in ("timeout", "flaky", "retry"):
            patience += ((literal_number(given[0]) if given else None) or 1.0) - (
                NO_TIMEOUT_SECONDS if name == "timeout" else 0.0
            )
    return off, maybe, patience


def find_tampering(body: Sequence[ast.stmt]) -> Iterator[Mark]:
    """What a test file or a conftest.py does to the runner itself: reports rewritten, tests left out, assertions replaced."""
    for part in body:
        words = source_text(part)
        is_hook = isinstance(part, Function) and (
            part.name.startswith("pytest_") or "autouse=True" in words
        )
        wanted = is_hook and REQUESTED_SKIP.search(words)
        for one in ast.walk(part) if is_hook or isinstance(part, STATEMENTS) else ():
            words = source_text(one) if isinstance(one, STATEMENTS) else ""
            if FORGED_RESULT.search(words) or (
                is_hook and not wanted and TESTS_LEFT_OUT.search(words)
            ):
                yield Mark(words[:200], getattr(one, "lineno", 0))
