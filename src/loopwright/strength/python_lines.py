"""Reads Python: the lines that can matter to a check, and those that need another machine."""

from __future__ import annotations

import ast

from .. import lazy_re as re
from ..repo.sources import parse_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Facts = tuple[dict[int, tuple[int, int]], dict[int, str]]

# A condition on the machine, or on the version of the language.
MACHINE = re.compile(
    r"\bsys\.(?:platform|version_info|version|implementation|maxsize|getwindowsversion)\b"
    r"|\bos\.name\b|\bplatform\.\w+|\bTYPE_CHECKING\b"
    r"|\bhasattr\((?:os|sys|socket|signal|time|ssl)\b"
)
LOG_CALL = re.compile(
    r"(?:[\w.]*\b_?log(?:ger|ging)?|LOG(?:GER)?)\."
    r"(?:debug|info|warning|warn|error|exception|critical|log|trace)$|(?:warnings\.)warn$"
)
TYPE_CALL = re.compile(r"(?:typing\.)?(?:TypeVar|ParamSpec|NewType|TypeVarTuple)$")
IMPORT_ERRORS = re.compile(r"\b(?:ImportError|ModuleNotFoundError)\b")
ENDS_BLOCK = (ast.Return, ast.Raise, ast.Continue, ast.Break)
ON_MACHINE = "a condition on the platform or the version"
OPTIONAL_IMPORT = "an optional import"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def python_facts(text: str) -> Facts | None:
    """Spans and conditions by line; None if the text cannot be parsed."""
    tree = parse_python(text)
    if tree is None:
        return None
    reader = _Reader(tree)
    reader.read_block(tree.body, "")
    return reader.spans, reader.conditions


def is_log_call(node: ast.stmt) -> bool:
    """Does the statement only write a log or a warning?"""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    return bool(LOG_CALL.search(ast.unparse(node.value.func)))


def cannot_matter(node: ast.stmt) -> bool:
    """A statement by whose loss no check can be expected to fail."""
    kinds = (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal)
    if isinstance(node, kinds) or is_log_call(node):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # a docstring, or an ellipsis
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return True
    value = getattr(node, "value", None)
    is_assignment = isinstance(node, ast.Assign | ast.AnnAssign)
    is_type = isinstance(value, ast.Call) and bool(TYPE_CALL.match(ast.unparse(value.func)))
    return is_assignment and is_type


class _Reader:
    def __init__(self, tree: ast.Module) -> None:
        self.spans: dict[int, tuple[int, int]] = {}
        self.conditions: dict[int, str] = {}
        self.machine_names, self.optional_names = _conditional_names(tree)

    def read_block(self, body: Sequence[ast.stmt], reason: str) -> None:
        for node in body:
            self._read_statement(node, reason)
            if isinstance(node, ast.If) and isinstance(node.body[-1], ENDS_BLOCK):
                # `if sys.platform != "win32": return`: what follows needs the other platform.
                reason = reason or self._reason_of(node.test)

    def _read_statement(self, node: ast.stmt, reason: str) -> None:
        if cannot_matter(node):
            return
        if isinstance(node, FUNCTIONS):
            if not _is_abstract(node):
                self.read_block(node.body, reason or self._optional_in(node))
            return
        if isinstance(node, ast.ClassDef):
            self.read_block(node.body, reason)
            return
        if isinstance(node, ast.If):
            self._read_if(node, reason)
            return
        inner = [*_blocks(node)]
        last = node.end_lineno or node.lineno
        if inner:
            last = max(node.lineno, min(block[0].lineno for block in inner) - 1)
        if not isinstance(node, ast.Try):  # the line of `try` does nothing
            is_of_machine = isinstance(node, ast.Assign) and MACHINE.search(ast.unparse(node))
            self._add(node.lineno, last, reason or (ON_MACHINE if is_of_machine else ""))
        if isinstance(node, ast.Try) and any(map(_is_import_handler, node.handlers)):
            reason = reason or OPTIONAL_IMPORT
        for block in inner:
            self.read_block(block, reason)

    def _read_if(self, node: ast.If, reason: str) -> None:
        test = ast.unparse(node.test)
        reason = reason or self._reason_of(node.test)
        self._add(node.lineno, max(node.lineno, node.body[0].lineno - 1), reason)
        if not re.fullmatch(r"(?:typing\.)?TYPE_CHECKING", test):
            self.read_block(node.body, reason)
        self.read_block(node.orelse, reason)

    def _add(self, first: int, last: int, reason: str) -> None:
        for line in range(first, last + 1):
            self.spans[line] = (first, last)
            if reason:
                self.conditions[line] = reason

    def _reason_of(self, test: ast.expr) -> str:
        names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        if MACHINE.search(ast.unparse(test)) or names & self.machine_names:
            return ON_MACHINE
        return OPTIONAL_IMPORT if names & self.optional_names else ""

    def _optional_in(self, node: ast.AST) -> str:
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        return OPTIONAL_IMPORT if names & self.optional_names else ""


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(node, name, None):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _is_abstract(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    marks = " ".join(map(ast.unparse, node.decorator_list))
    return "abstractmethod" in marks or "overload" in marks


def _is_import_handler(handler: ast.ExceptHandler) -> bool:
    return handler.type is not None and bool(IMPORT_ERRORS.search(ast.unparse(handler.type)))


def _conditional_names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Names of the module that depend on the machine, and those of optional imports."""
    machine: set[str] = set()
    optional: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(map(_is_import_handler, node.handlers)):
            optional |= _bound_names(node)
    for node in tree.body:
        if isinstance(node, ast.Assign) and MACHINE.search(ast.unparse(node.value)):
            machine |= {name.id for name in node.targets if isinstance(name, ast.Name)}
    return machine, optional - {"TYPE_CHECKING"}


def _bound_names(node: ast.Try) -> set[str]:
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in part.names}
        elif isinstance(part, ast.Assign):
            found |= {name.id for name in part.targets if isinstance(name, ast.Name)}
    return found
