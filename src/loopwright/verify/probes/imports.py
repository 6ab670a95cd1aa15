"""Where an import in Python or JavaScript leads, and whether what it takes is there.

Where we cannot know, every name counts as exported and every import as correct: we report no guess.
"""

from __future__ import annotations

import os
import posixpath
import sys

from ...checks.imports import IMPORT_ROOTS, Import, script_paths, script_place
from ...repo.sources import PYTHON_ENDINGS, SCRIPT_ENDINGS, SourceFile, file_stem, read_source
from . import exports

# Files other than code that an import may name.
OTHER_ENDINGS = (".d.ts", ".json", ".css", ".scss", ".svg", ".py")
# Paths in the project; any other alias may be a package of the same name.
CERTAIN_PREFIXES = (".", "/", "@/", "~/", "#/", "$lib/")
# The first letter of an alias, or of a package of this repository.
ALIAS_SIGNS = ("@", "~", "#", "$")


def leads_to(root: str, importer: str, statement: Import, path: str) -> bool:
    """Whether the import means the file at that path."""
    if not importer.endswith(PYTHON_ENDINGS):
        return specifier_matches_path(importer, statement.module, path)
    if not path.endswith(PYTHON_ENDINGS):
        return False
    return _module_matches_path(root, importer, statement.module, path)


def leads_nowhere(root: str, importer: str, statement: Import, path: str) -> bool:
    """Whether the import means the file at that path by its name, but leads to no file."""
    name = file_stem(path)
    if name in ("index", "__init__"):
        name = posixpath.basename(posixpath.dirname(path))
    if importer.endswith(PYTHON_ENDINGS):
        return _module_leads_nowhere(root, importer, statement, name)
    specifier = statement.module.partition("?")[0]
    ends = (file_stem(specifier).casefold(), posixpath.basename(specifier).casefold())
    if name.casefold() not in ends:
        return False
    candidates = _candidate_paths(importer, specifier)
    return not any(_file_exists_at(root, candidate) for candidate in candidates)


def _module_leads_nowhere(root: str, importer: str, statement: Import, name: str) -> bool:
    """Whether the import ends with `name` and is neither a module nor a name in its parent."""
    module = statement.module
    last = module.rpartition(".")[2]
    if last.casefold() != name.casefold() or module.partition(".")[0] in sys.stdlib_module_names:
        return False
    if _module_file(root, importer, module):
        return False
    parent = _module_file(root, importer, statement.parent_module)
    if not parent.endswith(".py"):
        return True
    exported = exports.exported_names(read_source(root, parent))
    return exported is not None and last not in exported


def missing_names(root: str, statement: Import, target: SourceFile) -> tuple[str, ...]:
    """The names that the import takes from the target and that the target does not have."""
    is_python = target.path.endswith(PYTHON_ENDINGS)
    if not is_python and not statement.module.startswith(CERTAIN_PREFIXES):
        return ()
    exported = exports.exported_names(target)
    if exported is None:
        return ()
    missing = [name for name in statement.names if name != "*" and name not in exported]
    if not is_python:
        return tuple(missing)
    package = ""
    if file_stem(target.path) == "__init__":
        package = os.path.join(root, posixpath.dirname(target.path))
    return tuple(name for name in missing if not _is_implicit(package, name))


def _is_implicit(package: str, name: str) -> bool:
    """Whether Python offers the name by itself: dunder names, and the modules of a package."""
    if name.startswith("__"):
        return True
    return package != "" and _is_module(os.path.join(package, name))


# --- Python ---


def _module_matches_path(root: str, importer: str, module: str, path: str) -> bool:
    """Whether the dotted name of a module, seen from the importer, means the file."""
    goal = posixpath.splitext(path)[0].removesuffix("__init__").rstrip("/")
    folder = posixpath.dirname(importer)
    if module.startswith("."):
        return _resolve_relative(folder, module) == goal
    module_path = module.replace(".", "/")
    if not f"/{goal}".endswith(f"/{module_path}"):
        return False
    base = goal[: -len(module_path)].rstrip("/")
    is_package = os.path.exists(os.path.join(root, base, "__init__.py"))
    if "/" not in module_path and module in sys.stdlib_module_names:
        return base == folder and not is_package
    return base == folder or not is_package  # inside a package, a module has a longer name


def _resolve_relative(folder: str, module: str) -> str | None:
    """The path of a module with leading dots; None above the root."""
    name = module.lstrip(".")
    parts = [part for part in folder.split("/") if part]
    up = len(module) - len(name) - 1
    if up > len(parts):
        return None
    below = name.split(".") if name else []
    return "/".join((*parts[: len(parts) - up], *below))


def _is_module(path: str) -> bool:
    """Whether a module or a package has this path, without an ending."""
    return os.path.isdir(path) or os.path.isfile(f"{path}.py")


def _module_file(root: str, importer: str, module: str) -> str:
    """The file of a module, its folder where it has no file, or "" where there is neither."""
    folder = posixpath.dirname(importer)
    if module.startswith("."):
        paths = [_resolve_relative(folder, module) or ""]
    elif module:
        name = module.replace(".", "/")
        paths = [posixpath.join(base, name) for base in _base_folders(folder)]
    else:
        paths = []
    for path in filter(None, paths):
        for name in (f"{path}.py", f"{path}/__init__.py", path):
            if os.path.exists(os.path.join(root, name)):
                return name
    return ""


# --- JavaScript ---


def specifier_matches_path(importer: str, specifier: str, path: str) -> bool:
    """Whether a script, a page or a setting means the path: with or without ending, by alias."""
    specifier = specifier.partition("?")[0]
    bare = _without_script_ending(specifier)
    goals = {path, posixpath.splitext(path)[0]}
    if file_stem(path) == "index":
        goals.add(posixpath.dirname(path))
    if specifier.startswith((".", "/")):
        return any(script_place(importer, word) in goals for word in (specifier, bare))
    first, _, rest = bare.partition("/")
    if not rest:
        return False
    if first.startswith(ALIAS_SIGNS):
        return any(_has_folders_in_order(rest, goal) for goal in goals)
    return any(f"/{goal}".endswith(f"/{bare}") for goal in goals)


def _without_script_ending(path: str) -> str:
    bare, ending = posixpath.splitext(path)
    return bare if ending in SCRIPT_ENDINGS else path


def _has_folders_in_order(rest: str, goal: str) -> bool:
    """Whether the goal ends like the path and has its folders in order, with others between."""
    if rest.rpartition("/")[2] != goal.rpartition("/")[2]:
        return False
    remaining = iter(goal.split("/"))
    return all(part in remaining for part in rest.split("/"))


def _candidate_paths(importer: str, specifier: str) -> list[str]:
    """The paths that an import can mean, whatever the project's aliases are."""
    if specifier.startswith((".", "/")):
        return [script_place(importer, specifier)]
    first, _, rest = specifier.partition("/")
    path = rest if first.startswith(ALIAS_SIGNS) else specifier
    return [posixpath.join(base, path) for base in _base_folders(posixpath.dirname(importer))]


def _file_exists_at(root: str, path: str) -> bool:
    """Whether a file is there, with or without one of the endings that an import may leave out."""
    if path.startswith(".."):
        return False
    paths = script_paths(path, (*SCRIPT_ENDINGS, *OTHER_ENDINGS))
    return any(os.path.isfile(os.path.join(root, name)) for name in paths)


def _base_folders(folder: str) -> list[str]:
    """The folders in which the first word of a name may be."""
    parts = [part for part in folder.split("/") if part]
    above = ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
    return [posixpath.join(parent, below) for parent in above for below in IMPORT_ROOTS]
