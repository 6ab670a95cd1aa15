"""Modules of Python with values alone: do tests test them, or compare something else with them?"""

from __future__ import annotations

import ast
import builtins

from .. import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Modules of the language that read no file and start no program.
PURE_MODULES = frozenset(
    (
        *("re", "json", "string", "math", "decimal", "fractions", "datetime", "itertools"),
        *("collections", "operator", "functools", "pytest", "unittest"),
    )
)
READS = frozenset(("open", "exec", "eval", "compile", "input", "__import__"))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def has_only_values(text: str) -> bool:
    """A Python module without functions and classes."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return False
    has_values = any(isinstance(node, ast.Assign | ast.AnnAssign) for node in body)
    return has_values and not any(isinstance(node, (*FUNCTIONS, ast.ClassDef)) for node in body)


def are_values_tested(word: str, text: str, users: Iterable[str]) -> bool:
    """Are the values of this module the work? `users` are the tests that import it."""
    users = tuple(users)
    looks_only = all(_looks_only_at(word, user) for user in users)
    return looks_only or _asks_for_more(word, text, users)


def _looks_only_at(word: str, text: str) -> bool:
    """Do the tests of a Python file look at the values of this module, and use nothing else?

    Then these values are what they test. Values with which they compare stand beside a use of
    something else: a call, a fixture, another module.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    names = {name for node in tree.body for name in _imported_names(node, word)}
    pure = {name for node in tree.body for name in _pure_names(node)}
    known = {*names, *pure, *dir(builtins), "self"} - READS
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    users = [function for function in functions if names & _loaded_names(function)]
    inside = {id(node) for function in users for node in ast.walk(function)}
    everywhere = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    is_elsewhere = any(node.id in names and id(node) not in inside for node in everywhere)
    return bool(users) and not is_elsewhere and all(_uses_only(each, known) for each in users)


def _imported_names(node: ast.stmt, word: str) -> set[str]:
    """The names under which a file knows a module or its values."""
    if isinstance(node, ast.ImportFrom):
        is_module = (node.module or "").rpartition(".")[2] == word
        found = [alias for alias in node.names if is_module or alias.name == word]
        return {alias.asname or alias.name for alias in found}
    if isinstance(node, ast.Import):
        found = [alias for alias in node.names if alias.name.rpartition(".")[2] == word]
        return {alias.asname or alias.name.partition(".")[0] for alias in found}
    return set()


def _pure_names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ImportFrom) and not node.level and node.module in PURE_MODULES:
        return {alias.asname or alias.name for alias in node.names}
    names = node.names if isinstance(node, ast.Import) else ()
    return {alias.asname or alias.name for alias in names if alias.name in PURE_MODULES}


def _uses_only(function: ast.FunctionDef | ast.AsyncFunctionDef, known: set[str]) -> bool:
    parts = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    own = {node.id for node in parts if isinstance(node.ctx, ast.Store)}
    given = {arg.arg for arg in function.args.args} - {"self"}
    attributes = (node for node in ast.walk(function) if isinstance(node, ast.Attribute))
    of_self = [a.attr for a in attributes if isinstance(a.value, ast.Name) and a.value.id == "self"]
    if not all(name == "subTest" or name.startswith("assert") for name in of_self):
        return False  # what its class prepared
    return not given and _loaded_names(function) <= known | own


def _loaded_names(node: ast.AST) -> set[str]:
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def _asks_for_more(word: str, text: str, users: Iterable[str]) -> bool:
    """Do tests import a name that the module does not have yet? Then it is what they test."""
    imports = re.compile(rf"from\s+[\w.]*\b{re.escape(word)}\s+import\s+(\([^)]*\)|[^\n#]+)")
    for user in users:
        for names in imports.findall(user):
            imported = (name.split() for name in names.strip("()").split(","))
            if any(name and not re.search(rf"\b{name[0]}\b", text) for name in imported):
                return True
    return False
