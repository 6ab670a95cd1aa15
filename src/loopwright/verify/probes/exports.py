"""The names that a source file offers to those that import it; None where it cannot be told, and then all are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...repo.sources import PYTHON_ENDINGS, SourceFile, code_text, parse_python

MAX_EXPORTS, MAX_STATEMENT = (
    5_000,
    2_000,
)  # more than that is generated; letters of one declaration that are looked at
EXPORT = r"(?<![\w$.])export\b\s*+"
DEFAULT_EXPORT = re.compile(rf"{EXPORT}default\b")
NAMED_EXPORT = re.compile(
    rf"{EXPORT}(?:declare\s++)?(?:abstract\s++)?(?:async\s++)?(?:opaque\s++)?"
    r"(?:function\b\s*+\*?|class\b|const\s++enum\b|enum\b|interface\b|type\b|namespace\b|module\b)\s*+([\w$]++)"
)
LISTED_EXPORT = re.compile(rf"{EXPORT}(?:type\b\s*+)?\{{([^{{}}]*+)\}}")
STAR_EXPORT = re.compile(rf"{EXPORT}(?:type\b\s*+)?\*(?:\s*+as\s++([\w$]++))?")
VARIABLE_EXPORT = re.compile(rf"{EXPORT}(?:declare\s++)?(?:const(?!\s++enum\b)|let|var)\s++")
COMMONJS = re.compile(r"(?<![\w$.])(?:module\.)?exports\b")  # as Node's older modules do it
COMMONJS_MEMBER = re.compile(r"(?<![\w$.])(?:module\.)?exports\.([\w$]++)\s*+=(?!=)")
COMMONJS_OBJECT = re.compile(r"(?<![\w$.])module\.exports\s*+=\s*+\{([^{}]*+)\}")
COMMONJS_DYNAMIC = re.compile(
    r"(?<![\w$.])(?:module\.)?exports\s*+(?:\[|=(?!=))|defineProperty\s*+\(\s*+exports|__exportStar"
)
EXPORT_ASSIGNMENT = re.compile(rf"{EXPORT}=")  # as TypeScript calls the same
LISTED_NAME = re.compile(r"\s*+(?:type\s++(?!as\b))?([\w$]++)(?:\s++as\s++([\w$]++))?")
DECLARATION_BREAK = re.compile(
    r"[(){}\[\];,]|\n(?=\s*+(?:export|import|const|let|var|function|class|type|interface|enum|async|@|$))"
)
NEXT_DECLARATOR = re.compile(r"\s*+([\w$]++)\s*+(?::[^=;,]{0,200})?=(?![=>])")


def exported_names(seen: SourceFile) -> frozenset[str] | None:
    if seen.kind in PYTHON_ENDINGS:
        return _python_exports(seen.text)
    return _script_exports(seen) if seen.kind not in ("", ".vue", ".svelte") else None


def listed_names(listed: str, last: bool = False) -> tuple[str, ...]:
    """The names in `a, type b as c`: those on the other side, or with `last` those on this one."""
    found = (LISTED_NAME.match(part) for part in listed.split(","))
    return tuple((one[2] if last and one[2] else one[1]) for one in found if one)


def _script_exports(seen: SourceFile) -> frozenset[str] | None:
    text = code_text(seen, strings=False)
    if EXPORT_ASSIGNMENT.search(text) or text.count("export") > MAX_EXPORTS:
        return None
    if COMMONJS.search(text):
        return _commonjs_exports(text)
    stars = [star[1] for star in STAR_EXPORT.finditer(text)]
    if None in stars:
        return None
    names = {*stars, *(one[1] for one in NAMED_EXPORT.finditer(text))}
    names |= {
        name for one in LISTED_EXPORT.finditer(text) for name in listed_names(one[1], last=True)
    }
    names |= {
        name for one in VARIABLE_EXPORT.finditer(text) for name in _declared_names(text, one.end())
    }
    return frozenset({*names, "default"} if DEFAULT_EXPORT.search(text) else names)


def _commonjs_exports(text: str) -> frozenset[str] | None:
    objects = COMMONJS_OBJECT.findall(text)
    spread = any("..." in listed for listed in objects)
    if (
        spread
        or COMMONJS_DYNAMIC.search(COMMONJS_OBJECT.sub("", text))
        or re.search(rf"{EXPORT}[\w*{{]", text)
    ):
        return None
    return frozenset(
        {
            "default",
            *COMMONJS_MEMBER.findall(text),
            *(name for listed in objects for name in listed_names(listed)),
        }
    )


def _declared_names(text: str, start: int) -> Iterator[str]:
    """The names of `a = 1, b = f(x, y)`. Of a pattern such as `{ a, b: c }` every word is one."""
    if text[start : start + 1] in ("{", "["):
        yield from re.findall(r"[\w$]+", text[start : start + MAX_STATEMENT].partition("=")[0])
        return
    if first := re.compile(r"[\w$]++").match(text, start):
        yield first[0]
    depth = 0
    for sign in DECLARATION_BREAK.finditer(text, start, start + MAX_STATEMENT):
        depth += (sign[0] in "({[") - (sign[0] in ")}]")
        if depth < 0 or (depth == 0 and sign[0] in (";", "\n")):
            return
        if depth == 0 and sign[0] == "," and (another := NEXT_DECLARATOR.match(text, sign.end())):
            yield another[1]


def _python_exports(text: str) -> frozenset[str] | None:
    tree = parse_python(text)
    if not tree:
        return None
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        names |= set(_bound_names(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue  # what is bound inside stays inside
        waiting += ast.iter_child_nodes(node)
    names |= {
        name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names
    }
    made = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    beyond = "*" in names or "__getattr__" in names or made & {"globals", "vars", "exec", "setattr"}
    return None if beyond else frozenset(names)


def _bound_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
