"""Finds work that repairs nothing: all that changed in the product is what it reports.

Errors are caught and dropped, messages of the log are gone or have another level. If nothing else
changed, a test or a log that is quiet now shows only that nobody hears the error.
"""

from __future__ import annotations

import ast
from copy import deepcopy

from .. import lazy_re as re
from ..core.findings import MEDIUM, Finding
from ..repo.sources import parse_python
from .languages import SCRIPT_SUFFIXES
from .python_text import last_word
from .surroundings import is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .project_files import ProjectFiles

EVERY_ERROR = frozenset(("Exception", "BaseException"))
LOG_CALLS = frozenset(
    ("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log", "print")
)
LOG_SETTINGS = frozenset(
    ("setLevel", "addFilter", "addHandler", "removeHandler", "disable", "basicConfig")
)
QUIET_MODULES = frozenset(("logging", "contextlib"))
BRACE_SUFFIXES = (*SCRIPT_SUFFIXES, ".java", ".kt", ".cs", ".php")
# The lines with which code in braces drops an error.
CATCHING_LINE = re.compile(
    r"try \{|\}? ?catch ?(?:\([^)]*\) ?)?\{ ?\}?|\}|//.*|/\*.*\*/"
    r"|return(?: (?:null|undefined|false|''|\"\"|\[\]))?;?"
)
CATCH = re.compile(r"\bcatch\b")


def findings(files: ProjectFiles) -> list[Finding]:
    """One finding for each file of the product, if errors are all that changed in all of them."""
    product = [change for change in files.changes.values() if is_product_code(change)]
    found = []
    for change in product:
        if change.before is None or change.after is None:
            return []
        if change.path.endswith(BRACE_SUFFIXES):
            is_silenced = _only_catches(change.before, change.after)
        else:
            is_silenced = change.path.endswith(".py") and _only_reports_less(
                change.before, change.after
            )
        if not is_silenced:
            return []
        found.append(Finding(MEDIUM, "errors-only-silenced", change.path))
    return found


def _only_catches(before: str, after: str) -> bool:
    """Is the code the same, apart from lines that catch errors and drop them?"""
    old = [line for row in before.splitlines() if (line := row.strip())]
    new = [line for row in after.splitlines() if (line := row.strip())]
    rest = iter(old)
    expected = next(rest, None)
    added = []
    for line in new:
        if line == expected:
            expected = next(rest, None)
        elif CATCHING_LINE.fullmatch(line):
            added.append(line)
        else:
            return False
    return expected is None and any(CATCH.search(line) for line in added)


def _only_reports_less(before: str, after: str) -> bool:
    """Is the code the same, apart from which errors it drops and how it logs?"""
    old, new = parse_python(before), parse_python(after)
    if old is None or new is None:
        return False
    is_quieter = _count_dropped(new) > _count_dropped(old) or _messages(old) != _messages(new)
    return is_quieter and _dump_without_reports(old) == _dump_without_reports(new)


def _dump_without_reports(tree: ast.Module) -> str:
    """`parse_python` keeps the tree for others, so a copy of it is changed."""
    return ast.dump(ReportRemover().visit(deepcopy(tree)))


def _count_dropped(tree: ast.Module) -> int:
    return sum(_drops_every_error(node) for node in ast.walk(tree))


def _messages(tree: ast.Module) -> list[str]:
    return [ast.unparse(node) for node in ast.walk(tree) if _is_message(node)]


def _drops_every_error(node: ast.AST) -> bool:
    if isinstance(node, ast.With):
        return all(_suppresses(item.context_expr) for item in node.items)
    if not isinstance(node, ast.Try) or not node.handlers:
        return False
    return all(_is_broad(h.type) and all(map(_is_quiet, h.body)) for h in node.handlers)


def _suppresses(call: ast.expr) -> bool:
    is_call = isinstance(call, ast.Call) and last_word(call.func) == "suppress"
    return is_call and any(map(_is_broad, call.args))  # type: ignore[attr-defined]


def _is_broad(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(part is None or last_word(part) in EVERY_ERROR for part in kinds)


def _is_quiet(statement: ast.stmt) -> bool:
    """Does a statement of a handler do nothing about the error?"""
    if isinstance(statement, ast.Pass | ast.Continue | ast.Break) or _is_message(statement):
        return True
    if not isinstance(statement, ast.Return):
        return False
    value = statement.value
    is_empty = isinstance(value, ast.List | ast.Tuple | ast.Dict) and not list(_parts(value))
    return value is None or is_empty or isinstance(value, ast.Constant | ast.Name)


def _parts(value: ast.List | ast.Tuple | ast.Dict) -> Iterator[ast.expr | None]:
    yield from value.keys if isinstance(value, ast.Dict) else value.elts


def _is_message(node: ast.AST) -> bool:
    """Is it a statement that logs, or that settles what is logged?"""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    call = node.value.func
    if isinstance(call, ast.Attribute):
        owner = ast.unparse(call.value).lower()
        is_setting = call.attr in LOG_SETTINGS and "log" in owner
        return is_setting or (call.attr in LOG_CALLS and "log" in owner)
    return False


class ReportRemover(ast.NodeTransformer):
    """Takes messages, and handlers that drop every error, out of a tree."""

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not _drops_every_error(node):
            return node
        return [*node.body, *node.orelse, *node.finalbody]

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return list(node.body) if _drops_every_error(node) else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant)
        return None if is_text or _is_message(node) else node

    def visit_Pass(self, node: ast.Pass) -> None:
        return None

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        return None if all(name.name in QUIET_MODULES for name in node.names) else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module in QUIET_MODULES else node
