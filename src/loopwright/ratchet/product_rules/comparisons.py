"""Finds comparisons of the product that say less than before, or nothing.

Tests compare with operators that the product defines. One that leaves a field out, rounds, or never
looks at the other value makes every assertion about its objects weaker.
"""

from __future__ import annotations

import ast

from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..readers.python_text import last_word
from ..surroundings import is_product_code
from .comparison_methods import weaker_methods
from .perl_overloads import weaker_overloads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project_files import ProjectFiles

COMPARISONS = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))
BUILT_IN_TYPES = frozenset(
    ("int", "float", "str", "bytes", "list", "dict", "tuple", "set", "frozenset", "complex")
)
Method = ast.FunctionDef | ast.AsyncFunctionDef
# Calls that make two different values the same.
ROUGH_CALLS = frozenset(
    ("round", "int", "abs", "len", "bool", "floor", "ceil", "trunc", "isclose", "approx")
)
# What an object says about its class, not about its value.
CLASS_CALLS = ("type", "isinstance", "issubclass", "id", "hasattr", "callable")
MAX_QUOTED = 200


def findings(files: ProjectFiles) -> Iterator[Finding]:
    """The weaker comparisons of product files, unless they are as they were in another file."""
    for change in files.changes.values():
        path, after = change.path, change.after
        if after is None or not is_product_code(change):
            continue
        for number, text in weaker_comparisons(path, change.before or "", after):
            if not _is_moved(path, text, files):
                rule = "product-detects-tests"
                yield Finding(MEDIUM, rule, path, number, after=text[:MAX_QUOTED])


def _is_moved(path: str, text: str, files: ProjectFiles) -> bool:
    others = (change for change in files.changes.values() if change.path != path)
    return any(
        text == other
        for change in others
        if change.before
        for _, other in weaker_comparisons(change.path, "", change.before)
    )


def weaker_comparisons(path: str, before: str, after: str) -> Iterator[tuple[int, str]]:
    """Line and source of each comparison in the file that says less than it did."""
    if path.endswith((".py", ".pyi")):
        old, new = parse_python(before), parse_python(after)
        if new is not None:
            yield from _weaker_classes(old or ast.Module([], []), new)
        return
    if path.endswith((".pm", ".pl")):
        yield from weaker_overloads(before, after)
        return
    yield from weaker_methods(path, before, after)


