"""New functions that the spec names and that do nothing: no change of them can be noticed."""

from __future__ import annotations

import ast

from .. import lazy_re as re
from ..core.proof.demand_results import is_named_as_code
from ..core.proof.strength import LEFT, NOT_NOTICED, StrengthItem
from ..ratchet.readers.definitions import FUNCTION, METHOD, Definition, definitions
from ..repo.sources import PYTHON_ENDINGS, file_ending
from .parts import shorten
from .text_lines import masked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .changed_files import ChangedFile

DOES_NOTHING = "the spec asks for it, and it does nothing"
WANTS_NOTHING = re.compile(
    r"(?i)\b(?:no-?ops?|do(?:es|ing)? nothing|stubs?|empty|abstract|placeholder|interface)\b"
)
EMPTY_BRACES = re.compile(r"\{\s*\}\s*;?\s*$")


def empty_functions(files: Iterable[ChangedFile], spec: str) -> list[StrengthItem]:
    """The new functions whose name stands in the spec as code, and whose body is empty."""
    if WANTS_NOTHING.search(spec):
        return []
    items: list[StrengthItem] = []
    for file in files:
        known = {each.key for each in definitions(file.path, file.before or "")}
        for each in definitions(file.path, file.after or ""):
            is_new = each.kind in (FUNCTION, METHOD) and each.key not in known
            if is_new and is_named_as_code(each.name, spec) and _is_empty(file.path, each):
                taken = f"`{shorten(each.head)}`"
                items.append(
                    StrengthItem(LEFT, file.path, each.first, taken, NOT_NOTICED, DOES_NOTHING)
                )
    return items


def _is_empty(path: str, function: Definition) -> bool:
    if file_ending(path) in PYTHON_ENDINGS:
        return _is_empty_python(function.text)
    code = masked_text(path, function.text)
    return bool(EMPTY_BRACES.search(code)) and code.count("{") == 1


def _is_empty_python(text: str) -> bool:
    rows = text.expandtabs().split("\n")
    indent = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    try:
        node = ast.parse("\n".join(row[indent:] for row in rows)).body[0]
    except (SyntaxError, IndexError):
        return False
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.decorator_list:
        return False
    return all(map(_does_nothing, node.body))


def _does_nothing(statement: ast.stmt) -> bool:
    """Is it `pass`, `...`, a docstring, or an error that says that nothing is there yet?"""
    if isinstance(statement, ast.Raise):
        return "NotImplementedError" in ast.dump(statement)
    is_value = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_value or isinstance(statement, ast.Pass)
