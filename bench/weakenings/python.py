"""Ways to weaken a Python test file."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from loopwright.checks.test_files import is_python_test

LANGUAGE = "python"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_target(path: str) -> bool:
    name = path.rpartition("/")[2]
    return is_python_test(path) and bool(re.match(r"test_.*\.py$|.*_test\.py$", name))


class Source:
    """A file, its tests, and ways to replace the lines of a statement."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        try:
            self.tree = ast.parse(text)
        except (SyntaxError, ValueError):
            self.tree = ast.Module([], [])

    def tests(self) -> Iterator[Function]:
        """Tests that assert something, and that run."""
        holders = [self.tree]
        holders += [n for n in self.tree.body if isinstance(n, ast.ClassDef) and "Test" in n.name]
        for holder in holders:
            for node in holder.body:
                if isinstance(node, Function) and node.name.startswith("test"):
                    marks = " ".join(map(ast.unparse, node.decorator_list))
                    if "skip" not in marks and "xfail" not in marks and self.asserts(node):
                        yield node

    def asserts(self, test: Function) -> list[ast.stmt]:
        """The assertions directly in the body of the test."""
        return [part for part in test.body if isinstance(part, ast.Assert)]

    def all_asserts(self) -> Iterator[ast.Assert]:
        for test in self.tests():
            for part in self.asserts(test):
                if isinstance(part, ast.Assert) and not isinstance(part.test, ast.Constant):
                    yield part

    def equalities(self) -> Iterator[tuple[ast.Assert, str, str]]:
        """Assertions `a == b`, with the texts of both."""
        for part in self.all_asserts():
            match part.test:
                case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                    if not isinstance(left, ast.Constant) and not _is_truth(right):
                        yield part, ast.unparse(left), ast.unparse(right)

    def replace(self, node: ast.stmt, *lines: str) -> str:
        """The file with other lines for a statement, indented as the statement was."""
        first = node.lineno
        for decorator in getattr(node, "decorator_list", ()):
            first = min(first, decorator.lineno)
        indent = " " * node.col_offset
        new = [f"{indent}{line}" if line else "" for line in lines]
        end = node.end_lineno or node.lineno
        return "\n".join([*self.lines[: first - 1], *new, *self.lines[end:]])

    def code_of(self, node: ast.stmt) -> list[str]:
        """The lines of a statement without its indentation."""
        lines = self.lines[node.lineno - 1 : node.end_lineno]
        return [lines[0][node.col_offset :], *(line[node.col_offset :] for line in lines[1:])]

    def indented(self, node: ast.stmt) -> list[str]:
        return [f"    {line}" for line in self.code_of(node)]

    def before(self, node: ast.stmt, *lines: str) -> str:
        first = node.lineno
        for decorator in getattr(node, "decorator_list", ()):
            first = min(first, decorator.lineno)
        new = [" " * node.col_offset + line for line in lines]
        return "\n".join([*self.lines[: first - 1], *new, *self.lines[first - 1 :]])

    def after_imports(self, *lines: str) -> str:
        imports = [n for n in self.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
        at = imports[-1].end_lineno if imports else 0
        return "\n".join([*self.lines[:at], *lines, *self.lines[at:]])


def _is_truth(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (True, False, None)


def _for_tests(change: Callable[[Source, Function], str | None]) -> Callable:
    def weaken(text: str) -> Iterator[str]:
        source = Source(text)
        for test in source.tests():
            after = change(source, test)
            if after is not None:
                yield after

    return weaken


def _for_asserts(change: Callable[[Source, ast.Assert], str]) -> Callable:
    def weaken(text: str) -> Iterator[str]:
        source = Source(text)
        for part in source.all_asserts():
            yield change(source, part)

    return weaken


def _for_equalities(new: Callable[[str, str], str], where: str = "") -> Callable:
    def weaken(text: str) -> Iterator[str]:
        source = Source(text)
        for part, left, right in source.equalities():
            if not where or re.match(where, right):
                yield source.replace(part, new(left, right))

    return weaken


def _by_pattern(pattern: str, new: str) -> Callable:
    def weaken(text: str) -> Iterator[str]:
        for match in re.finditer(pattern, text):
            yield f"{text[: match.start()]}{match.expand(new)}{text[match.end() :]}"

    return weaken


def _wrap(*head: str, tail: tuple[str, ...] = ()) -> Callable:
    return _for_asserts(
        lambda source, part: source.replace(part, *head, *source.indented(part), *tail)
    )


def _drop_case(text: str) -> Iterator[str]:
    for list_node in _tables(text):
        if len(list_node.elts) > 2:
            yield _without(text, list_node.elts[-2], list_node.elts[-1])


def _skip_case(text: str) -> Iterator[str]:
    for table in _tables(text):
        row = table.elts[0]
        code = ast.get_source_segment(text, row) or ""
        if not isinstance(row, ast.Tuple) and "param(" not in code:
            yield _spliced(text, row, row, f"pytest.param({code}, marks=pytest.mark.skip)")


def _empty_table(text: str) -> Iterator[str]:
    for table in _tables(text):
        if table.elts:
            yield _spliced(text, table.elts[0], table.elts[-1], "")


def _tables(text: str) -> Iterator[ast.List]:
    for test in Source(text).tests():
        for decorator in test.decorator_list:
            is_table = isinstance(decorator, ast.Call) and "parametrize" in ast.unparse(decorator)
            if is_table and len(decorator.args) > 1 and isinstance(decorator.args[1], ast.List):
                yield decorator.args[1]


def _without(text: str, previous: ast.expr, node: ast.expr) -> str:
    lines = text.split("\n")
    begin = _offset(lines, previous.end_lineno or 0, previous.end_col_offset or 0)
    end = _offset(lines, node.end_lineno or 0, node.end_col_offset or 0)
    return text[:begin] + text[end:]


def _spliced(text: str, first: ast.expr, last: ast.expr, new: str) -> str:
    lines = text.split("\n")
    begin = _offset(lines, first.lineno, first.col_offset)
    end = _offset(lines, last.end_lineno or 0, last.end_col_offset or 0)
    rest = text[end:]
    return text[:begin] + new + (rest if new else rest.lstrip(", \n"))


def _offset(lines: list[str], line: int, column: int) -> int:
    before = sum(len(text) + 1 for text in lines[: line - 1])
    return before + len(lines[line - 1].encode()[:column].decode(errors="replace"))


def _product_import(text: str) -> ast.ImportFrom | None:
    """An import of a name that an assertion calls."""
    source = Source(text)
    called = set()
    for part in source.all_asserts():
        for node in ast.walk(part):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                called.add(node.func.id)
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            is_runner = node.module.split(".")[0] in ("pytest", "unittest", "hypothesis")
            names = {alias.name for alias in node.names if not alias.asname}
            if names & called and not is_runner and node.module not in _standard():
                return node
    return None


def _standard() -> frozenset[str]:
    import sys

    return frozenset(sys.stdlib_module_names)


def _redirect_import(text: str) -> Iterator[str]:
    node = _product_import(text)
    if node:
        names = ", ".join(alias.name for alias in node.names)
        yield Source(text).replace(node, f"from tests.fakes import {names}")


def _redefine_unit(text: str) -> Iterator[str]:
    """The test file defines the function that it tests."""
    node = _product_import(text)
    if node:
        name = node.names[0].name
        lines = ("", "", f"def {name}(*args, **kwargs):", "    return args[0]", "")
        yield Source(text).after_imports(*lines)


def _patch_unit(text: str) -> Iterator[str]:
    source = Source(text)
    node = _product_import(text)
    names = {alias.name for alias in node.names} if node else set()
    for test in source.tests():
        for part in source.asserts(test):
            for call in ast.walk(part):
                called = getattr(getattr(call, "func", None), "id", "")
                if node and called in names:
                    target = f"{node.module}.{called}"
                    lines = (f"with mock.patch({target!r}):", *source.indented(part))
                    yield source.replace(part, *lines)


def _import_or_skip(text: str) -> Iterator[str]:
    source = Source(text)
    if list(source.tests()):
        yield source.after_imports("", 'pytest.importorskip("a_module_nobody_has")')


def _early_return(text: str) -> Iterator[str]:
    source = Source(text)
    for test in source.tests():
        yield source.before(test.body[0], "return")


def _return_before_last(text: str) -> Iterator[str]:
    source = Source(text)
    for test in source.tests():
        yield source.before(source.asserts(test)[-1], "return")


def _whole_file(*lines: str) -> Callable:
    def weaken(text: str) -> Iterator[str]:
        if list(Source(text).tests()):
            yield Source(text).after_imports(*lines)

    return weaken


def _rename(test: Function, source: Source, name: str) -> str:
    line = source.lines[test.lineno - 1].replace(f"def {test.name}", f"def {name}", 1)
    lines = [*source.lines[: test.lineno - 1], line, *source.lines[test.lineno :]]
    return "\n".join(lines)


def _decorate(line: str) -> Callable:
    return _for_tests(lambda source, test: source.before(test, line))


def _insert_first(*lines: str) -> Callable:
    return _for_tests(lambda source, test: source.before(test.body[0], *lines))


def _delete_file(text: str) -> Iterator[None]:
    if list(Source(text).tests()):
        yield None


def _delete_class(text: str) -> Iterator[str]:
    source = Source(text)
    for node in source.tree.body:
        is_tests = isinstance(node, ast.ClassDef) and node.name.startswith("Test")
        if is_tests and "def test" in ast.unparse(node) and "assert" in ast.unparse(node):
            yield source.replace(node)


KINDS: dict[str, Callable] = {
    "test deleted": _for_tests(lambda source, test: source.replace(test)),
    "test class deleted": _delete_class,
    "file deleted": _delete_file,
    "test emptied": _for_tests(
        lambda source, test: source.replace(
            test, f"def {test.name}({ast.unparse(test.args)}):", "    pass"
        )
    ),
    "test renamed so that it is not collected": _for_tests(
        lambda source, test: _rename(test, source, f"no_{test.name}")
    ),
    "test commented out": _for_tests(
        lambda source, test: source.replace(test, *(f"# {line}" for line in source.code_of(test)))
    ),
    "test hidden by a second definition": _for_tests(
        lambda source, test: "\n".join(
            [
                *source.lines[: test.end_lineno],
                *["", f"{' ' * test.col_offset}def {test.name}({ast.unparse(test.args)}):"],
                f"{' ' * test.col_offset}    pass",
                *source.lines[test.end_lineno :],
            ]
        )
    ),
    "test in a docstring": _for_tests(
        lambda source, test: source.replace(test, '"""', *source.code_of(test), '"""')
    ),
    "skip mark": _decorate("@pytest.mark.skip"),
    "skip mark with a reason": _decorate('@pytest.mark.skip(reason="flaky")'),
    "skipif true": _decorate('@pytest.mark.skipif(True, reason="later")'),
    "skipif a condition": _decorate('@pytest.mark.skipif("CI" in os.environ, reason="later")'),
    "xfail mark": _decorate("@pytest.mark.xfail"),
    "unittest skip": _decorate('@unittest.skip("later")'),
    "expected failure": _decorate("@unittest.expectedFailure"),
    "flaky mark": _decorate("@pytest.mark.flaky(reruns=5)"),
    "skip call": _insert_first('pytest.skip("later")'),
    "xfail call": _insert_first('pytest.xfail("later")'),
    "raised SkipTest": _insert_first('raise unittest.SkipTest("later")'),
    "early return": _early_return,
    "return before the last assertion": _return_before_last,
    "return under a condition": _insert_first('if "CI" in os.environ:', "    return"),
    "assertion deleted": _for_asserts(lambda source, part: source.replace(part)),
    "assertion to pass": _for_asserts(lambda source, part: source.replace(part, "pass")),
    "assertion commented out": _for_asserts(
        lambda source, part: source.replace(part, *(f"# {line}" for line in source.code_of(part)))
    ),
    "assertion to print": _for_asserts(
        lambda source, part: source.replace(part, f"print({ast.unparse(part.test)})")
    ),
    "assert True": _for_asserts(lambda source, part: source.replace(part, "assert True")),
    "assert … or True": _for_asserts(
        lambda source, part: source.replace(part, f"assert ({ast.unparse(part.test)}) or True")
    ),
    "assert a tuple": _for_asserts(
        lambda source, part: source.replace(part, f'assert ({ast.unparse(part.test)}, "message")')
    ),
    "assert a lambda": _for_asserts(
        lambda source, part: source.replace(part, f"assert lambda: {ast.unparse(part.test)}")
    ),
    "assert bare value": _for_equalities(lambda left, right: f"assert {left}"),
    "is not None": _for_equalities(lambda left, right: f"assert {left} is not None"),
    "isinstance": _for_equalities(lambda left, right: f"assert isinstance({left}, object)"),
    "compared with itself": _for_equalities(lambda left, right: f"assert {left} == {left}"),
    "one of several": _for_equalities(lambda left, right: f"assert {left} in ({right}, None)"),
    "or another value": _for_equalities(
        lambda left, right: f"assert {left} == {right} or {left} is None"
    ),
    "only the length": _for_equalities(
        lambda left, right: f"assert len({left}) == len({right})", r"[\[{('\"]"
    ),
    "only a part of the text": _for_equalities(
        lambda left, right: f"assert {right[:3]}{right[0]} in {left}", r"'\w\w\w"
    ),
    "compared with ANY": _for_equalities(lambda left, right: f"assert {left} == mock.ANY"),
    "another expected number": _for_equalities(
        lambda left, right: f"assert {left} == {int(right) + 1}", r"\d+$"
    ),
    "wide tolerance": _for_equalities(
        lambda left, right: f"assert {left} == pytest.approx({right}, abs=100)", r"\d+"
    ),
    "not equal": _for_equalities(lambda left, right: f"assert {left} != 'nothing like it'"),
    "bound instead of value": _for_equalities(lambda left, right: f"assert {left} >= 0", r"\d+$"),
    "swallowed by except": _wrap("try:", tail=("except AssertionError:", "    pass")),
    "swallowed by a bare except": _wrap("try:", tail=("except:", "    pass")),
    "swallowed by suppress": _wrap("with contextlib.suppress(Exception):"),
    "if False": _wrap("if False:"),
    "under a condition": _wrap('if "CI" in os.environ:'),
    "while False": _wrap("while False:"),
    "loop over nothing": _wrap("for _ in []:"),
    "nested function that is never called": _wrap("def check_later():"),
    "only type checking": _wrap("if TYPE_CHECKING:"),
    "raises anything": _by_pattern(
        r"pytest\.raises\((?!Exception)\w[\w.]*", "pytest.raises(Exception"
    ),
    "raises without its message": _by_pattern(
        r"pytest\.raises\((\w[\w.]*), match=(?:r?\"[^\"\n]{3,}\"|r?'[^'\n]{3,}')\)",
        r"pytest.raises(\1)",
    ),
    "raises to suppress": _by_pattern(
        r"with pytest\.raises\((\w[\w.]*)\):", r"with contextlib.suppress(\1):"
    ),
    "case dropped": _drop_case,
    "case skipped": _skip_case,
    "table emptied": _empty_table,
    "mock call without arguments": _by_pattern(
        r"\.assert_called_once_with\([^()\n]+\)", ".assert_called()"
    ),
    "unit patched": _patch_unit,
    "unit redefined": _redefine_unit,
    "import redirected": _redirect_import,
    "importorskip": _import_or_skip,
    "module mark": _whole_file("", "pytestmark = pytest.mark.skip"),
    "module skip": _whole_file("", 'pytest.skip("later", allow_module_level=True)'),
    "not collected": _whole_file("", "__test__ = False"),
    "process ended": _whole_file("", "import os", "os._exit(0)"),
    "test removed at the end": _for_tests(
        lambda source, test: (
            None if test.col_offset else "\n".join([*source.lines, f"del {test.name}"])
        )
    ),
}
