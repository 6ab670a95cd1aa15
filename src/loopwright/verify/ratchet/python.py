"""Reads test files of Python: which tests a runner collects, what each asserts, and what switches them off."""

from __future__ import annotations

import ast
import copy
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from ..sources import parsed
from .python_asserts import fixture, last, marks_of, named, number, rows_of, said_by, says, spelled, truth
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion, Mark, Suite, Test

NAMED = re.compile(r"(?:test_.*|.*_test|tests|test|conftest)\.py$")
RAISES = re.compile(r"raises|warns|assert(?:Raises|Warns)(?:Regex)?$")
ASSERTING = re.compile(r"assert|raises$|warns$|(?:check|expect|verify|ensure|must|should)(?:_|[A-Z]|$)|fail$")
GIVES_UP = re.compile(r"(?:pytest\.)?(?:skip|xfail)\(|self\.skipTest\(|raise (?:unittest\.)?SkipTest")
OFF = ("skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure")
ON_WINDOWS = re.compile(r"win32|'nt'|Windows")  # what is skipped there alone still runs here
SWALLOWS = re.compile(r"except(?: [^:]*\b(?:AssertionError|Exception|BaseException)\b[^:]*)?:(?!.*\b(?:raise|assert\w*|fail)\b)")
FIRST = re.compile(r"(?:async)?set_?up(?:_?class|testdata|_method)?$", re.I)
REPLACED = re.compile(r"\b(?:patch(?:\.object)?|setattr)\((?:'[\w.]{0,99}?(\w{1,99})\.|(?:\w+\.)*(\w+), ')(\w+)'(?!.*wraps=)")
UNDONE = re.compile(r"(?:del )?([\w.]+?)(?:\.__test__)?(?:| = (?:None|False|[\w.]*skip\b.*))$")
SWALLOWED = re.compile(r"(?:AssertionError|Exception|BaseException)\b")
MESSAGE = re.compile(r"str\(raised(?:\.\w+)?\) (?:has|==) (.*)")
FORGED = re.compile(
    r"^[\w.()]+\.(?:outcome|longrepr|wasxfail|exitstatus|testsfailed) = |^setattr\(\w+, '(?:outcome|exitstatus)'"
    r"|^(?:atexit\.register\()?os\._exit|^(?:sys\.)?exit\(0?\)|^pytest\.exit\(.*returncode=0|^(?:pytest|unittest)\.[\w.]+ = "
    r"|^\w+\.force_result\(|^collect_ignore\w* \+?= \[."
)
LEFT_OUT = re.compile(r"^items\.clear|^del items|^items\[:\] = (?!sorted|list)|^item\.add_marker\(.*(?:skip|xfail)|^return True")
ASKED_FOR = re.compile(r"getoption|keywords|get_closest_marker|iter_markers|platform|environ|which\(")
A_DAY = 86400.0  # for a test without a time-out
MOST_CASES = 1000  # of one table
MOST_STEPS = 20_000  # statements of one file, as often as its tables and helpers repeat them
MOST_LETTERS = 2000  # of an expression that is put in the place of a name

Function = ast.FunctionDef | ast.AsyncFunctionDef
Functions = Mapping[str, Function]
Marks = Sequence[ast.expr]
Values = dict[str, ast.expr]
MUTABLE = ast.List | ast.Dict | ast.Set
STATEMENTS = ast.Assign | ast.AugAssign | ast.Expr | ast.Delete | ast.Return


def is_test(path: str) -> bool:
    """Is it a file in which tests, their helpers or the runner's hooks stand?"""
    folder, name = posixpath.split(path)
    return name.endswith(".py") and bool(NAMED.match(name) or {"tests", "test"} & set(folder.split("/")))


def read(path: str, text: str) -> Suite | None:
    """What the file says; None where it cannot be read."""
    tree = parsed(text)
    try:
        return None if tree is None else Reader(tree).suite(posixpath.basename(path))
    except (RecursionError, ValueError, ArithmeticError):  # too deep, too much, or not to be spelled again
        return None


