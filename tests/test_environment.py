"""The tables in docs/environment_variables.py name every environment variable that the source reads, and who reads it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from docs.environment_variables import VARIABLES, WHOLE_ENVIRONMENT

import loopwright

PACKAGE = Path(loopwright.__file__).parent
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
CONSTANT = re.compile(r"[A-Z_]*VARIABLES?")  # a constant that holds names of variables
ENVIRONMENTS = ("environ", "env")  # what a mapping of variables is called
READERS = ("environment_value", "getenv")  # functions that take the name of a variable
IN_SHELL = re.compile(r"\$\{?([A-Z][A-Z0-9_]+)")
IN_TEMPLATE = re.compile(r"\$\{{1,2}([A-Z][A-Z0-9_]+)")  # without braces it is a placeholder


@cache
def sources() -> dict[str, ast.Module]:
    """Every module that may read a variable, parsed; at the first test and not at the import, which is every worker's."""
    texts = {path: path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(text)
        for path, text in texts.items()
        if "env" in text or "VARIABLE" in text
    }


@cache
def names_read() -> dict[str, set[str]]:
    """Each variable and the files that read it."""
    found: dict[str, set[str]] = defaultdict(set)
    constants = variable_constants()
    for file, tree in sources().items():
        for name in names_in_module(tree, constants):
            found[name].add(file)
    for path in sorted(PACKAGE.rglob("*")):
        pattern = shell_pattern(path)
        if pattern:
            for name in pattern.findall(path.read_text("utf-8")):
                found[name].add(path.relative_to(PACKAGE).as_posix())
    return dict(found)


def shell_pattern(path: Path) -> re.Pattern[str] | None:
    if path.suffix == ".sh" or path.parent.name == "bin":
        return IN_SHELL
    if path.is_relative_to(PACKAGE / "plugin") and path.suffix in (".py", ".md"):
        return IN_TEMPLATE
    return None


def variable_constants() -> dict[str, set[str]]:
    """Constants such as AGENT_VARIABLES and BLOCK_CAP_VARIABLE, with the names in them."""
    constants = {}
    for tree in sources().values():
        for name, value in assigned_constants(tree):
            constants[name] = names_in(value)
    return constants


def assigned_constants(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    assigned = [
        (target.id, node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return [(name, value) for name, value in assigned if CONSTANT.fullmatch(name)]


def names_in_module(tree: ast.Module, constants: dict[str, set[str]]) -> set[str]:
    names = set()
    for _, value in assigned_constants(tree):
        names |= names_in(value)
    for node in ast.walk(tree):
        for key in keys_read(node):
            names |= names_in(key)
            constant = last_name(key)
            names |= constants.get(constant, set())
    return names


def keys_read(node: ast.AST) -> list[ast.expr]:
    """The expressions by which this node names a variable: environ["X"], environ.get("X"), "X" in environ."""
    match node:
        case ast.Subscript(value=mapping, slice=key, ctx=ast.Load()) if is_environment(mapping):
            return [key]
        case ast.Call(func=ast.Attribute(value=mapping, attr="get"), args=[key, *_]):
            return [key] if is_environment(mapping) else []
        case ast.Call(func=function, args=[key, *_]) if last_name(function) in READERS:
            return [key]
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[mapping]):
            return [key] if is_environment(mapping) else []
    return []


def is_environment(node: ast.expr) -> bool:
    return last_name(node) in ENVIRONMENTS


def last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def names_in(node: ast.expr) -> set[str]:
    texts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return {text for text in texts if isinstance(text, str) and VARIABLE.fullmatch(text)}


def takes_all_variables(tree: ast.Module) -> bool:
    """Does the module use os.environ other than to look one name up?"""
    by_name = {
        id(part)
        for node in ast.walk(tree)
        if keys_read(node)
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute)
    }
    uses = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "os.environ"
    )
    return any(id(node) not in by_name for node in uses)


def test_every_variable_that_the_source_reads_has_a_row_and_every_row_a_reader() -> None:
    assert set(names_read()) == set(VARIABLES)


def test_every_row_names_the_files_that_read_the_variable() -> None:
    rows = {name: set(readers) for name, (readers, _) in VARIABLES.items()}

    assert rows == names_read()


def test_every_file_that_takes_the_whole_environment_has_a_row() -> None:
    found = {file for file, tree in sources().items() if takes_all_variables(tree)}

    assert found == set(WHOLE_ENVIRONMENT)


def test_the_scan_finds_every_way_to_read_a_variable() -> None:
    tree = ast.parse(
        """
AGENT_VARIABLES = ("A1", "A2")
LIMIT_VARIABLES = {"iterations": "B1"}
os.environ["C1"]
os.environ.get("C2", "")
env.get("C3")
environment_value("C4")
"C5" in os.environ
os.environ.get(hooks.CAP_VARIABLE)
settings.get("NOT_ONE")
"""
    )

    found = names_in_module(tree, {"CAP_VARIABLE": {"D1"}})

    assert found == {"A1", "A2", "B1", "C1", "C2", "C3", "C4", "C5", "D1"}
