"""Is a file that the plan creates the real thing? A stub says so itself: in a comment, by what it raises, or by empty bodies."""

from __future__ import annotations

import ast
import posixpath
import re

from ...core.json_text import JSONError, loads
from ...repo.sources import (
    CODE_ENDINGS,
    MAX_BYTES,
    PYTHON_ENDINGS,
    SCRIPT_ENDINGS,
    SourceFile,
    code_text,
    comments,
    line_number,
    parse_python,
    printable_text,
)
from ..redact import redact_text

ENOUGH_LINES = (
    10  # lines that are neither blank nor comment; a shorter file must define or do something
)
EMPTY_IS_FINE = ("__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll")
JSON_WITH_COMMENTS = re.compile(
    r"(?:^|/)(?:[tj]sconfig[^/]*|\.eslintrc|\.?devcontainer|deno)\.json$|(?:^|/)\.vscode/"
)  # JSON, nearly
STUB_COMMENT = re.compile(
    r"\b(?:TODO|FIXME)\b"
    r"|^\W*XXX\b\W*(?:$|(?i:implement|finish|fill|later|stub))"
    r"|(?i:^\W*placeholder\b(?! (?:text|attribute|prop|image|value|of|in|for (?:the|an?) (?:input|field)))"
    r"|\bplaceholder (?:implementation|component|function|module|code|until|for now)\b|\bis (?:just |only )?a placeholder\b"
    r"|\bnot (?:yet )?implemented(?: yet| here)?\W*$)",
    re.M,
)
STUB_WORDS = r"(?:\bnot (?:yet )?implemented\b|\bunimplemented\b|(?<=[\"'`])(?-i:TODO)\b)"
STUB_STATEMENT = re.compile(
    rf"\b(?:throw|raise|panic|fatalError)\b(?!\s{{1,20}}NotImplementedError)[^\n;]{{0,80}}?[\"'`][^\"'`\n]{{0,60}}?{STUB_WORDS}"
    r"|\b(?:return|print(?:ln)?|console\.\w+)\b[^\n;\"'`]{0,80}[\"'`][^\"'`\n]{0,60}?\bnot (?:yet )?implemented\b"
    r"|\breturn\s{0,20}\(?\s{0,20}[\"'`]placeholder\b[^\"'`\n]{0,40}[\"'`]"
    r"|\b(?:todo|unimplemented)!\s{0,9}[(\[{]|\bthrow\s{1,20}(?:new\s{1,20})?NotImplemented\w*"
    r"|>[\w \t]{0,40}\b(?:placeholder|not (?:yet )?implemented)\s{0,20}</",
    re.I,
)
STUB_STRINGS = {  # by a statement of Python
    ast.Raise: re.compile(
        r"\bnot (?:yet )?implemented\b|\bunimplemented\b|\A\s*(?-i:TODO)\b", re.I
    ),
    ast.Return: re.compile(r"\bnot (?:yet )?implemented\b|\A\s*placeholder\b", re.I),
    ast.Call: re.compile(r"\bnot (?:yet )?implemented\b", re.I),
}
RAISES_NOT_IMPLEMENTED = re.compile(r"\braise\s{1,20}NotImplementedError\b")
# Of JavaScript: every function, and those that do nothing. A constructor may do its work in its parameters.
CONSTRUCTOR = re.compile(r"\bconstructor\s*+\([^()]*+\)\s*+\{\s*+\}")
FUNCTION_HEAD = r"(?:\)[^(){};=]{0,200}|=>\s{0,50})"
FUNCTION_BODIES = re.compile(rf"{FUNCTION_HEAD}\{{|=>\s{{0,50}}[^\s{{]")
EMPTY_FUNCTION_BODIES = re.compile(
    rf"{FUNCTION_HEAD}\{{\s*+(?:return(?:\s+(?:null|undefined|<></>))?\s*+;?)?\s*+\}}|=>\s{{0,50}}(?:null|undefined)\b"
)
IDLE_CODE = re.compile(  # what a file may hold and still define nothing
    r"\b(?:class|interface|struct|enum|trait|namespace|object)\s{1,20}\w{1,80}\s*+\{\s*+\}"
    r"|\bexport\s{1,20}\{\s*+\}|\bmodule\.exports\s*+=\s*+\{\s*+\}|^\s*+[\"']use \w{1,20}[\"']"
    r"|^[ \t]*+(?:import|package|using|use|mod|#\s*include|require)\b[^\n]*"
    r"|\b(?:export|default|public|pub|abstract|final|static)\b",
    re.M,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def stub_reason(seen: SourceFile) -> str:
    """Why the file is not the real thing, with the line where there is one; "" where nothing speaks against it."""
    path, name = printable_text(seen.path), posixpath.basename(seen.path)
    if not seen.text.strip():
        return "" if name in EMPTY_IS_FINE or seen.size > MAX_BYTES else f"{path} is empty"
    if seen.kind == ".json" and seen.size <= MAX_BYTES and not JSON_WITH_COMMENTS.search(seen.path):
        return _json_problem(seen)
    if seen.kind not in CODE_ENDINGS:
        return ""
    line, why = _find_stub(seen)
    if why and not line and name in EMPTY_IS_FINE:  # comments only
        return ""
    return f"{path}{f':{line}' if line else ''} {why}" if why else ""


def code_line_count(seen: SourceFile) -> int:
    """How many lines are neither blank nor comment."""
    return sum(bool(line.strip()) for line in code_text(seen).split("\n"))


def _json_problem(seen: SourceFile) -> str:
    try:
        loads(seen.text)
    except JSONError as error:
        return f"{printable_text(seen.path)} is {printable_text(str(error))}"
    return ""


def _find_stub(seen: SourceFile) -> tuple[int, str]:
    for start, comment in comments(seen):
        if found := STUB_COMMENT.search(comment):
            said = comment[comment.rfind("\n", 0, found.end()) + 1 :].partition("\n")[0].strip()
            return line_number(
                seen.text, start + found.start()
            ), f"is a stub: {printable_text(redact_text(said), 80)}"
    tree = parse_python(seen.text) if seen.kind in PYTHON_ENDINGS else None
    if tree:
        return _find_python_stub(tree, code_line_count(seen))
    bare = code_text(seen)
    if found := STUB_STATEMENT.search(bare) or RAISES_NOT_IMPLEMENTED.search(bare):
        return line_number(
            bare, found.start()
        ), f"is a stub: {printable_text(redact_text(' '.join(found[0].split())), 80)}"
    rest = CONSTRUCTOR.sub("", bare) if seen.kind in SCRIPT_ENDINGS else ""
    if (bodies := len(FUNCTION_BODIES.findall(rest))) and bodies == len(
        EMPTY_FUNCTION_BODIES.findall(rest)
    ):
        return 0, "is a stub: every function in it is empty"
    return _too_little_code(code_line_count(seen), bool(re.search(r"\w", IDLE_CODE.sub("", bare))))


def _too_little_code(count: int, defines: bool) -> tuple[int, str]:
    return (
        (0, "")
        if count >= ENOUGH_LINES or defines
        else (0, f"defines nothing; lines of code: {count}")
    )


def _find_python_stub(tree: ast.Module, count: int) -> tuple[int, str]:
    own, refusals = _functions_and_refusals(tree)
    if refusals:
        return min(refusals)
    if own and all(map(_does_nothing, own)):
        return own[
            0
        ].lineno, f"is a stub: {'every function in it' if len(own) > 1 else own[0].name} is empty"
    return _too_little_code(count, any(map(_defines_something, tree.body)))


def _functions_and_refusals(tree: ast.Module) -> tuple[list[Function], list[tuple[int, str]]]:
    """The functions that must do something themselves, and the statements that refuse to, with their lines."""
    inherited = {
        _last_name(base)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for base in node.bases
    }
    own: list[Function] = []
    refusals: list[tuple[int, str]] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if _is_abstract(node, inherited):
                continue
            if isinstance(node, Function):
                own.append(node)
            if isinstance(node, ast.Raise | ast.Return | ast.Call) and (why := _refusal_text(node)):
                refusals.append((node.lineno, f"is a stub: {why}"))
            waiting.append(node)
    return own, refusals


def _refusal_text(node: ast.Raise | ast.Return | ast.Call) -> str:
    if isinstance(node, ast.Raise) and node.exc and _last_name(node.exc) == "NotImplementedError":
        return "raise NotImplementedError"
    if isinstance(node, ast.Call) and _last_name(node.func) != "print":
        return ""
    for part in ast.walk(node):
        if (
            isinstance(part, ast.Constant)
            and isinstance(part.value, str)
            and STUB_STRINGS[type(node)].search(part.value)
        ):
            return f"{type(node).__name__.lower()} “{printable_text(redact_text(part.value), 60)}”"
    return ""


def _is_abstract(node: ast.AST, inherited: set[str]) -> bool:
    """What others fill in: a protocol, an abstract class or method, a class that others in this file derive from."""
    if isinstance(node, ast.ClassDef):
        above = [
            _last_name(base) for base in (*node.bases, *(word.value for word in node.keywords))
        ]
        return node.name in inherited or any(
            name in ("ABC", "ABCMeta", "Protocol") for name in above
        )
    return isinstance(node, Function) and any(
        _last_name(word) in ("abstractmethod", "overload") for word in node.decorator_list
    )


def _last_name(node: ast.expr) -> str:
    """The last word of `a.b`, `a.b(…)` or `a.b[…]`."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )


def _does_nothing(node: Function) -> bool:
    return all(_is_idle(part) for part in node.body)


def _is_idle(part: ast.stmt) -> bool:
    if isinstance(part, ast.Return):
        return part.value is None or (
            isinstance(part.value, ast.Constant) and part.value.value is None
        )
    return isinstance(part, ast.Pass) or (
        isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
    )


def _defines_something(part: ast.stmt) -> bool:
    """Does a statement of a module define or do something? `from a import b` may: it passes on."""
    if isinstance(part, Function):
        return not _does_nothing(part)
    if isinstance(part, ast.ClassDef):
        return bool(part.bases) or not all(map(_is_idle, part.body))
    return not isinstance(part, ast.Import) and not _is_idle(part)