class Reader:
    """One module: its functions, its constants, and how many statements we are still willing to read."""

    def __init__(self, tree: ast.Module) -> None:
        self.body, self.left = tree.body, MOST_STEPS
        self.functions = {part.name: part for part in tree.body if isinstance(part, Function)}
        self.classes = {part.name: part for part in tree.body if isinstance(part, ast.ClassDef)}
        self.constants, self.attributes = named(tree.body), Values()
        self.plain = [spelled(part) for part in tree.body if isinstance(part, STATEMENTS)]
        self.small = {name: value for name, value in self.constants.items() if len(spelled(value)) < MOST_LETTERS}

    def suite(self, name: str) -> Suite:
        tests: dict[str, Test] = {}
        if NAMED.match(name) and name != "conftest.py":
            ends = [spelled(part) for part in self.body if isinstance(part, ast.Expr | ast.Raise)]
            off = next((words for words in ends if GIVES_UP.match(words)), "")
            found = self._tests(self.body, "", marks_of(self.body), off, self.functions)
            tests = {test.name: test for test in found}  # of two with one name the later counts
        others = [one for one in self.functions.values() if not one.name.startswith("test") and asserts(one.body)]
        helpers = tuple(self._test(one, one.name, (), "", self.functions) for one in others)
        return Suite(tuple(tests.values()), tricks=tuple(tricks(self.body)), helpers=helpers)

    def _tests(self, body: Sequence[ast.stmt], where: str, marks: Marks, off: str, helpers: Functions) -> Iterator[Test]:
        plain = [*self.plain, *(spelled(part) for part in body if isinstance(part, STATEMENTS))]
        gone = {found[1]: found[0] for found in map(UNDONE.match, plain) if found}
        for part in body:
            if isinstance(part, Function):
                if part.name.startswith("test") and not fixture(part):
                    lost = gone.get("__test__") or gone.get(part.name) or gone.get(f"{where}{part.name}".replace("::", "."), "")
                    yield self._test(part, f"{where}{part.name}", (*part.decorator_list, *marks), off or lost, helpers)
            elif isinstance(part, ast.ClassDef):
                bases = [self.classes[last(base)] for base in part.bases if last(base) in self.classes]
                inside = [one for owner in (*bases, part) for one in owner.body]
                methods = self.functions | {one.name: one for one in inside if isinstance(one, Function)}
                if part.bases or (part.name.startswith("Test") and "__init__" not in methods):
                    around = (*marks, *part.decorator_list, *marks_of(part.body))
                    self.attributes = {f"self.{name}": value for name, value in named(inside).items()}
                    yield from self._tests(inside, f"{where}{part.name}::", around, off or gone.get(part.name, ""), methods)
            elif isinstance(part, ast.If) and truth(part.test) is not False:
                yield from self._tests([*part.body, *part.orelse], where, marks, off, helpers)

    def _test(self, function: Function, name: str, marks: Marks, off: str, helpers: Functions) -> Test:
        known = [put(mark, self.constants) for mark in marks]
        switched, maybe, patience = _switched(known)
        tables = [_table(mark) for mark in known if isinstance(mark, ast.Call) and last(mark) == "parametrize"]
        first = _before(function, helpers)
        given = [word.value for one in first for word in getattr(fixture(one), "keywords", ()) if word.arg == "params"]
        tables += [[{"request.param": row} for row in rows_of(put(rows, self.constants)) or [rows]] for rows in given[:1]]
        body = Body(self, helpers, {found for one in (*first, function) for found in REPLACED.findall(spelled(one))})
        cases = list(islice(product(*(table for table in tables if table is not None)), MOST_CASES + 1))
        count = 0 if None in tables or len(cases) > MOST_CASES else len(cases)
        for rows in cases:
            values = self.small | self.attributes | {name: value for row in rows for name, value in row.items()}
            for one in first:  # what it gives is known by its name
                body.walk([part for part in one.body if not isinstance(part, ast.Return)], values, EXACT, 0)
                gives = [part.value for part in ast.walk(one) if isinstance(part, ast.Return | ast.Yield) and part.value][:1]
                values.update((one.name, it) for it in put(gives, values) if len(spelled(it)) < MOST_LETTERS)
            body.walk(function.body, values, EXACT, 0)
        if not body.found and body.steps:  # it says no more than that nothing is raised
            body.found = [Assertion("; ".join(body.steps), function.lineno, LOOSE, "; ".join(body.steps))]
        off = switched or off or body.off or ("" if cases else "a table without cases")
        return Test(name, function.lineno, tuple(body.found), off, count, patience, maybe or body.maybe, tuple(body.steps))


