"""Is a file that the plan creates a stub? Comments, raised errors and empty bodies tell."""

from __future__ import annotations

import ast
import posixpath

from ... import lazy_re as re
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

ENOUGH_LINES = 10  # of code; a shorter file must define or do something
EMPTY_IS_FINE = ("__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll")
# Files whose tools also read JSON with comments.
JSON_WITH_COMMENTS = re.compile(
    r"(?:^|/)(?:[tj]sconfig[^/]*|\.eslintrc|\.?devcontainer|deno)\.json$|(?:^|/)\.vscode/"
)
STUB_COMMENT = re.compile(
    r"\b(?:TODO|FIXME)\b"
    r"|^\W*XXX\b\W*(?:$|(?i:implement|finish|fill|later|stub))"
    r"|(?i:^\W*placeholder\b"
    r"(?! (?:text|attribute|prop|image|value|of|in|for (?:the|an?) (?:input|field)))"
    r"|\bplaceholder (?:implementation|component|function|module|code|until|for now)\b"
    r"|\bis (?:just |only )?a placeholder\b"
    r"|\bnot (?:yet )?implemented(?: yet| here)?\W*$)",
    re.M,
)
STUB_WORDS = r"(?:\bnot (?:yet )?implemented\b|\bunimplemented\b|(?<=[\"'`])(?-i:TODO)\b)"
STUB_STATEMENT = re.compile(
    r"\b(?:throw|raise|panic|fatalError)\b(?!\s{1,20}NotImplementedError)"
    rf"[^\n;]{{0,80}}?[\"'`][^\"'`\n]{{0,60}}?{STUB_WORDS}"
    r"|\b(?:return|print(?:ln)?|console\.\w+)\b"
    r"[^\n;\"'`]{0,80}[\"'`][^\"'`\n]{0,60}?\bnot (?:yet )?implemented\b"
    r"|\breturn\s{0,20}\(?\s{0,20}[\"'`]placeholder\b[^\"'`\n]{0,40}[\"'`]"
    r"|\b(?:todo|unimplemented)!\s{0,9}[(\[{]|\bthrow\s{1,20}(?:new\s{1,20})?NotImplemented\w*"
    r"|>[\w \t]{0,40}\b(?:placeholder|not (?:yet )?implemented)\s{0,20}</",
    re.I,
)
# Strings in statements of Python that make it a stub.
STUB_STRINGS = {
    ast.Raise: re.compile(
        r"\bnot (?:yet )?implemented\b|\bunimplemented\b|\A\s*(?-i:TODO)\b", re.I
    ),
    ast.Return: re.compile(r"\bnot (?:yet )?implemented\b|\A\s*placeholder\b", re.I),
    ast.Call: re.compile(r"\bnot (?:yet )?implemented\b", re.I),
}
RAISES_NOT_IMPLEMENTED = re.compile(r"\braise\s{1,20}NotImplementedError\b")
# JavaScript: every function body, and the empty ones. A constructor is left out, because it may do
# its work in its parameters.
CONSTRUCTOR = re.compile(r"\bconstructor\s*+\([^()]*+\)\s*+\{\s*+\}")
FUNCTION_HEAD = r"(?:\)[^(){};=]{0,200}|=>\s{0,50})"
FUNCTION_BODIES = re.compile(rf"{FUNCTION_HEAD}\{{|=>\s{{0,50}}[^\s{{]")
EMPTY_FUNCTION_BODIES = re.compile(
    rf"{FUNCTION_HEAD}\{{\s*+(?:return(?:\s+(?:null|undefined|<></>))?\s*+;?)?\s*+\}}"
    r"|=>\s{0,50}(?:null|undefined)\b"
)
# Code that a file may have and still define nothing.
IDLE_CODE = re.compile(
    r"\b(?:class|interface|struct|enum|trait|namespace|object)\s{1,20}\w{1,80}\s*+\{\s*+\}"
    r"|\bexport\s{1,20}\{\s*+\}|\bmodule\.exports\s*+=\s*+\{\s*+\}|^\s*+[\"']use \w{1,20}[\"']"
    r"|^[ \t]*+(?:import|package|using|use|mod|#\s*include|require)\b[^\n]*"
    r"|\b(?:export|default|public|pub|abstract|final|static)\b",
    re.M,
)

ABSTRACT_CLASSES = ("ABC", "ABCMeta", "Protocol")
ABSTRACT_DECORATORS = ("abstractmethod", "overload")

Function = ast.FunctionDef | ast.AsyncFunctionDef
StubResult = tuple[int, str]  # the line, 0 for the whole file, and the reason
NO_STUB: StubResult = (0, "")


def stub_reason(source: SourceFile) -> str:
    """Why the file is a stub, with the line if there is one; "" where it is not."""
    path, name = printable_text(source.path), posixpath.basename(source.path)
    if not source.text.strip():
        return "" if name in EMPTY_IS_FINE or source.size > MAX_BYTES else f"{path} is empty"
    if source.kind == ".json":
        is_plain = source.size <= MAX_BYTES and not JSON_WITH_COMMENTS.search(source.path)
        return _json_problem(source) if is_plain else ""
    if source.kind not in CODE_ENDINGS:
        return ""
    line, reason = _find_stub(source)
    if not reason:
        return ""
    if not line:
        return "" if name in EMPTY_IS_FINE else f"{path} {reason}"  # it may have comments only
    return f"{path}:{line} {reason}"


