"""Finds Python classes that are registered for an abstract base, and that lack its methods.

`Base.register(Other)` makes `isinstance` and `issubclass` say yes, whatever the class can do.
"""

from __future__ import annotations

import ast
import posixpath

from ...repo.sources import parse_python
from ..readers.python_text import last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project_files import ProjectFiles

Definition = ast.FunctionDef | ast.AsyncFunctionDef
ABSTRACT = ("abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod")
MAX_MODULES = 40  # that are searched for the base


def incomplete_registrations(
    old: ast.Module, new: ast.Module, files: ProjectFiles
) -> Iterator[ast.stmt]:
    """The new statements and classes by which a class passes for one that it is not."""
    known = {(base, name) for base, name, _ in _registrations(old)}
    for base, name, statement in _registrations(new):
        if (base, name) in known:
            continue
        owner = _class_named(new, name)
        wanted = _abstract_methods(base, new, files)
        # What a class inherits from another one cannot be seen here.
        if owner is not None and not owner.bases and wanted - _members(owner):
            yield statement


def _registrations(tree: ast.Module) -> Iterator[tuple[str, str, ast.stmt]]:
    """`Base.register(Other)`, as a statement or as a decorator: base, class, statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for word in node.decorator_list:
                if isinstance(word, ast.Attribute) and word.attr == "register":
                    yield last_word(word.value), node.name, node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Attribute) and call.func.attr == "register":
                for argument in call.args[:1]:
                    yield last_word(call.func.value), last_word(argument), node


def _abstract_methods(base: str, tree: ast.Module, files: ProjectFiles) -> set[str]:
    """The methods that a class of the project asks for: of this module, or of one it imports."""
    owner = _class_named(tree, base)
    if owner is None:
        for path in _imported_files(base, tree, files):
            module = parse_python(files.now(path) or "")
            owner = _class_named(module, base) if module else None
            if owner is not None:
                break
    methods = [part for part in owner.body if isinstance(part, Definition)] if owner else []
    return {m.name for m in methods if any(last_word(d) in ABSTRACT for d in m.decorator_list)}


def _imported_files(name: str, tree: ast.Module, files: ProjectFiles) -> list[str]:
    """The files of the modules from which the name is imported."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    modules = [i.module or "" for i in imports if any(a.name == name for a in i.names)]
    stems = {module.replace(".", "/") for module in modules}
    named = {posixpath.basename(stem) for stem in stems}
    paths = [f"{stem}.py" for stem in stems] + [f"{stem}/__init__.py" for stem in stems]
    there = [path for path in paths if files.now(path) is not None]
    if there or not stems:
        return there
    ends = tuple(f"/{word}.py" for word in named)
    return sorted(path for path in files.paths if path.endswith(ends))[:MAX_MODULES]


def _class_named(tree: ast.Module, name: str) -> ast.ClassDef | None:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return next((node for node in classes if node.name == name), None)


def _members(owner: ast.ClassDef) -> set[str]:
    """What the body of a class defines or assigns."""
    found = {part.name for part in owner.body if isinstance(part, Definition | ast.ClassDef)}
    for part in owner.body:
        targets = part.targets if isinstance(part, ast.Assign) else []
        found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found
