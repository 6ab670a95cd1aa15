"""The names that a source file exports to the files that import it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ... import lazy_re as re
from ...checks.imports import listed_names
from ...repo.sources import PYTHON_ENDINGS, SourceFile, code_text, parse_python

MAX_EXPORTS = 5_000  # a file with more is generated
MAX_STATEMENT = 2_000  # characters of one declaration
EXPORT = r"(?<![\w$.])export\b\s*+"
ANY_EXPORT = re.compile(rf"{EXPORT}[\w*{{]")
DEFAULT_EXPORT = re.compile(rf"{EXPORT}default\b")
NAMED_EXPORT = re.compile(
    rf"{EXPORT}(?:declare\s++)?(?:abstract\s++)?(?:async\s++)?(?:opaque\s++)?"
    r"(?:function\b\s*+\*?|class\b|const\s++enum\b|enum\b|interface\b|type\b|namespace\b|module\b)"
    r"\s*+([\w$]++)"
)
LISTED_EXPORT = re.compile(rf"{EXPORT}(?:type\b\s*+)?\{{([^{{}}]*+)\}}")
STAR_EXPORT = re.compile(rf"{EXPORT}(?:type\b\s*+)?\*(?:\s*+as\s++([\w$]++))?")
VARIABLE_EXPORT = re.compile(rf"{EXPORT}(?:declare\s++)?(?:const(?!\s++enum\b)|let|var)\s++")
COMMONJS = re.compile(r"(?<![\w$.])(?:module\.)?exports\b")  # the older modules of Node
COMMONJS_MEMBER = re.compile(r"(?<![\w$.])(?:module\.)?exports\.([\w$]++)\s*+=(?!=)")
COMMONJS_OBJECT = re.compile(r"(?<![\w$.])module\.exports\s*+=\s*+\{([^{}]*+)\}")
COMMONJS_DYNAMIC = re.compile(
    r"(?<![\w$.])(?:module\.)?exports\s*+(?:\[|=(?!=))|defineProperty\s*+\(\s*+exports|__exportStar"
)
EXPORT_ASSIGNMENT = re.compile(rf"{EXPORT}=")  # TypeScript's name for the same
DECLARATION_BREAK = re.compile(
    r"[(){}\[\];,]"
    r"|\n(?=\s*+(?:export|import|const|let|var|function|class|type|interface|enum|async|@|$))"
)
FIRST_DECLARATOR = re.compile(r"[\w$]++")
NEXT_DECLARATOR = re.compile(r"\s*+([\w$]++)\s*+(?::[^=;,]{0,200})?=(?![=>])")
# Calls that can create names at run time.
NAME_MAKERS = ("globals", "vars", "exec", "setattr")
# The field of each node that has the name which it binds.
NAME_FIELDS: dict[type[ast.AST], str] = {
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def exported_names(source: SourceFile) -> frozenset[str] | None:
    """The names that other files can import; None where we cannot know."""
    if source.kind in PYTHON_ENDINGS:
        return _python_exports(source.text)
    if source.kind in ("", ".vue", ".svelte"):
        return None
    return _script_exports(source)


def _script_exports(source: SourceFile) -> frozenset[str] | None:
    """The exports of JavaScript; None where it re-exports another module or is generated."""
    text = code_text(source, strings=False)
    if EXPORT_ASSIGNMENT.search(text) or text.count("export") > MAX_EXPORTS:
        return None
    if COMMONJS.search(text):
        return _commonjs_exports(text)
    names = set(NAMED_EXPORT.findall(text))
    for star in STAR_EXPORT.finditer(text):
        if star[1] is None:  # everything that another module exports
            return None
        names.add(star[1])
    for listed in LISTED_EXPORT.findall(text):
        names.update(listed_names(listed, aliases=True))
    for declaration in VARIABLE_EXPORT.finditer(text):
        names.update(_declared_names(text, declaration.end()))
    if DEFAULT_EXPORT.search(text):
        names.add("default")
    return frozenset(names)


def _commonjs_exports(text: str) -> frozenset[str] | None:
    """The members of `exports`; None where some of them are computed."""
    objects = COMMONJS_OBJECT.findall(text)
    has_spread = "..." in " ".join(objects)
    if has_spread or COMMONJS_DYNAMIC.search(COMMONJS_OBJECT.sub("", text)):
        return None
    if ANY_EXPORT.search(text):  # both kinds of module in one file
        return None
    names = {"default", *COMMONJS_MEMBER.findall(text)}
    for listed in objects:
        names.update(listed_names(listed))
    return frozenset(names)


def _declared_names(text: str, start: int) -> Iterator[str]:
    """The names of `a = 1, b = f(x, y)`; every word of a pattern such as `{ a, b: c }`."""
    if text[start : start + 1] in ("{", "["):
        pattern = text[start : start + MAX_STATEMENT].partition("=")[0]
        yield from re.findall(r"[\w$]+", pattern)
        return
    if first := FIRST_DECLARATOR.match(text, start):
        yield first[0]
    depth = 0
    for match in DECLARATION_BREAK.finditer(text, start, start + MAX_STATEMENT):
        sign = match[0]
        depth += (sign in "({[") - (sign in ")}]")
        if depth < 0 or (depth == 0 and sign in (";", "\n")):
            return
        is_separator = depth == 0 and sign == ","
        if is_separator and (declarator := NEXT_DECLARATOR.match(text, match.end())):
            yield declarator[1]


def _python_exports(text: str) -> frozenset[str] | None:
    """The names of a module; None where it cannot be parsed or makes names at run time."""
    tree = parse_python(text)
    if not tree:
        return None
    names = {*_module_names(tree)} - {""}
    called: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Global(names=global_names):
                names.update(global_names)
            case ast.Call(func=ast.Name(id=function)):
                called.add(function)
    if not names.isdisjoint(("*", "__getattr__")) or not called.isdisjoint(NAME_MAKERS):
        return None
    return frozenset(names)


def _module_names(tree: ast.Module) -> Iterator[str]:
    """The names that a module binds, without those inside functions and classes."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield _bound_name(node)
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def _bound_name(node: ast.AST) -> str:
    """The name that this node itself binds; "" where it binds none."""
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Store) else ""
    if isinstance(node, ast.alias):
        return (node.asname or node.name).partition(".")[0]
    return getattr(node, NAME_FIELDS.get(type(node), ""), None) or ""
