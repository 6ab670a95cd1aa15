"""Finds Python classes whose objects became the same, so that comparing them says nothing.

All objects share their attributes, a pool returns one object for different values, a copy is the
object itself, a comparison writes what it should compare, or a new number or text compares itself
in its own way.
"""

from __future__ import annotations

import ast

from ..core.findings import MEDIUM, Finding
from ..repo.sources import parse_python
from .comparisons import BUILT_IN_TYPES, COMPARISONS
from .python_text import last_word
from .surroundings import is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .project_files import ProjectFiles

VALUE_TYPES = BUILT_IN_TYPES | {"Decimal", "Fraction", "datetime", "date", "time", "timedelta"}
# Operators with which a test measures a value without comparing it.
MEASURES = frozenset(("__bool__", "__len__", "__sub__", "__rsub__", "__abs__", "__contains__"))
COPIES = frozenset(("copy", "clone", "__copy__", "__deepcopy__"))
FRESH_VALUES = ast.Dict | ast.DictComp | ast.Call  # of an object alone
MAX_QUOTED = 200


def findings(files: ProjectFiles) -> Iterator[Finding]:
    for change in files.changes.values():
        if not change.path.endswith(".py") or not change.after or not is_product_code(change):
            continue
        old, new = parse_python(change.before or ""), parse_python(change.after)
        if old is None or new is None:
            continue
        known = {ast.unparse(part) for part in _identity_changes(ast.Module([], []), old)}
        for part in _identity_changes(old, new):
            text = ast.unparse(part)
            if text not in known:
                line = text.partition("\n")[0][:MAX_QUOTED]
                rule = "product-tells-less-apart"
                yield Finding(MEDIUM, rule, change.path, part.lineno, after=line)


def _identity_changes(old: ast.Module, new: ast.Module) -> Iterator[ast.stmt]:
    classes = [node for node in ast.walk(old) if isinstance(node, ast.ClassDef)]
    former = {owner.name: _method_names(owner) for owner in classes}
    for owner in ast.walk(new):
        if not isinstance(owner, ast.ClassDef):
            continue
        is_value = any(last_word(base) in VALUE_TYPES for base in owner.bases)
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef):
                continue
            is_new = method.name not in former.get(owner.name, ())
            is_pool = owner.name in former and not is_value and _ignores_a_value(method)
            is_own_measure = is_value and method.name in COMPARISONS | MEASURES
            is_writing = method.name in COMPARISONS and _writes(method)
            is_same = method.name in COPIES and _returns_itself(method)
            if (is_new and (is_pool or is_own_measure)) or is_writing or is_same:
                yield method
            yield from _shared_attributes(method)


def _ignores_a_value(method: ast.FunctionDef) -> bool:
    """Does `__new__` choose an object without looking at all that the object is made from?"""
    given = [argument.arg for argument in (*method.args.args[1:], *method.args.kwonlyargs)]
    used = {node.id for node in ast.walk(method) if isinstance(node, ast.Name)}
    return method.name == "__new__" and bool(set(given) - used)


def _returns_itself(method: ast.FunctionDef) -> bool:
    own = method.args.args[0].arg if method.args.args else ""
    returns = [node.value for node in ast.walk(method) if isinstance(node, ast.Return)]
    return any(isinstance(value, ast.Name) and value.id == own for value in returns)


def _method_names(owner: ast.ClassDef) -> set[str]:
    return {part.name for part in owner.body if isinstance(part, ast.FunctionDef)}


def _writes(method: ast.FunctionDef) -> bool:
    """Does a comparison change an object?"""
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.Call) and last_word(node.func) in ("setattr", "__setattr__"):
            return True
    return False


def _shared_attributes(method: ast.FunctionDef) -> Iterator[ast.Assign]:
    """`self.__dict__ = shared`: the attributes are those of another object."""
    for node in ast.walk(method):
        if not isinstance(node, ast.Assign) or isinstance(node.value, FRESH_VALUES):
            continue
        if any(isinstance(t, ast.Attribute) and t.attr == "__dict__" for t in node.targets):
            yield node
