"""Finds new modules that hide those of the runner, the standard library or the product."""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...checks.reach import Reach
from ...checks.surroundings import is_shadowing_module
from ...checks.test_files import TEST_NAME, has_test_name
from ...core.findings import MEDIUM, Finding
from ...formats.flat_settings import read
from ..project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PYTHON_ROOTS = ("", "src", "lib", "python")
SCRIPT_SUFFIXES = (".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx")
NEVER_HIDING = ("conftest.py", "setup.py", "__main__.py", "noxfile.py")
MOCK_FOLDER = "__mocks__"
COMPILED_SUFFIXES = (".pyc", ".pyo", ".so", ".pyd")
TYPE_CHECKERS = re.compile(r"(?:^|[/ ])(?:mypy|dmypy|(?:based)?pyright|pytype|pyre|ty)$")
# Files that say where the tests look for modules, the first folder first.
PYTEST_FILES = ("pytest.toml", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
PROGRAM_NAME = re.compile(r"[a-z][\w+-]*")
# How a script or a recipe calls a program by its name alone.
CALLED = (
    r"(?m)(?:^|[|;&(`!]|\b(?:then|do|else|exec|xargs|env|command|if|while)\b)[ \t@-]*"
    r"(?:\w+=\S*[ \t]+)*{name}(?=[\s);|]|$)"
)
# Programs that every system has. Projects name their own programs in another way.
SYSTEM_PROGRAMS = frozenset(
    [
        *("awk", "bash", "cat", "cc", "cmp", "comm", "cut", "diff", "env", "expr", "find", "gcc"),
        *("git", "grep", "head", "join", "jq", "make", "node", "paste", "perl", "php", "python"),
        *("python3", "ruby", "sed", "seq", "sh", "sort", "tail", "tee", "timeout", "tr", "uniq"),
        *("wc", "xargs"),
    ]
)
PLUGIN_ENTRY = re.compile(r"(?m)^\s*\[(?:project\.entry-points\.)?[\"']?pytest11[\"']?\]|pytest11")


def find(project: Project) -> Iterator[Finding]:
    """New files that take the place of another module."""
    reach = project.reach
    for change in project.changes.values():
        path = change.path
        if change.after is None:
            continue
        is_shadowing = is_shadowing_module(path, change.before, tuple(project.reach.folders))
        if is_shadowing or _takes_place_of_source(project, path):
            yield Finding(MEDIUM, "module-shadowed", path, after=posixpath.basename(path))
        elif _is_stub_of_module(project, path, change.before, project.reach):
            yield Finding(MEDIUM, "module-shadowed", path, before=path[:-1], after=path)
        elif _adds_plugin_entry(path, change.before, change.after):
            yield Finding(MEDIUM, "runner-hook-added", path, after="pytest11")
        elif change.before is None and (hidden := _hidden_product(project, path)):
            yield Finding(MEDIUM, "module-shadowed", path, before=hidden, after=path)
        elif change.before is None and _is_program_of_check(project, path, change.after, reach):
            name = posixpath.basename(path)
            yield Finding(MEDIUM, "check-program-replaced", path, before=name, after=path)


def _is_program_of_check(files: Project, path: str, text: str, reach: Reach) -> bool:
    """A new program with the name of one that a script of a check finds on PATH."""
    folder, name = posixpath.split(path)
    is_program = text.startswith("#!") or "\0" in text
    if not is_program or not PROGRAM_NAME.fullmatch(name):
        return False
    texts = [files.before(script) or "" for script in (*reach.scripts, *reach.files)]
    is_called = re.compile(CALLED.format(name=re.escape(name)))
    if not any(is_called.search(script) for script in texts):
        return False
    on_path = re.compile(rf"\bPATH\b.*{re.escape(folder)}(?![\w-])")
    return name in SYSTEM_PROGRAMS or any(folder and on_path.search(script) for script in texts)


def _takes_place_of_source(files: Project, path: str) -> bool:
    """Would Python load this compiled file instead of a source file of the project?"""
    if not path.endswith(COMPILED_SUFFIXES):
        return False
    folder, name = posixpath.split(path)
    module = name.partition(".")[0]
    if posixpath.basename(folder) == "__pycache__":
        folder = posixpath.dirname(folder)
    return files.now(posixpath.join(folder, f"{module}.py")) is not None


def _is_stub_of_module(files: Project, path: str, before: str | None, reach: Reach) -> bool:
    """A new stub that a type checker reads instead of the module beside it."""
    if before is not None or not path.endswith(".pyi") or files.now(path[:-1]) is None:
        return False
    return any(TYPE_CHECKERS.search(program) for program in reach.programs)


def _adds_plugin_entry(path: str, before: str | None, after: str) -> bool:
    name = posixpath.basename(path)
    if name not in ("entry_points.txt", "pyproject.toml", "setup.cfg", "setup.py"):
        return False
    return bool(PLUGIN_ENTRY.search(after)) and not PLUGIN_ENTRY.search(before or "")


def _hidden_product(files: Project, path: str) -> str:
    """The module of the product that a new file hides; "" if there is none."""
    for candidate in _modules_hidden_by(files, path):
        is_there = files.before(candidate) is not None and files.now(candidate) is not None
        if candidate != path and is_there:
            return candidate
    return ""


def _modules_hidden_by(files: Project, path: str) -> Iterator[str]:
    folder, name = posixpath.split(path)
    if path.endswith(".py"):
        yield from _python_modules_hidden_by(files, path)
    elif posixpath.basename(folder) == MOCK_FOLDER:
        yield posixpath.join(posixpath.dirname(folder), name)
    elif has_test_name(path):
        return  # nothing imports it
    elif "." not in name or path.endswith(SCRIPT_SUFFIXES):
        # An import without an ending means the one or the other, as the tool likes.
        stem = path.removesuffix(posixpath.splitext(name)[1])
        yield from (f"{stem}{suffix}" for suffix in SCRIPT_SUFFIXES)


def _python_modules_hidden_by(files: Project, path: str) -> Iterator[str]:
    """The module in the place of this package, and what has the same name below another root."""
    name = posixpath.basename(path)
    is_package = name == "__init__.py"
    if is_package:
        yield path.removesuffix("/__init__.py") + ".py"
    elif name in NEVER_HIDING or TEST_NAME.search(name):
        return
    parts = path.split("/")
    search_path = _search_path(files)
    for start in range(len(parts) - is_package):
        root = "/".join(parts[:start])
        if is_package and root not in (*PYTHON_ROOTS, *search_path):
            continue  # tests are often in folders with the names of the packages
        if files.now(posixpath.join(root, "__init__.py")) is not None:
            continue  # a package: its modules have longer names
        tail = "/".join(parts[start:])
        others = [*PYTHON_ROOTS, *search_path]
        if root in search_path:  # a folder before it is searched first
            others = [o for o in others if o not in search_path[: search_path.index(root)]]
        yield from (posixpath.join(other, tail) for other in others if other != root)


def _search_path(files: Project) -> list[str]:
    """The folders in which pytest looks for modules, by its settings."""
    for name in PYTEST_FILES:
        settings = read(name, files.before(name) or "") or {}
        for key, words in settings.items():
            if key.rpartition(".")[2] == "pythonpath":
                return [posixpath.normpath(word).strip(".") for word in words]
    return []