class Body:
    """One test. `most` is what an assertion can tell here: less under a condition, nothing where it is swallowed."""

    def __init__(self, reader: Reader, helpers: Functions, replaced: set[tuple[str, ...]]) -> None:
        self.reader, self.helpers, self.replaced = reader, helpers, replaced
        self.found: list[Assertion] = []
        self.steps: list[str] = []
        self.off = self.maybe = ""

    def walk(self, body: Sequence[ast.stmt], values: Values, most: int, depth: int) -> int:
        """Reads statement by statement; the answer is what an assertion after them could tell."""
        for part in body:
            self.reader.left -= 1
            if self.reader.left < 0:
                raise ValueError("nobody writes so much by hand")
            most = self._step(part, values, most, depth)
        return most

    def _step(self, part: ast.stmt, values: Values, most: int, depth: int) -> int:
        match part:
            case ast.Assert(test=test):
                self._calls(part, values, most, depth)
                if truth(test) is not False:  # which says that nobody comes here
                    self._add(says(put(test, values)), part, most)
            case ast.Return():
                self._calls(part, values, most, depth)
                return NEVER
            case ast.Expr() | ast.Raise() if GIVES_UP.match(spelled(part)):
                self.off = self.off or (spelled(part) if most == EXACT else "")
                self.maybe = self.maybe or spelled(part)
                return NEVER
            case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
                self._call(call, part, values, most, depth)
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                self._calls(part, values, most, depth)
                self._assign(target, value, values)
            case ast.If():
                return self._if(part, values, most, depth)
            case ast.For() | ast.AsyncFor():
                rows = rows_of(put(part.iter, self.reader.constants | values))
                for row in [None] if rows is None or len(rows) > MOST_CASES else rows:
                    self.walk(part.body, values if row is None else values | _taken_apart(part.target, row), most, depth)
            case ast.Try():
                swallows = any(SWALLOWS.match(spelled(handler)) for handler in part.handlers)
                after = self.walk([*part.body, *part.orelse], values, NEVER if swallows else most, depth)
                ends = [self.walk(handler.body, dict(values), min(most, LOOSE), depth) for handler in part.handlers]
                most, after = (min(most, LOOSE), min(after, LOOSE)) if NEVER in ends else (most, after)
                return self.walk(part.finalbody, values, most if swallows else after, depth)
            case ast.With() | ast.AsyncWith():
                return self._with(part, values, most, depth)
            case ast.While() | ast.FunctionDef() | ast.AsyncFunctionDef():  # somebody calls it back
                self.walk(part.body, dict(values), most, depth)
            case ast.AugAssign():
                _forget(part.target, values)
        return most

    def _add(self, said: Iterable[Assertion], at: ast.stmt, most: int) -> None:
        for one in said:
            message = MESSAGE.fullmatch(one.text)
            if message and self.found and self.found[-1].text.startswith("raises ("):  # what `match=` says, in a line of its own
                old = self.found.pop()
                one = old.but(text=old.text.replace("): ", f", {message[1]}): ", 1), strength=min(old.strength + 1, EXACT))
            faked = any(re.match(rf"[\w.]*\b{a or b}(?:\(.*\))?\.{c}\(", one.subject) for a, b, c in self.replaced)
            self.found.append(one.but(line=at.lineno, strength=NEVER if faked else min(one.strength, most)))

    def _call(self, call: ast.Call, at: ast.stmt, values: Values, most: int, depth: int) -> None:
        known, name = put(call, values), last(call)
        if RAISES.match(name) and len(call.args) > 1 and not name.endswith("Regex"):
            done = ast.Call(known.args[1], known.args[2:], known.keywords)
            self._raises(ast.Call(known.func, known.args[:1], []), spelled(done), at, most)
        elif self._calls(at, values, most, depth):
            return
        elif ASSERTING.match(name) and (isinstance(call.func, ast.Name) or name.startswith("assert")):
            self._add(said_by(known), at, most)
        else:
            self.steps.append(spelled(known))
            _forget(call, values, MUTABLE)  # who knows what is in it now?

    def _calls(self, part: ast.AST, values: Values, most: int, depth: int) -> bool:
        """Reads the asserting helpers of this file that a statement calls, with what they are given. Was there one?"""
        calls = [node for node in ast.walk(part) if isinstance(node, ast.Call) and depth < 3]
        own = [call for call in calls if spelled(call.func) in (last(call), f"self.{last(call)}") and last(call) in self.helpers]
        read = [(self.helpers[last(call)], call) for call in own if asserts(self.helpers[last(call)].body, self.helpers)]
        for helper, call in read:
            self.walk(helper.body, self.reader.small | _given(helper, call, values), most, depth + 1)
        return bool(read)

    def _assign(self, target: ast.expr, value: ast.expr, values: Values) -> None:
        known = put(value, values)
        self.steps.append(spelled(known))
        _forget(value, values, MUTABLE)
        _forget(target, values)
        if len(self.steps[-1]) < MOST_LETTERS:
            values.update(_taken_apart(target, known))

    def _if(self, part: ast.If, values: Values, most: int, depth: int) -> int:
        holds = truth(put(part.test, values))
        if holds is not None:
            self.walk(part.orelse if holds else part.body, values, NEVER, depth)
            return self.walk(part.body if holds else part.orelse, values, most, depth)
        both = asserts(part.body) and asserts(part.orelse)
        under = most if both or ON_WINDOWS.search(spelled(part.test)) else min(most, LOOSE)
        ends = [self.walk(body, dict(values), under, depth) for body in (part.body, part.orelse)]
        return most if both or NEVER not in ends or GIVES_UP.match(spelled(part.body[-1])) else under

    def _with(self, part: ast.With | ast.AsyncWith, values: Values, most: int, depth: int) -> int:
        for item in part.items:
            call = put(item.context_expr, values)
            if last(call) == "suppress":
                self.walk(part.body, values, NEVER if SWALLOWED.search(spelled(call)) else min(most, LOOSE), depth)
                return most
            if isinstance(call, ast.Call) and RAISES.match(last(call)):
                self._raises(call, "; ".join(spelled(put(one, values)) for one in part.body), part, most)
                call = ast.Name("raised")
            if item.optional_vars:
                self._assign(item.optional_vars, call, values)
        return self.walk(part.body, values, most, depth)

    def _raises(self, call: ast.Call, done: str, at: ast.stmt, most: int) -> None:
        kind = call.args[0] if call.args else None
        match = call.args[1] if len(call.args) > 1 else next((w.value for w in call.keywords if w.arg == "match"), None)
        told = f", {spelled(match)}" if match and spelled(match) not in ("''", "'.*'", "'.+'", "'.'") else ""
        strength = LOOSE if kind is None or SWALLOWED.fullmatch(spelled(kind)) else PARTIAL
        many = len(kind.elts) - 1.0 if isinstance(kind, ast.Tuple) else 0.0
        text = f"raises ({spelled(kind) if kind else ''}{told}): {done}"
        self._add([Assertion(text, 0, strength + bool(told), done, many)], at, most)