def _weaker_classes(old: ast.Module, new: ast.Module) -> Iterator[tuple[int, str]]:
    before = {node.name: node for node in ast.walk(old) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(new):
        if isinstance(node, ast.ClassDef):
            for part in _weaker_parts(before.get(node.name), node):
                yield part.lineno, " ".join(ast.unparse(part).split())


def _weaker_parts(old: ast.ClassDef | None, new: ast.ClassDef) -> Iterator[ast.stmt]:
    known = _comparisons_of(old) if old else {}
    for name, part in _comparisons_of(new).items():
        former = known.get(name)
        is_same = former is not None and ast.unparse(former) == ast.unparse(part)
        if not is_same and _is_weaker(name, former, part, new):
            yield part
    if old and _leaves_comparison_to_base(new) and not _leaves_comparison_to_base(old):
        yield new
    if old:
        left_out = _fields_left_out(new) - _fields_left_out(old)
        names = {_last_name(part.target) for part in old.body if isinstance(part, ast.AnnAssign)}
        fields = [part for part in new.body if isinstance(part, ast.AnnAssign)]
        yield from (part for part in fields if _last_name(part.target) in left_out & names)


def _leaves_comparison_to_base(owner: ast.ClassDef) -> bool:
    """Is it a data class whose objects a base class compares: `@dataclass(eq=False)`?"""
    switches = [
        word for d in owner.decorator_list if isinstance(d, ast.Call) for word in d.keywords
    ]
    return bool(owner.bases) and any(
        word.arg == "eq" and ast.unparse(word.value) == "False" for word in switches
    )


def _is_weaker(
    name: str, old: Method | ast.Assign | None, new: Method | ast.Assign, owner: ast.ClassDef
) -> bool:
    """Does a comparison say nothing of its object, or less than the one before it?"""
    if isinstance(new, ast.Assign):
        return _last_name(new.value) not in (name, "", "None")  # it is another operator
    fixed = _class_values(owner)
    used = _compared_fields(new) - fixed
    if not used:
        return _has_values(owner)
    if not isinstance(old, Method):
        return False
    is_left_out = _compared_fields(old) - fixed - used and "" not in used
    return bool(is_left_out or _rough_parts(new) - _rough_parts(old))


def _comparisons_of(owner: ast.ClassDef) -> dict[str, Method | ast.Assign]:
    found: dict[str, Method | ast.Assign] = {}
    for part in owner.body:
        if isinstance(part, Method) and part.name in COMPARISONS:
            found[part.name] = part
        elif isinstance(part, ast.Assign):
            found |= {
                n: part for target in part.targets if (n := _last_name(target)) in COMPARISONS
            }
    return found


def _class_values(owner: ast.ClassDef) -> set[str]:
    """Names that have the same constant value in every object of the class."""
    values = [part for part in owner.body if isinstance(part, ast.Assign)]
    names = {
        _last_name(target)
        for part in values
        if isinstance(part.value, ast.Constant)
        for target in part.targets
    }
    set_later = {
        node.attr
        for node in ast.walk(owner)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return names - set_later


def _has_values(owner: ast.ClassDef) -> bool:
    """Do objects of the class differ in anything?"""
    is_value = any(_last_name(base) in BUILT_IN_TYPES for base in owner.bases)
    return is_value or any(
        isinstance(node, ast.AnnAssign)
        or (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
        for node in ast.walk(owner)
    )


def _compared_fields(method: Method) -> set[str]:
    """Attributes of its own object that a comparison reads; "" for the object as a whole."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    own = arguments[0].arg if arguments else ""
    found: set[str] = set()
    ignored: set[int] = set()
    for node in ast.walk(method):
        if isinstance(node, ast.Return) and _last_name(node.value) == "NotImplemented":
            continue
        if isinstance(node, ast.Call) and _last_name(node.func) in CLASS_CALLS:
            ignored |= {id(part) for part in ast.walk(node)}
        if isinstance(node, ast.Attribute) and _last_name(node.value) == own:
            ignored.add(id(node.value))
            if id(node) not in ignored and node.attr not in ("__class__", "__module__"):
                found.add(node.attr)
        elif isinstance(node, ast.Name) and node.id == own and id(node) not in ignored:
            found.add("")
    returns = [n for n in ast.walk(method) if isinstance(n, ast.Return)]
    if returns and all(_last_name(node.value) == "NotImplemented" for node in returns):
        found.add("")  # it leaves the answer to the other object
    if any(isinstance(n, ast.Call) and _last_name(n.func) == "super" for n in ast.walk(method)):
        found.add("")
    return found


def _rough_parts(node: ast.AST) -> set[str]:
    """What in a comparison makes different values the same."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.FloorDiv | ast.Mod):
            found.add(type(part.op).__name__)
        elif isinstance(part, ast.Call) and _last_name(part.func) in ROUGH_CALLS:
            found.add(_last_name(part.func))
        elif isinstance(part, ast.BoolOp) and isinstance(part.op, ast.Or):
            found.add("or")
    return found


def _fields_left_out(owner: ast.ClassDef) -> set[str]:
    """The fields of a data class that take no part in its comparison."""
    found = set()
    for part in owner.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.value, ast.Call):
            for keyword in part.value.keywords:
                is_off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
                if keyword.arg in ("compare", "eq") and is_off:
                    found.add(_last_name(part.target))
    return found


def _last_name(node: ast.AST | None) -> str:
    """The last word of a name, or a value that is written out."""
    return str(node.value) if isinstance(node, ast.Constant) else last_word(node)
