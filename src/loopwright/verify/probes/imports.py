"""What a source file imports, where that leads, and what it takes from there: Python, and JavaScript in all its dialects.

Where it cannot be told, every name is offered and every import is as it should be: nobody is accused on a guess.
"""

from __future__ import annotations

import ast
import os
import posixpath
import re
import sys
from functools import lru_cache

from ...core.record import Record
from ...repo.sources import (
    PYTHON_ENDINGS,
    SCRIPT_ENDINGS,
    SourceFile,
    code_text,
    file_stem,
    numbered_matches,
    parse_python,
    read_source,
)
from . import exports

IMPORT_ROOTS = (
    "",
    "src",
    "lib",
    "app",
)  # below a folder above the importer: where modules and aliases begin
OTHER_ENDINGS = (
    ".d.ts",
    ".json",
    ".css",
    ".scss",
    ".svg",
    ".py",
)  # that an import may name beside code
CERTAIN_PREFIXES = (
    ".",
    "/",
    "@/",
    "~/",
    "#/",
    "$lib/",
)  # another alias may be a package of the same name

# Possessive throughout: no letter of a hostile file is read twice.
FROM_CLAUSE = r"\s*+(?P<quote>[\"'])(?P<to>[^\"'\n]++)(?P=quote)"
SCRIPT_IMPORTS = tuple(
    re.compile(rf"(?<![\w$.]){pattern}")
    for pattern in (
        r"import\b\s*+(?:type\b\s*+(?=[\w${*]))?(?:(?P<default>[A-Za-z_$][\w$]*+)\s*+,?\s*+)?"
        rf"(?:\*\s*+as\s++[\w$]++|\{{(?P<names>[^{{}}]*+)\}})?\s*+from{FROM_CLAUSE}",
        rf"export\b\s*+(?:type\b\s*+)?(?:\*(?:\s*+as\s++[\w$]++)?|\{{(?P<names>[^{{}}]*+)\}})\s*+from{FROM_CLAUSE}",
        rf"import{FROM_CLAUSE}",
        rf"(?:import|require(?:\.resolve)?)\s*+\({FROM_CLAUSE}\s*+(?P<end>,|\)\s*+[.(\[?]?+)",
    )
)
# Before the quote of the last of them.
DESTRUCTURED_NAMES = re.compile(
    r"\{(?P<names>[^{}]*+)\}\s*+=\s*+(?:await\s++)?(?:import|require)\s*+\(\s*+$"
)
PYTHON_IMPORT_LINE = re.compile(
    r"^[ \t]*+(?:from[ \t]++([\w.]++)[ \t]++import\b|import[ \t]++([\w.]++))", re.M
)  # of a Python we cannot parse


class Import(Record):
    """Where an import leads in the words of its language, the names it takes from there, and its line."""

    module: str
    names: tuple[str, ...] = ()
    line: int = 0
    parent_module: str = (
        ""  # `from a import b`: b is a module of its own, or only a name in this one
    )


@lru_cache(maxsize=2)
def file_imports(seen: SourceFile) -> tuple[Import, ...]:
    if seen.kind in PYTHON_ENDINGS:
        return tuple(_python_imports(seen))
    return tuple(_script_imports(seen))


def leads_to(root: str, importer: str, found: Import, path: str) -> bool:
    """Does this import mean the file at that path?"""
    if importer.endswith(PYTHON_ENDINGS):
        return path.endswith(PYTHON_ENDINGS) and _module_matches_path(
            root, importer, found.module, path
        )
    return specifier_matches_path(importer, found.module, path)


def leads_nowhere(root: str, importer: str, found: Import, path: str) -> bool:
    """It means the file at that path by its last word, and yet there is no file where it leads."""
    own = (
        posixpath.basename(posixpath.dirname(path))
        if file_stem(path) in ("index", "__init__")
        else file_stem(path)
    )
    if importer.endswith(PYTHON_ENDINGS):
        last, known = (
            found.module.rpartition(".")[2],
            found.module.partition(".")[0] in sys.stdlib_module_names,
        )
        if last.casefold() != own.casefold() or known or _module_file(root, importer, found.module):
            return False
        above = _module_file(root, importer, found.parent_module)
        offered = (
            exports.exported_names(read_source(root, above))
            if above.endswith(".py")
            else frozenset[str]()
        )
        return offered is not None and last not in offered
    to = found.module.partition("?")[0]
    same = own.casefold() in (file_stem(to).casefold(), posixpath.basename(to).casefold())
    return same and not any(
        _file_exists_at(root, place) for place in _candidate_paths(importer, to)
    )


def missing_names(root: str, found: Import, target: SourceFile) -> tuple[str, ...]:
    """The names that the import takes from the target, and that the target does not have."""
    offered = exports.exported_names(target)
    sure = target.path.endswith(PYTHON_ENDINGS) or found.module.startswith(CERTAIN_PREFIXES)
    if offered is None or not sure:
        return ()
    missing = [name for name in found.names if name != "*" and name not in offered]
    if target.path.endswith(PYTHON_ENDINGS):  # what every module has, and the modules of a package
        beside = (
            os.path.join(root, posixpath.dirname(target.path))
            if file_stem(target.path) == "__init__"
            else ""
        )
        missing = [
            name
            for name in missing
            if name[:2] != "__" and not (beside and _is_module(os.path.join(beside, name)))
        ]
    return tuple(missing)


# --- Python ---


