"""The tests inside modules of a Python product: classes, functions and examples in docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ... import lazy_re as re
from ...repo.sources import parse_python
from .test_parts import Member, Part, Slot, Slots, SplitFile, number_keys

HINT = re.compile(r"(?i)test|>>> ")  # a module without such words has no tests
LINE_END = re.compile(r"\r\n|\r|\n")
EXAMPLE = re.compile(r"(?m)^(?=[ \t]*>>> )")
# Names that a runner asks a module for.
PROTOCOL_NAMES = frozenset(("load_tests", "setUpModule", "tearDownModule", "__test__"))
RUNS_TESTS = re.compile(r"\b(?:unittest|doctest|pytest)\b")
MAIN = "__main__"
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def split_python(text: str, with_examples: bool) -> SplitFile | None:
    """The test parts of a module; None if it cannot be parsed."""
    tree = parse_python(text)
    return _Module(text, tree, with_examples).split() if tree else None


class _Module:
    def __init__(self, text: str, tree: ast.Module, with_examples: bool) -> None:
        self.text, self.tree, self.with_examples = text, tree, with_examples
        self.line_starts = [0, *(match.end() for match in LINE_END.finditer(text))]
        self.slots: Slots = {}
        self.test_classes: set[str] = set()

    def split(self) -> SplitFile:
        parts, tests = [], []
        for node in self.tree.body:
            if part := self._part(node):
                parts.append(part)
                tests.append(node)
        if self.with_examples:
            product = [node for node in self.tree.body if node not in tests]
            parts += self._docstrings(self.tree, "", product)
        end = self._end_of_product()
        self.slots[()] = Slot(end, end, "\n\n")
        used = {n.id for test in tests for n in ast.walk(test) if isinstance(n, ast.Name)}
        needs = [row for row in self._imports() if row[0] in used]
        return SplitFile(
            self.text,
            number_keys(parts),
            self.slots,
            tuple(needs),
            frozenset(_bound_names(self.tree)),
            self._first_statement(),
        )

    def _part(self, node: ast.stmt) -> Part | None:
        """The part that a statement of the module is, if it is there for tests."""
        start, end = self._span(node)
        text = self.text[start:end]
        if isinstance(node, ast.ClassDef) and self._is_test_class(node):
            self.test_classes.add(node.name)
            members = (Member(self._head(node), False), *map(self._member, node.body))
            return Part((node.name,), (start, end), text, members=members, is_plain=True)
        if isinstance(node, Function) and _is_test_function(node):
            return Part((node.name,), (start, end), text, is_plain=True)
        if _is_main_block(node):
            return Part((MAIN,), (start, end), text) if RUNS_TESTS.search(text) else None
        names = PROTOCOL_NAMES.intersection(_names_of(node))
        return Part(tuple(sorted(names)), (start, end), text) if names else None

    def _is_test_class(self, node: ast.ClassDef) -> bool:
        bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
        if any(base.endswith("TestCase") or base in self.test_classes for base in bases):
            return True
        is_named = node.name.startswith("Test") and not bases
        return is_named and any(map(_is_test_name, node.body))

    def _member(self, node: ast.stmt) -> Member:
        return Member(self.text[slice(*self._span(node))], _is_test_name(node))

    def _head(self, node: ast.ClassDef) -> str:
        return self.text[self._span(node)[0] : self._span(node.body[0])[0]]

    def _docstrings(self, node: Definition, name: str, body: list[ast.stmt]) -> Iterator[Part]:
        """The examples of a definition and of those in it, and slots where there are none."""
        if body:
            yield from self._docstring(node, name)
        for inner in body:
            if isinstance(inner, Function | ast.ClassDef):
                inner_body = inner.body if isinstance(inner, ast.ClassDef) else inner.body[:1]
                yield from self._docstrings(inner, f"{name}.{inner.name}", inner_body)

    def _docstring(self, node: Definition, name: str) -> Iterator[Part]:
        key, first = ("examples", name), node.body[0]
        start, end = self._offset(first.lineno, first.col_offset), self._span(first)[1]
        if not _is_text(first):
            line = self.text[self.line_starts[first.lineno - 1] : start]
            if not line.strip():  # `def f(): return 1` has no line for it
                self.slots[key] = Slot(start, start, "", f"\n{line}")
            return
        text = self.text[start:end]
        if ">>> " not in text:
            self.slots[key] = Slot(start, end, "", "")
            return
        examples = [part.strip("\"' \t\r\n") for part in EXAMPLE.split(text)]
        table = '**globals().get("__test__", {})'
        spare = f"__test__ = {{{table}, {name.lstrip('.')!r}: {text}}}"
        yield Part(
            key=key,
            span=(start, end),
            text=text,
            place=key,
            members=tuple(Member(example, True) for example in examples),
            is_plain=True,
            empty='""',
            spare_text=spare,
        )

    def _imports(self) -> Iterator[tuple[str, str]]:
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                line = self.text[slice(*self._span(node))]
                yield from ((name, line) for name in _names_of(node))

    def _end_of_product(self) -> int:
        """Before the block that runs when the module is the program: it may run the tests."""
        for node in self.tree.body:
            if _is_main_block(node):
                return self._span(node)[0]
        return len(self.text)

    def _first_statement(self) -> int:
        for node in self.tree.body:
            is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            if not is_future and not _is_text(node):
                return self._span(node)[0]
        return len(self.text)

    def _span(self, node: ast.stmt) -> tuple[int, int]:
        """Where a statement begins and ends, with its decorators."""
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        start = self._offset(first, node.col_offset)
        return start, self._offset(node.end_lineno or first, node.end_col_offset or 0)

    def _offset(self, line: int, column: int) -> int:
        """The position in the text. The columns of `ast` are bytes."""
        start = self.line_starts[line - 1]
        return start + len(self.text[start : start + column].encode()[:column].decode())


def _is_text(node: ast.stmt) -> bool:
    """Is it a statement that is nothing but a text, as a docstring is?"""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, str)


def _is_main_block(node: ast.stmt) -> bool:
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    return isinstance(node.test.left, ast.Name) and node.test.left.id == "__name__"


def _names_of(node: ast.stmt) -> list[str]:
    """The names that a statement binds."""
    if isinstance(node, Function | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        return [] if is_future else names
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _bound_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            yield from _names_of(node)


def _is_test_name(node: ast.stmt) -> bool:
    return isinstance(node, Function) and node.name.startswith("test")


def _is_test_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """`def test_connection(host)` of a product is none."""
    arguments = node.args
    takes_any = arguments.args or arguments.posonlyargs or arguments.kwonlyargs
    asserts = any(isinstance(inner, ast.Assert) for inner in ast.walk(node))
    return node.name.startswith("test_") and asserts and not takes_any