def code_line_count(source: SourceFile) -> int:
    """How many lines are neither blank nor comment."""
    return sum(bool(line.strip()) for line in code_text(source).split("\n"))


def _json_problem(source: SourceFile) -> str:
    """Why the text is not JSON; "" where it is."""
    try:
        loads(source.text)
    except JSONError as error:
        return f"{printable_text(source.path)} is {printable_text(str(error))}"
    return ""


def _find_stub(source: SourceFile) -> StubResult:
    """The first sign that the code is a stub, the surest signs first."""
    if result := _find_stub_comment(source):
        return result
    tree = parse_python(source.text) if source.kind in PYTHON_ENDINGS else None
    if tree:
        return _find_python_stub(tree, code_line_count(source))
    code = code_text(source)
    match = STUB_STATEMENT.search(code) or RAISES_NOT_IMPLEMENTED.search(code)
    if match:
        statement = " ".join(match[0].split())
        return line_number(code, match.start()), f"is a stub: {_quoted_code(statement)}"
    if source.kind in SCRIPT_ENDINGS and _has_only_empty_functions(code):
        return 0, "is a stub: every function in it is empty"
    defines_something = bool(re.search(r"\w", IDLE_CODE.sub("", code)))
    return _too_little_code(code_line_count(source), defines_something)


def _find_stub_comment(source: SourceFile) -> StubResult | None:
    for start, comment in comments(source):
        if match := STUB_COMMENT.search(comment):
            line_start = comment.rfind("\n", 0, match.end()) + 1
            words = comment[line_start:].partition("\n")[0].strip()
            line = line_number(source.text, start + match.start())
            return line, f"is a stub: {_quoted_code(words)}"
    return None


def _quoted_code(text: str) -> str:
    return printable_text(redact_text(text), 80)


def _has_only_empty_functions(code: str) -> bool:
    """Whether JavaScript has functions and all of them are empty."""
    code = CONSTRUCTOR.sub("", code)
    count = len(FUNCTION_BODIES.findall(code))
    return count > 0 and count == len(EMPTY_FUNCTION_BODIES.findall(code))


def _too_little_code(line_count: int, defines_something: bool) -> StubResult:
    if line_count >= ENOUGH_LINES or defines_something:
        return NO_STUB
    return 0, f"defines nothing; lines of code: {line_count}"


def _find_python_stub(tree: ast.Module, line_count: int) -> StubResult:
    """The same for Python: refusals first, then empty functions, then too little code."""
    functions, refusals = _functions_and_refusals(tree)
    if refusals:
        return min(refusals)
    if functions and all(map(_does_nothing, functions)):
        name = "every function in it" if len(functions) > 1 else functions[0].name
        return functions[0].lineno, f"is a stub: {name} is empty"
    return _too_little_code(line_count, any(map(_defines_something, tree.body)))


def _functions_and_refusals(tree: ast.Module) -> tuple[list[Function], list[StubResult]]:
    """The functions that must do something, and the statements that say they do not, with lines."""
    inherited: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            inherited.update(map(_last_name, node.bases))
    functions: list[Function] = []
    refusals: list[StubResult] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if _is_abstract(node, inherited):
                continue
            if isinstance(node, Function):
                functions.append(node)
            if isinstance(node, ast.Raise | ast.Return | ast.Call) and (why := _refusal_text(node)):
                refusals.append((node.lineno, f"is a stub: {why}"))
            waiting.append(node)
    return functions, refusals


def _refusal_text(node: ast.Raise | ast.Return | ast.Call) -> str:
    """The statement in words if it says that something is not implemented; "" otherwise."""
    if isinstance(node, ast.Raise) and node.exc and _last_name(node.exc) == "NotImplementedError":
        return "raise NotImplementedError"
    if isinstance(node, ast.Call) and _last_name(node.func) != "print":
        return ""
    pattern = STUB_STRINGS[type(node)]
    for part in ast.walk(node):
        match part:
            case ast.Constant(value=str(text)) if pattern.search(text):
                return f"{type(node).__name__.lower()} “{printable_text(redact_text(text), 60)}”"
    return ""


def _is_abstract(node: ast.AST, inherited: set[str]) -> bool:
    """Whether other code fills it in: an abstract class or method, or a base class in this file."""
    if isinstance(node, ast.ClassDef):
        parents = (*node.bases, *(keyword.value for keyword in node.keywords))
        is_abstract = any(_last_name(parent) in ABSTRACT_CLASSES for parent in parents)
        return is_abstract or node.name in inherited
    if isinstance(node, Function):
        return any(_last_name(word) in ABSTRACT_DECORATORS for word in node.decorator_list)
    return False


def _last_name(node: ast.expr) -> str:
    """The last word of `a.b`, `a.b(…)` or `a.b[…]`."""
    match node:
        case ast.Call(func=inner) | ast.Subscript(value=inner):
            return _last_name(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _does_nothing(function: Function) -> bool:
    return all(map(_is_idle, function.body))


def _is_idle(statement: ast.stmt) -> bool:
    """Whether a statement has no effect: pass, a constant, or a return of nothing."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Return(value=None | ast.Constant(value=None)):
            return True
    return False


def _defines_something(statement: ast.stmt) -> bool:
    """Whether a statement of a module defines or does something; `from a import b` re-exports."""
    if isinstance(statement, Function):
        return not _does_nothing(statement)
    if isinstance(statement, ast.ClassDef):
        return bool(statement.bases) or not all(map(_is_idle, statement.body))
    return not isinstance(statement, ast.Import) and not _is_idle(statement)
