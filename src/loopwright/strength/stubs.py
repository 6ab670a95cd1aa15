"""Takes the body of a new function away, so that the file still compiles."""

from __future__ import annotations

import ast

from .. import lazy_re as re
from ..ratchet.readers.definition_heads import BracketEnds
from ..ratchet.readers.definitions import Definition
from ..repo.sources import PYTHON_ENDINGS, SCRIPT_ENDINGS, file_ending, parse_python
from .changed_files import split_lines, with_lines
from .text_lines import masked_text

GO_RESULT = re.compile(r"\)\s*(?P<result>[^{}()]*|\([^{}]*\))\s*$")
GO_IMPORT = re.compile(
    r"(?m)^(?P<indent>[ \t]*(?:import[ \t]+)?)(?P<name>\w+[ \t]+)?\"(?P<path>[\w./-]+)\"$"
)
C_TYPES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp")
NUMBERS = re.compile(r"\b(?:int|long|short|byte|float|double|char)\s+\w+\s*\(")
TRIVIAL = (ast.Pass, ast.Raise)


def stub_body(path: str, text: str, definition: Definition) -> str | None:
    """The text with an empty body of this function; None where we cannot write one."""
    ending = file_ending(path)
    if ending in PYTHON_ENDINGS:
        return _stub_python(text, definition)
    if ending in (".rb", ".rake"):
        return _stub_lines(text, definition, "nil")
    if ending in (".sh", ".bash", ".zsh"):
        return _stub_lines(text, definition, ":")
    return _stub_braces(path, ending, text, definition)


def _stub_python(text: str, definition: Definition) -> str | None:
    tree = parse_python(text)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    wanted = [
        node
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, kinds)
        and node.name == definition.name
        and definition.first <= node.lineno <= definition.last
    ]
    if not wanted:
        return None
    node = wanted[0]
    body = [part for part in node.body if not _is_text(part)]
    if not body or (len(body) == 1 and isinstance(body[0], TRIVIAL)):
        return None
    first, last = body[0].lineno, node.end_lineno or node.lineno
    if first == node.lineno:  # `def f(): return 1`
        return None
    rows = split_lines(text)
    indent = re.match(r"\s*", rows[first - 1])
    has_yield = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))
    stub = "return\n{0}yield" if has_yield else "return None"
    space = indent[0] if indent else ""
    first = min([first, *(mark.lineno for mark in getattr(body[0], "decorator_list", []))])
    return with_lines(text, first, last, f"{space}{stub.format(space)}\n")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _stub_lines(text: str, definition: Definition, stub: str) -> str | None:
    """The body between the first and the last line of the definition."""
    if definition.last - definition.first < 2:
        return None
    return with_lines(text, definition.first + 1, definition.last - 1, f"  {stub}\n")


def _stub_braces(path: str, ending: str, text: str, definition: Definition) -> str | None:
    rows = split_lines(text)
    start = len("".join(rows[: definition.first - 1]))
    code = masked_text(path, text)
    ends = BracketEnds(code, ends_with_line=False)
    position = code.find("(", start)
    while position >= 0 and code[position] == "(":  # parameters, and receivers of Go
        closing = ends.closing.get(position)
        if closing is None:
            return None
        following = re.match(r"\s*\w*\s*\(", code[closing + 1 :])
        if not following or ending != ".go":
            position = closing
            break
        position = closing + following.end()
    opening = code.find("{", position)
    closing = ends.closing.get(opening, -1)
    limit = len("".join(rows[: definition.last]))
    if position < 0 or opening < 0 or not opening < closing < limit:
        return None
    if not code[opening + 1 : closing].strip():
        return None
    stub = _brace_stub(ending, code[start:opening])
    if stub is None:
        return None
    without = f"{text[: opening + 1]} {stub} {text[closing:]}"
    return without_unused_imports(path, without)


def _brace_stub(ending: str, head: str) -> str | None:
    """A body that returns nothing, or the simplest value that compiles."""
    if ending in SCRIPT_ENDINGS:
        return ""
    if ending == ".go":
        return _go_stub(head)
    if ending == ".rs":
        return "Default::default()" if "->" in head else ""
    if ending == ".php":
        return "return null;"
    if re.search(r"\bvoid\b[^()]*\w+\s*\(", head):
        return ""
    if ending == ".cs":
        return "return default;"
    if ending in C_TYPES:
        return "return 0;"
    if ending == ".java":
        if re.search(r"\bboolean\s+\w+\s*\(", head):
            return "return false;"
        return "return 0;" if NUMBERS.search(head) else "return null;"
    return None


def _go_stub(head: str) -> str | None:
    match = GO_RESULT.search(head)
    if not match:
        return None
    result = match["result"].strip()
    if not result:
        return ""
    parts = [part.strip() for part in result.strip("()").split(",")]
    if any(re.match(r"\w+ ", part) for part in parts) and result.startswith("("):
        return "return"  # the results have names
    return f"return {', '.join(f'*new({part})' for part in parts)}"


def without_unused_imports(path: str, text: str) -> str:
    """Go refuses to compile a file with an import that nothing in it uses."""
    if not path.endswith(".go"):
        return text

    def keep_used(match: re.Match[str]) -> str:
        name = (match["name"] or match["path"].rpartition("/")[2]).strip()
        is_used = name in ("_", ".") or re.search(rf"\b{re.escape(name)}\.", text)
        return match[0] if is_used else f'{match["indent"]}_ "{match["path"]}"'

    return GO_IMPORT.sub(keep_used, text)