def asserts(body: Iterable[ast.stmt], helpers: Functions | None = None) -> bool:
    """Does this hold an assertion of any kind, or call a helper that does?"""
    nodes = [node for part in body for node in ast.walk(part)]
    called = [last(node) for node in nodes if isinstance(node, ast.Call)]
    told = any(isinstance(node, ast.Assert) for node in nodes) or any(ASSERTING.match(name) for name in called)
    return told or any(asserts(helpers[name].body) for name in called if helpers and name in helpers)


def put(node: Any, values: Values) -> Any:
    """The same with the values in the place of names; `self.x` and `await x` are x: rewriting those proves nothing."""
    match node:
        case ast.Name(ctx=ast.Load()):
            return values.get(node.id, node)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant() as key) if isinstance(
            full := values.get(name), ast.Dict
        ):
            return next((row for k, row in zip(full.keys, full.values, strict=True) if k and spelled(k) == spelled(key)), node)
        case ast.Await(value=inner):
            return put(inner, values)
        case ast.Attribute(value=ast.Name(id="self" | "cls" | "datetime" | "decimal" | "request")):
            return values.get(spelled(node).replace("cls.", "self."), ast.Name(node.attr))
        case list():
            return [put(part, values) for part in node]
        case ast.AST() if not isinstance(node, ast.JoinedStr):  # not every value can stand in one
            fresh = copy.copy(node)
            for field, part in ast.iter_fields(node):
                setattr(fresh, field, put(part, values))
            return fresh
    return node


