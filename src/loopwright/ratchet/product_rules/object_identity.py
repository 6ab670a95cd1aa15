"""Finds Python classes whose objects became the same, so that comparing them says nothing.

All objects share their attributes, a pool returns one object for different values, a copy is the
object itself, a comparison writes what it should compare, a descriptor keeps fewer places, a class
is registered for a base whose methods it lacks, or a new number or text compares itself in its own
way.
"""

from __future__ import annotations

import ast

from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..readers.python_text import last_word
from ..surroundings import is_product_code
from .abstract_bases import incomplete_registrations
from .comparisons import BUILT_IN_TYPES, COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project_files import ProjectFiles

VALUE_TYPES = BUILT_IN_TYPES | {"Decimal", "Fraction", "datetime", "date", "time", "timedelta"}
# Operators with which a test measures a value without comparing it.
MEASURES = frozenset(("__bool__", "__len__", "__sub__", "__rsub__", "__abs__", "__contains__"))
COPIES = frozenset(("copy", "clone", "__copy__", "__deepcopy__"))
FRESH_VALUES = ast.Dict | ast.DictComp | ast.Call  # of an object alone
# Calls that give the same for different values, and those by which a descriptor keeps less.
SAME_FOR_SEVERAL = frozenset(
    ("strip", "lower", "upper", "casefold", "round", "int", "quantize", "title", "normalize", "abs")
)
ROUNDING = frozenset(("round", "quantize", "int", "floor", "trunc"))
MAX_QUOTED = 200


def findings(files: ProjectFiles) -> Iterator[Finding]:
    for change in files.changes.values():
        if not change.path.endswith(".py") or not change.after or not is_product_code(change):
            continue
        old, new = parse_python(change.before or ""), parse_python(change.after)
        if old is None or new is None:
            continue
        known = {ast.unparse(part) for part in _identity_changes(ast.Module([], []), old)}
        found = [*_identity_changes(old, new), *_fewer_places(old, new)]
        for part in (*found, *incomplete_registrations(old, new, files)):
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
            is_pool = owner.name in former and not is_value and _is_coarse_pool(method)
            is_own_measure = is_value and method.name in COMPARISONS | MEASURES
            is_writing = method.name in COMPARISONS and _writes(method)
            is_same = method.name in COPIES and _returns_itself(method)
            if (is_new and (is_pool or is_own_measure)) or is_writing or is_same:
                yield method
            yield from _shared_attributes(method)


def _is_coarse_pool(method: ast.FunctionDef) -> bool:
    """Does `__new__` choose an object without looking at all that the object is made from?

    It may leave out a value, or look it up in another form than the one that the object keeps.
    """
    if method.name != "__new__":
        return False
    given = {argument.arg for argument in (*method.args.args[1:], *method.args.kwonlyargs)}
    used = {node.id for node in ast.walk(method) if isinstance(node, ast.Name)}
    return bool(given - used or (given & _names_that_lose(method) & _kept_names(method)))


def _names_that_lose(method: ast.FunctionDef) -> set[str]:
    """The names from which a key is made that is the same for several values."""
    assigned = [node for node in ast.walk(method) if isinstance(node, ast.Assign)]
    keys = {last_word(target): n.value for n in assigned for target in n.targets}
    found: set[str] = set()
    for node in ast.walk(method):
        key = node.slice if isinstance(node, ast.Subscript) else None
        is_lookup = isinstance(node, ast.Call) and last_word(node.func) in ("get", "setdefault")
        if is_lookup and isinstance(node, ast.Call) and node.args:
            key = node.args[0]
        if isinstance(key, ast.Name):
            key = keys.get(key.id)
        parts = [*ast.walk(key)] if key else []
        if any(isinstance(p, ast.Call) and last_word(p.func) in SAME_FOR_SEVERAL for p in parts):
            found |= {part.id for part in parts if isinstance(part, ast.Name)}
    return found


def _kept_names(method: ast.FunctionDef) -> set[str]:
    """The names that become attributes as they are."""
    assigned = [node for node in ast.walk(method) if isinstance(node, ast.Assign)]
    kept = [n.value for n in assigned if any(isinstance(t, ast.Attribute) for t in n.targets)]
    return {value.id for value in kept if isinstance(value, ast.Name)}


def _fewer_places(old: ast.Module, new: ast.Module) -> Iterator[ast.stmt]:
    """Attributes with a smaller number for a descriptor that rounds what it keeps."""
    rounding = {
        owner.name
        for owner in ast.walk(new)
        if isinstance(owner, ast.ClassDef) and "__set__" in _method_names(owner)
        if any(last_word(n.func) in ROUNDING for n in ast.walk(owner) if isinstance(n, ast.Call))
    }
    former = {(owner, name): call for owner, name, call, _ in _described_attributes(old, rounding)}
    for owner, name, call, part in _described_attributes(new, rounding):
        before = _numbers(former.get((owner, name)))
        now = _numbers(call)
        if len(before) == len(now) and any(a < b for a, b in zip(now, before, strict=True)):
            yield part


def _described_attributes(
    tree: ast.Module, descriptors: set[str]
) -> Iterator[tuple[str, str, ast.Call, ast.Assign]]:
    """The attributes of classes that a descriptor keeps: class, name, call and statement."""
    for owner in ast.walk(tree):
        for part in owner.body if isinstance(owner, ast.ClassDef) else ():
            call = part.value if isinstance(part, ast.Assign) else None
            if isinstance(call, ast.Call) and last_word(call.func) in descriptors:
                assert isinstance(part, ast.Assign)
                assert isinstance(owner, ast.ClassDef)
                for target in part.targets:
                    yield owner.name, last_word(target), call, part


def _numbers(call: ast.Call | None) -> list[float]:
    values = [*call.args, *(keyword.value for keyword in call.keywords)] if call else []
    found = [value.value for value in values if isinstance(value, ast.Constant)]
    return [float(value) for value in found if isinstance(value, int | float)]


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
