"""Finds work that repairs nothing: all that changed in the product is what it reports.

Errors are caught and dropped or no longer raised, messages of the log are gone or have another
level. If nothing else changed, a test or a log that is quiet now shows only that nobody hears the
error.
"""

from __future__ import annotations

import ast
from collections import Counter
from copy import deepcopy

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES, SCRIPT_SUFFIXES
from ...checks.references import search_word
from ...checks.surroundings import is_product_code
from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..project import require_baseline
from ..readers.python_text import last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

EVERY_ERROR = frozenset(("Exception", "BaseException"))
OPERATIONS = (
    *(ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.comprehension, ast.Subscript),
    *(ast.If, ast.IfExp, ast.For, ast.While, ast.Raise, ast.Yield, ast.Await, ast.Delete),
)
LOG_CALLS = frozenset(
    ("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log", "print")
)
LOG_SETTINGS = frozenset(
    ("setLevel", "addFilter", "addHandler", "removeHandler", "disable", "basicConfig")
)
QUIET_MODULES = frozenset(("logging", "contextlib", "warnings"))
OWN_ERRORS = frozenset(("AssertionError", "RuntimeError", "SystemError"))
WARNING_SETTINGS = frozenset(("simplefilter", "filterwarnings"))
# Arguments that settle whether a call raises an error.
ERROR_SWITCHES = frozenset(
    ("check", "strict", "return_exceptions", "ignore_errors", "errors", "raise_exception")
)
BRACE_SUFFIXES = (*SCRIPT_SUFFIXES, ".java", ".kt", ".cs", ".php")
# The lines with which code in braces drops an error.
CATCHING_LINE = re.compile(
    r"try \{|\}? ?catch ?(?:\([^)]*\) ?)?\{ ?\}?|\}|//.*|/\*.*\*/"
    r"|return(?: (?:null|undefined|false|''|\"\"|\[\]))?;?"
    r"|[\w$.>-]*(?:console|log|logger|LOG|LOGGER|Log|System\.err)(?:\.|->|::)\w+\(.*\);?"
    r"|(?:error_log|println)\(.*\);?"
)
CATCH = re.compile(r"\bcatch\b")
# A test with such a name asks for a product that goes on without what it cannot read.
TOLERANT_TEST = re.compile(
    r"\bdef test\w*(?:skip|ignor|invalid|malformed|bad|missing|corrupt|broken|toler|default"
    r"|fallback|unknown|unreadable|garbage|lenient|safe)"
)


def find(project: Project) -> list[Finding]:
    """One finding for each file of the product, if errors are all that changed in all of them."""
    product = [change for change in project.changes.values() if is_product_code(change)]
    found = []
    for change in product:
        if change.before is None or change.after is None:
            return []
        if change.path.endswith(BRACE_SUFFIXES):
            is_silenced = _only_catches(change.before, change.after)
        else:
            is_silenced = change.path.endswith(".py") and only_reports_less(
                change.before, change.after
            )
        if not is_silenced:
            return []
        found.append(Finding(MEDIUM, "errors-only-silenced", change.path))
    return found


def find_narrow(project: Project) -> list[Finding]:
    """Python product of which all that changed is that errors of a kind are caught and dropped.

    `find` names it where every error is. A test that asks for such a product by its name makes
    this the work.
    """
    code = {path: row for path, row in project.product.items() if path.endswith(CODE_SUFFIXES)}
    for path, (before, after) in code.items():
        if not path.endswith(".py") or before is None or after is None:
            return []
        if not only_reports_less(before, after, narrow=True):
            return []
    if all(only_reports_less(before or "", after or "") for before, after in code.values()):
        return []
    tests = require_baseline(project).find_tests({search_word(path) for path in code})
    if any(map(TOLERANT_TEST.search, tests.values())):
        return []
    return [Finding(MEDIUM, "errors-only-silenced", path) for path in code]


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


def only_reports_less(before: str, after: str, narrow: bool = False) -> bool:
    """Does the code the same, apart from which errors it drops and how it logs?

    `narrow`: errors of a single kind count too, not only a handler that takes all of them.
    """
    old, new = parse_python(before), parse_python(after)
    if old is None or new is None:
        return False
    is_quieter = _reports_less(old, new, narrow)
    return is_quieter and _operations(old, narrow) == _operations(new, narrow)