def _before(function: Function, helpers: Functions) -> list[Function]:
    """What runs before a test, in this file: set-ups, the fixtures that it asks for, and what those ask for."""
    found = [function]
    for one in found:
        found += [other for arg in one.args.args if (other := helpers.get(arg.arg)) and fixture(other) and other not in found]
    first = [one for one in helpers.values() if FIRST.match(one.name) or "autouse=True" in spelled(fixture(one) or one.args)]
    return [one for one in dict.fromkeys((*first, *reversed(found))) if one is not function]


def _forget(node: ast.AST, values: Values, kind: Any = ast.expr) -> None:
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(values.get(spelled(part)), kind):
            values.pop(spelled(part))


def _taken_apart(target: ast.expr, value: ast.expr) -> Values:
    """The names of a target and what each becomes."""
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    parts = getattr(value, "elts", []) if isinstance(target, ast.Tuple) else [value]
    return {spelled(name).replace("cls.", "self."): part for name, part in zip(names, parts, strict=False)}


def _given(helper: Function, call: ast.Call, values: Values) -> Values:
    """The parameters of a helper and what a call gives for them."""
    names = [arg.arg for arg in (*helper.args.args, *helper.args.kwonlyargs) if arg.arg not in ("self", "cls")]
    defaults = [*helper.args.defaults, *(value for value in helper.args.kw_defaults if value)]
    found = dict(zip(reversed(names), reversed(defaults), strict=False))
    found |= {name: put(arg, values) for name, arg in zip(names[: len(helper.args.args)], call.args, strict=False)}
    return found | {word.arg: put(word.value, values) for word in call.keywords if word.arg}


def _table(mark: ast.Call) -> list[Values] | None:
    """The cases of a parametrized test that run: the values that its parameters take; None where they are not written down."""
    names = re.findall(r"\w+", spelled(mark.args[0])) if mark.args else []
    rows = rows_of(mark.args[1]) if len(mark.args) > 1 else None
    runs = [row for row in rows or () if not re.search(r"marks=.*(?:skip\b|xfail)", spelled(row))]
    parts = [row.args if isinstance(row, ast.Call) and last(row) == "param" else row for row in runs]
    cases = [part if isinstance(part, list) else getattr(part, "elts", [part]) if len(names) > 1 else [part] for part in parts]
    return None if rows is None else [dict(zip(names, case, strict=False)) for case in cases]


def _switched(marks: Marks) -> tuple[str, str, float]:
    """By what the marks of a test switch it off, under which condition, and how much patience they give it."""
    off, maybe, patience = "", "", A_DAY
    for mark in marks:
        name, words = last(mark), spelled(mark)
        told = [word.value for word in getattr(mark, "keywords", ()) if word.arg in ("condition", "timeout", "reruns")]
        given = [*getattr(mark, "args", ()), *told]
        holds = truth(given[0]) if given and name not in ("skip", "expectedFailure") else True
        if name in OFF and holds is None:
            maybe = maybe or ("" if ON_WINDOWS.search(words) else words)
        elif name in OFF and holds is not (name == "skipUnless"):
            off = off or words
        elif name in ("timeout", "flaky", "retry"):
            patience += ((number(given[0]) if given else None) or 1.0) - (A_DAY if name == "timeout" else 0.0)
    return off, maybe, patience


def tricks(body: Sequence[ast.stmt]) -> Iterator[Mark]:
    """What a test file or a conftest.py does to the runner itself: reports rewritten, tests left out, assertions replaced."""
    for part in body:
        words = spelled(part)
        is_hook = isinstance(part, Function) and (part.name.startswith("pytest_") or "autouse=True" in words)
        wanted = is_hook and ASKED_FOR.search(words)
        for one in ast.walk(part) if is_hook or isinstance(part, STATEMENTS) else ():
            words = spelled(one) if isinstance(one, STATEMENTS) else ""
            if FORGED.search(words) or (is_hook and not wanted and LEFT_OUT.search(words)):
                yield Mark(words[:200], getattr(one, "lineno", 0))
