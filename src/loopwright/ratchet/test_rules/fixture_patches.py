"""Finds product code that changes the product around each test.

A product may ship fixtures and base classes for those who test against it, and its own tests use
them too. Such a part belongs to the product, and everybody may add to it. If it changes a module of
the product before a test runs, the test sees another product than the users.
"""

from __future__ import annotations

import ast

from ... import lazy_re as re
from ...checks.surroundings import is_product_code
from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..readers.python_text import last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project import Project

PYTHON_ROOTS = ("", "src/", "lib/", "python/")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
AROUND_TESTS = re.compile(r"(?:async)?(?:set|tear)(?:Up|Down)\w*|setup_\w+|teardown_\w+|pytest_\w+")
PATCHES = ("setattr", "setitem", "delattr", "object", "patch", "dict")
MAY_PATCH = re.compile(r"\bfixture\b|\bset[uU]p|\bpytest_\w+")


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        text = change.after or ""
        if change.path.endswith(".py") and MAY_PATCH.search(text) and is_product_code(change):
            yield from _patch_findings(change, project)


def _patch_findings(change: Change, files: Project) -> Iterator[Finding]:
    old, new = parse_python(change.before or ""), parse_python(change.after or "")
    if new is None:
        return
    known = {text for _, _, text in _patches(old, files)} if old else set()
    fixtures = {part.name for part in ast.walk(old) if isinstance(part, FUNCTIONS)} if old else ()
    for function, line, text in _patches(new, files):
        # A new fixture does nothing for tests that do not ask for it.
        is_asked_for = function.name in fixtures or not _is_fixture(function)
        if text not in known and (is_asked_for or _is_for_all(function)):
            yield Finding(MEDIUM, "unit-under-test-replaced", change.path, line, after=text[:200])
            return


def _patches(
    tree: ast.Module, files: Project
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, int, str]]:
    """Each statement around tests that changes a module of the project."""
    own = _own_modules(tree, files)
    for function in ast.walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        if not _is_fixture(function) and not AROUND_TESTS.fullmatch(function.name):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call | ast.Assign) and _changes_module(node, own, files):
                yield function, node.lineno, ast.unparse(node).partition("\n")[0]


def _is_fixture(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("fixture" in ast.unparse(mark) for mark in function.decorator_list)


def _is_for_all(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("autouse" in ast.unparse(mark) for mark in function.decorator_list)


def _own_modules(tree: ast.Module, files: Project) -> set[str]:
    """The names by which the file knows modules and classes of the project."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.level or _is_own(node.module or "", files)):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            own = [alias for alias in node.names if _is_own(alias.name, files)]
            found |= {alias.asname or alias.name.partition(".")[0] for alias in own}
    return found


def _changes_module(node: ast.Call | ast.Assign, own: set[str], files: Project) -> bool:
    if isinstance(node, ast.Assign):
        targets = [target for target in node.targets if isinstance(target, ast.Attribute)]
        return any(_first_name(target.value) in own for target in targets)
    if last_word(node.func) not in PATCHES or not node.args:
        return False
    place = node.args[0]
    if isinstance(place, ast.Constant) and isinstance(place.value, str):
        return "." in place.value and _is_own(place.value.partition(".")[0], files)
    return _first_name(place) in own


def _first_name(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_own(module: str, files: Project) -> bool:
    top = module.partition(".")[0]
    names = [f"{root}{top}{end}" for root in PYTHON_ROOTS for end in (".py", "/__init__.py")]
    return bool(top) and any(files.now(name) is not None for name in names)