def _reports_less(old: ast.Module, new: ast.Module, narrow: bool) -> bool:
    dropped = [sum(_drops_errors(node, narrow) for node in ast.walk(tree)) for tree in (old, new)]
    asserts = [sum(_is_own_check(node) for node in ast.walk(tree)) for tree in (old, new)]
    if dropped[1] > dropped[0] or asserts[1] < asserts[0]:
        return True
    return _says_less(old, new) or _switches(old) != _switches(new)


def _is_own_check(node: ast.AST) -> bool:
    """Does it look for a mistake of the product: an `assert`, or a RuntimeError in an `if`?"""
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.If) or node.orelse or len(node.body) != 1:
        return False
    raised = node.body[0].exc if isinstance(node.body[0], ast.Raise) else None
    kind = raised.func if isinstance(raised, ast.Call) else raised
    return last_word(kind) in OWN_ERRORS


def _switches(tree: ast.Module) -> list[str]:
    words = [node for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    return [ast.unparse(word) for word in words if word.arg in ERROR_SWITCHES]


def _operations(tree: ast.Module, narrow: bool) -> Counter[str]:
    """What the code does, however it is laid out: calls, attributes, values, operators.

    `parse_python` keeps the tree for others, so a copy of it is changed.
    """
    found: Counter[str] = Counter()
    nodes = list(ast.walk(ReportRemover(narrow).visit(deepcopy(tree))))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own_variables = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    found.update(name.id for name in names if name.id not in own_variables)
    for node in nodes:
        if isinstance(node, ast.Attribute):
            found[node.attr] += 1
        elif isinstance(node, ast.Constant):
            found[repr(node.value)] += 1
        elif isinstance(node, ast.Call):
            found[f"{last_word(node.func)}()"] += 1
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[f"def {node.name}"] += 1
        elif isinstance(node, OPERATIONS):
            found[type(node).__name__] += 1
    return found


def _says_less(old: ast.Module, new: ast.Module) -> bool:
    """Is a message gone, or is its level another one, or do new settings drop some?"""
    before, after = _messages(old), _messages(new)
    lost = {name for name in before - after if not _is_setting(name)}
    added = {name for name in after - before if _is_setting(name)}
    return bool(lost or added)


def _is_setting(name: str) -> bool:
    return name.rpartition(".")[2] in LOG_SETTINGS | WARNING_SETTINGS


def _messages(tree: ast.Module) -> Counter[str]:
    """How often each call that logs, or that settles what is logged, is there."""
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    calls = [node.value for node in statements if _is_message(node)]
    return Counter(ast.unparse(call.func) for call in calls if isinstance(call, ast.Call))


def _drops_errors(node: ast.AST, narrow: bool) -> bool:
    if isinstance(node, ast.With):
        return all(_suppresses(item.context_expr, narrow) for item in node.items)
    if not isinstance(node, ast.Try):
        return False
    if any(isinstance(part, ast.Return) for part in node.finalbody):
        return True
    handlers = node.handlers
    return bool(handlers) and all(
        _is_caught(h.type, narrow) and all(map(_is_quiet, h.body)) for h in handlers
    )


def _suppresses(call: ast.expr, narrow: bool) -> bool:
    if not isinstance(call, ast.Call):
        return False
    if last_word(call.func) != "suppress":
        return last_word(call.func) == "catch_warnings"
    return any(_is_caught(kind, narrow) for kind in call.args)


def _is_caught(kind: ast.expr | None, narrow: bool) -> bool:
    if kind is None or narrow:
        return True
    parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(last_word(part) in EVERY_ERROR for part in parts)


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
    if last_word(call) in WARNING_SETTINGS:
        return True
    if isinstance(call, ast.Attribute):
        owner = ast.unparse(call.value).lower()
        is_setting = call.attr in LOG_SETTINGS and "log" in owner
        return is_setting or (call.attr in LOG_CALLS and "log" in owner)
    return False


class ReportRemover(ast.NodeTransformer):
    """Takes messages, and handlers that drop errors, out of a tree."""

    def __init__(self, narrow: bool) -> None:
        self.narrow = narrow

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not _drops_errors(node, self.narrow):
            return node
        return [*node.body, *node.orelse, *node.finalbody]

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return list(node.body) if _drops_errors(node, self.narrow) else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant)
        return None if is_text or _is_message(node) else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        is_logger = isinstance(node.value, ast.Call) and last_word(node.value.func) == "getLogger"
        return None if is_logger else self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        return None

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords = [word for word in node.keywords if word.arg not in ERROR_SWITCHES]
        return node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if _is_own_check(node) else self.generic_visit(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        return None

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        return None if all(name.name in QUIET_MODULES for name in node.names) else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module in QUIET_MODULES else node