def _python_imports(seen: SourceFile) -> list[Import]:
    tree = parse_python(seen.text)
    if not tree:
        return [
            Import(match[1] or match[2], line=line)
            for line, match in numbered_matches(PYTHON_IMPORT_LINE, seen.text)
        ]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, line=node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            to = "." * node.level + (node.module or "")
            names = tuple(alias.name for alias in node.names)
            found.append(Import(to, names, node.lineno))
            inside = f"{to}." if node.module else to
            found += [Import(inside + name, (), node.lineno, to) for name in names if name != "*"]
    return found


def _module_matches_path(root: str, importer: str, to: str, path: str) -> bool:
    goal = posixpath.splitext(path)[0].removesuffix("__init__").rstrip("/")
    here = posixpath.dirname(importer)
    if to.startswith("."):
        return _resolve_relative(here, to) == goal
    want = to.replace(".", "/")
    if not f"/{goal}".endswith(f"/{want}"):
        return False
    base = goal[: -len(want)].rstrip("/")
    package = os.path.exists(os.path.join(root, base, "__init__.py"))
    if "/" not in want and want in sys.stdlib_module_names:
        return base == here and not package
    return base == here or not package  # inside a package, a module has a longer name


def _resolve_relative(here: str, to: str) -> str | None:
    """The path that leading dots mean; None above the root."""
    name = to.lstrip(".")
    parts = [part for part in here.split("/") if part]
    up = len(to) - len(name) - 1
    if up > len(parts):
        return None
    return "/".join((*parts[: len(parts) - up], *(name.split(".") if name else ())))


def _is_module(place: str) -> bool:
    return os.path.isdir(place) or os.path.isfile(f"{place}.py")


def _module_file(root: str, importer: str, to: str) -> str:
    """The file of a module, its folder where it has no file of its own, or "" where there is neither."""
    here = posixpath.dirname(importer)
    want = _resolve_relative(here, to) if to.startswith(".") else to.replace(".", "/")
    if not want:
        return ""
    for place in (
        (want,)
        if to.startswith(".")
        else (posixpath.join(base, want) for base in _base_folders(here))
    ):
        for name in (f"{place}.py", f"{place}/__init__.py", place):
            if os.path.exists(os.path.join(root, name)):
                return name
    return ""


# --- JavaScript ---


def _script_imports(seen: SourceFile) -> list[Import]:
    text = code_text(seen)
    found = []
    for pattern in SCRIPT_IMPORTS:
        for line, one in numbered_matches(pattern, text):
            said = one.groupdict()
            listed = said.get("names") or ""
            if said.get("end", "").strip() == ")" and (
                taken := DESTRUCTURED_NAMES.search(
                    text, max(0, one.start() - 400), one.start("quote")
                )
            ):
                listed = taken["names"]  # of the module itself, not of what it gives when called
            names = ("default",) * bool(said.get("default")) + exports.listed_names(listed)
            found.append(Import(one["to"], names, line))
    return found


def specifier_matches_path(importer: str, to: str, path: str) -> bool:
    """Is this what a file of JavaScript, a page or a setting calls that path? With or without its ending, by an alias or not."""
    to = to.partition("?")[0]
    bare = posixpath.splitext(to)[0] if posixpath.splitext(to)[1] in SCRIPT_ENDINGS else to
    goals = {path, posixpath.splitext(path)[0]} | (
        {posixpath.dirname(path)} if file_stem(path) == "index" else set()
    )
    if to.startswith((".", "/")):
        return any(_join_path(importer, word) in goals for word in (to, bare))
    first, _, rest = bare.partition("/")
    if first[:1] in (
        "@",
        "~",
        "#",
        "$",
    ):  # an alias, or a package of this repository: its folders in order, others between them
        return bool(rest) and any(_has_folders_in_order(rest, goal) for goal in goals)
    return bool(rest) and any(f"/{goal}".endswith(f"/{bare}") for goal in goals)


def _has_folders_in_order(rest: str, goal: str) -> bool:
    parts = iter(goal.split("/"))
    return rest.rpartition("/")[2] == goal.rpartition("/")[2] and all(
        part in parts for part in rest.split("/")
    )


def _join_path(importer: str, to: str) -> str:
    return posixpath.normpath(
        to.lstrip("/") if to.startswith("/") else posixpath.join(posixpath.dirname(importer), to)
    )


def _candidate_paths(importer: str, to: str) -> list[str]:
    if to.startswith((".", "/")):
        return [_join_path(importer, to)]
    first, _, rest = to.partition("/")
    path = rest if first[:1] in ("@", "~", "#", "$") else to
    return [posixpath.join(base, path) for base in _base_folders(posixpath.dirname(importer))]


def _file_exists_at(root: str, place: str) -> bool:
    if place.startswith(".."):
        return False
    bare = posixpath.splitext(place)[0] if posixpath.splitext(place)[1] in SCRIPT_ENDINGS else place
    wanted = (
        place,
        *(f"{bare}{end}" for end in (*SCRIPT_ENDINGS, *OTHER_ENDINGS)),
        *(f"{place}/index{end}" for end in SCRIPT_ENDINGS),
    )
    return any(os.path.isfile(os.path.join(root, name)) for name in wanted)


def _base_folders(here: str) -> list[str]:
    """The folders in which the first word of a name may lie."""
    parts = [part for part in here.split("/") if part]
    above = ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
    return [posixpath.join(folder, below) for folder in above for below in IMPORT_ROOTS]
