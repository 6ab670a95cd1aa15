"""Finds new Python code that disarms comparisons: replaced functions, values equal to all."""

from __future__ import annotations

import ast
import sys

from ... import lazy_re as re
from ...repo.sources import parse_python
from ..surroundings import RUNNER_MODULES
from .comparisons import COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project_files import ProjectFiles

PYTHON_ROOTS = ("", "src/", "lib/", "python/")
ENDS = ("sys.exit", "exit", "quit", "SystemExit", "os.abort")
COMMAND_LINE = re.compile(
    r"_?(?:main|cli|run|command|handle|exit|quit|stop|shutdown)\w*|.*_(?:command|main)"
)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def disarming_lines(before: str, after: str, files: ProjectFiles) -> Iterator[tuple[int, str]]:
    """Line and source of each new statement that disarms comparisons."""
    new = parse_python(after)
    found = list(_disarming_nodes(new, files)) if new else []
    old = parse_python(before) if found else None
    known = {ast.unparse(node) for node in _disarming_nodes(old, files)} if old else set()
    for node in found:
        text = ast.unparse(node)
        if text not in known:
            yield getattr(node, "lineno", 1), text.partition("\n")[0]


def _disarming_nodes(tree: ast.Module, files: ProjectFiles) -> Iterator[ast.AST]:
    nodes = list(ast.walk(tree))
    functions = _function_names(nodes)
    foreign = _foreign_names(nodes, files)
    yield from _quiet_ends(tree, "")
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            yield from _indifferent_comparisons(node)
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            named = [(k.value, v) for k, v in pairs if isinstance(k, ast.Constant)]
            if any(name in COMPARISONS and _is_indifferent(value, "") for name, value in named):
                yield node
        elif _replaces_foreign(node, foreign, functions):
            yield node


def _quiet_ends(node: ast.AST, function: str) -> Iterator[ast.AST]:
    """Statements that end the process with zero, outside the functions of a command line."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            if not COMMAND_LINE.fullmatch(part.name):
                yield from _quiet_ends(part, part.name)
        elif isinstance(part, ast.Expr | ast.Raise) and function and _ends_quietly(part):
            yield part
        else:
            yield from _quiet_ends(part, function)


def _ends_quietly(statement: ast.Expr | ast.Raise) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else statement.exc
    if _name(value) == "SystemExit":
        return isinstance(statement, ast.Raise)
    if not isinstance(value, ast.Call) or ast.unparse(value.func) not in ENDS:
        return False
    codes = [arg.value if isinstance(arg, ast.Constant) else "unknown" for arg in value.args]
    return codes in ([], [0], [None])


def _foreign_names(nodes: list[ast.AST], files: ProjectFiles) -> set[str]:
    """Names that are imported from other packages than those of the project."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_foreign(alias.name, files):
                    found.add(alias.asname or alias.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom) and not node.level:
            is_foreign = _is_foreign(node.module or "", files)
            found |= {alias.asname or alias.name for alias in node.names if is_foreign}
    return found


def _is_foreign(module: str, files: ProjectFiles) -> bool:
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top in RUNNER_MODULES:
        return True
    names = [f"{root}{top}{end}" for root in PYTHON_ROOTS for end in (".py", "/__init__.py")]
    return not any(files.now(name) is not None for name in names)


def _function_names(nodes: list[ast.AST]) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in nodes if isinstance(node, kinds)}


def _replaces_foreign(node: ast.AST, foreign: set[str], functions: set[str]) -> bool:
    """`math.isclose = lambda …` or `setattr(math, "isclose", own_function)`."""
    if isinstance(node, ast.Assign):
        owners = [target.value for target in node.targets if isinstance(target, ast.Attribute)]
        value: ast.expr = node.value
    elif isinstance(node, ast.Call) and len(node.args) == 3 and _name(node.func) == "setattr":
        owners, value = [node.args[0]], node.args[2]
    else:
        return False
    is_function = isinstance(value, ast.Lambda) or _name(value) in functions
    return is_function and any(ast.unparse(owner).partition(".")[0] in foreign for owner in owners)


def _name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _indifferent_comparisons(owner: ast.ClassDef) -> Iterator[ast.AST]:
    for part in owner.body:
        if isinstance(part, ast.FunctionDef) and part.name in COMPARISONS:
            if _is_indifferent(part, owner.name):
                yield part
        elif isinstance(part, ast.Assign):
            names = {_name(target) for target in part.targets}
            if names & COMPARISONS and _is_indifferent(part.value, owner.name):
                yield part


def _is_indifferent(node: ast.AST, owner: str) -> bool:
    """Is it a comparison that never looks at its own object, nor for its own class?"""
    if not isinstance(node, Function):
        return False
    arguments = [*node.args.posonlyargs, *node.args.args]
    own = {arguments[0].arg} if arguments else set()
    if isinstance(node, ast.Lambda):
        parts: list[ast.AST] = [node.body]
    else:
        parts = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
        uses = {_name(n) for n in ast.walk(node)}
        if own & uses:
            return False
    if parts and all(_name(part) == "NotImplemented" for part in parts):
        return False
    used = {_name(n) for part in parts for n in ast.walk(part)} - {""}
    return bool(parts) and not used & {*own, owner, "super"}
