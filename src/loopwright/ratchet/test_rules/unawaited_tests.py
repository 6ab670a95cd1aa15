"""Finds Python tests that are coroutines or generators now, and that no runner awaits.

`unittest.TestCase` calls such a test and drops what it returns: it passes, and nothing of it ran.
The same happens to a helper that is a coroutine and that a test calls without `await`.
"""

from __future__ import annotations

import ast

from ... import lazy_re as re
from ...checks.imports import module_files
from ...checks.test_files import is_python_test
from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..readers.python_text import last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..project import Project

    ReadModule = Callable[[str], ast.Module | None]

RULE = "test-switched-off"
NEVER_AWAITED = "a coroutine that is never awaited"
AWAITING_BASE = re.compile(r"\w*Async\w*(?:TestCase|Test|Case)")
DEFERRING_WORD = re.compile(r"\basync |\byield\b|Async")
AWAITS, DROPS, UNKNOWN = "awaits", "drops", "unknown"  # what a class does with its coroutines
Function = ast.FunctionDef | ast.AsyncFunctionDef
MAX_BASES = 6  # classes above each other


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        if change.before is None or change.after is None or not is_python_test(change.path):
            continue
        if not DEFERRING_WORD.search(f"{change.before}\n{change.after}"):
            continue
        old, new = parse_python(change.before), parse_python(change.after)
        if old is None or new is None:
            continue
        for line, before in _dropped_tests(old, new, project):
            yield Finding(MEDIUM, RULE, change.path, line, before, NEVER_AWAITED)
        known = {ast.unparse(call) for call in _dropped_calls(old)}
        for call in _dropped_calls(new):
            if (text := ast.unparse(call)) not in known:
                yield Finding(MEDIUM, RULE, change.path, call.lineno, text[:200], NEVER_AWAITED)


def _dropped_tests(old: ast.Module, new: ast.Module, files: Project) -> Iterator[tuple[int, str]]:
    """Tests and base classes of the baseline that are no longer awaited: line and name."""
    before = {part.name: part for part in old.body if isinstance(part, ast.ClassDef)}
    for owner in new.body:
        former = before.get(owner.name) if isinstance(owner, ast.ClassDef) else None
        if former is None or not isinstance(owner, ast.ClassDef):
            continue
        if _treatment(owner, new, lambda path: _parse(files.now(path))) != DROPS:
            continue
        was = _treatment(former, old, lambda path: _parse(files.before(path)))
        ran = {test.name for test in _tests(former) if was != DROPS or not _is_deferred(test)}
        dropped = [test for test in _tests(owner) if _is_deferred(test) and test.name in ran]
        yield from ((test.lineno, f"{owner.name}::{test.name}") for test in dropped)
        if was == AWAITS and not _tests(owner):  # tests in other files may have it as their base
            yield owner.lineno, f"class {owner.name}"


def _parse(text: str | None) -> ast.Module | None:
    return parse_python(text) if text else None


def _tests(owner: ast.ClassDef) -> list[Function]:
    functions = [part for part in owner.body if isinstance(part, Function)]
    return [part for part in functions if part.name.startswith("test")]


def _is_deferred(test: Function) -> bool:
    """Does a call of it run nothing? A decorator may run it."""
    if test.decorator_list:
        return False
    return isinstance(test, ast.AsyncFunctionDef) or any(map(_yields, test.body))


def _yields(node: ast.AST) -> bool:
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return True
    if isinstance(node, Function | ast.Lambda | ast.ClassDef):
        return False
    return any(map(_yields, ast.iter_child_nodes(node)))


def _treatment(
    owner: ast.ClassDef, tree: ast.Module, read: ReadModule, depth: int = MAX_BASES
) -> str:
    """What the class does with tests that are coroutines, by its base classes."""
    answers = {_treatment_by_base(base, tree, read, depth) for base in owner.bases}
    if AWAITS in answers:
        return AWAITS
    return DROPS if answers == {DROPS} else UNKNOWN


def _treatment_by_base(base: ast.expr, tree: ast.Module, read: ReadModule, depth: int) -> str:
    name = last_word(base)
    if AWAITING_BASE.fullmatch(name):
        return AWAITS
    if ast.unparse(base) == "unittest.TestCase":
        return DROPS
    if depth <= 0 or not isinstance(base, ast.Name):
        return UNKNOWN
    for part in tree.body:
        if isinstance(part, ast.ClassDef) and part.name == name:
            return _treatment(part, tree, read, depth - 1)
        if isinstance(part, ast.ImportFrom) and name in {a.asname or a.name for a in part.names}:
            if part.module == "unittest" and name == "TestCase":
                return DROPS
            return _treatment_elsewhere(part, name, read, depth)
    return UNKNOWN


def _treatment_elsewhere(part: ast.ImportFrom, name: str, read: ReadModule, depth: int) -> str:
    """The same for a base class of another module of the project."""
    own_name = next(alias.name for alias in part.names if (alias.asname or alias.name) == name)
    for file in module_files(part.module or ""):
        tree = read(file)
        for found in tree.body if tree else ():
            if isinstance(found, ast.ClassDef) and found.name == own_name and tree:
                return _treatment(found, tree, read, depth - 1)
    return UNKNOWN


def _dropped_calls(tree: ast.Module) -> Iterator[ast.Call]:
    """Statements that call a coroutine of this file, and drop what they get."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    names = {node.name for node in functions if isinstance(node, ast.AsyncFunctionDef)}
    names -= {node.name for node in functions if isinstance(node, ast.FunctionDef)}
    names -= {node.name for node in functions if node.decorator_list}
    for node in ast.walk(tree) if names else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            is_own = isinstance(called, ast.Name) or (
                isinstance(called, ast.Attribute) and ast.unparse(called.value) == "self"
            )
            if is_own and last_word(called) in names:
                yield node.value
