"""The names that a source file offers to those that import it; None where it cannot be told, and then all are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .sources import PYTHON, Seen, code, parsed

MOST_EXPORTS, MOST_STATEMENT = 5_000, 2_000  # more than that is generated; letters of one declaration that are looked at
EXPORT = r"(?<![\w$.])export\b\s*+"
DEFAULT = re.compile(rf"{EXPORT}default\b")
NAMED = re.compile(
    rf"{EXPORT}(?:declare\s++)?(?:abstract\s++)?(?:async\s++)?(?:opaque\s++)?"
    r"(?:function\b\s*+\*?|class\b|const\s++enum\b|enum\b|interface\b|type\b|namespace\b|module\b)\s*+([\w$]++)"
)
LISTED = re.compile(rf"{EXPORT}(?:type\b\s*+)?\{{([^{{}}]*+)\}}")
STARS = re.compile(rf"{EXPORT}(?:type\b\s*+)?\*(?:\s*+as\s++([\w$]++))?")
VARIABLES = re.compile(rf"{EXPORT}(?:declare\s++)?(?:const(?!\s++enum\b)|let|var)\s++")
COMMON = re.compile(r"(?<![\w$.])(?:module\.)?exports\b")  # as Node's older modules do it
ONE = re.compile(r"(?<![\w$.])(?:module\.)?exports\.([\w$]++)\s*+=(?!=)")
OBJECT = re.compile(r"(?<![\w$.])module\.exports\s*+=\s*+\{([^{}]*+)\}")
BEYOND = re.compile(r"(?<![\w$.])(?:module\.)?exports\s*+(?:\[|=(?!=))|defineProperty\s*+\(\s*+exports|__exportStar")
WHOLE = re.compile(rf"{EXPORT}=")  # as TypeScript calls the same
WORD = re.compile(r"\s*+(?:type\s++(?!as\b))?([\w$]++)(?:\s++as\s++([\w$]++))?")
NEXT = re.compile(r"[(){}\[\];,]|\n(?=\s*+(?:export|import|const|let|var|function|class|type|interface|enum|async|@|$))")
ANOTHER = re.compile(r"\s*+([\w$]++)\s*+(?::[^=;,]{0,200})?=(?![=>])")


def offered(seen: Seen) -> frozenset[str] | None:
    if seen.kind in PYTHON:
        return _of_python(seen.text)
    return _of_script(seen) if seen.kind not in ("", ".vue", ".svelte") else None


def words(listed: str, last: bool = False) -> tuple[str, ...]:
    """The names in `a, type b as c`: those on the other side, or with `last` those on this one."""
    found = (WORD.match(part) for part in listed.split(","))
    return tuple((one[2] if last and one[2] else one[1]) for one in found if one)


def _of_script(seen: Seen) -> frozenset[str] | None:
    text = code(seen, strings=False)
    if WHOLE.search(text) or text.count("export") > MOST_EXPORTS:
        return None
    if COMMON.search(text):
        return _of_node(text)
    stars = [star[1] for star in STARS.finditer(text)]
    if None in stars:
        return None
    names = {*stars, *(one[1] for one in NAMED.finditer(text))}
    names |= {name for one in LISTED.finditer(text) for name in words(one[1], last=True)}
    names |= {name for one in VARIABLES.finditer(text) for name in _declared(text, one.end())}
    return frozenset({*names, "default"} if DEFAULT.search(text) else names)


def _of_node(text: str) -> frozenset[str] | None:
    objects = OBJECT.findall(text)
    spread = any("..." in listed for listed in objects)
    if spread or BEYOND.search(OBJECT.sub("", text)) or re.search(rf"{EXPORT}[\w*{{]", text):
        return None
    return frozenset({"default", *ONE.findall(text), *(name for listed in objects for name in words(listed))})


def _declared(text: str, start: int) -> Iterator[str]:
    """The names of `a = 1, b = f(x, y)`. Of a pattern such as `{ a, b: c }` every word is one."""
    if text[start : start + 1] in ("{", "["):
        yield from re.findall(r"[\w$]+", text[start : start + MOST_STATEMENT].partition("=")[0])
        return
    if first := re.compile(r"[\w$]++").match(text, start):
        yield first[0]
    depth = 0
    for sign in NEXT.finditer(text, start, start + MOST_STATEMENT):
        depth += (sign[0] in "({[") - (sign[0] in ")}]")
        if depth < 0 or (depth == 0 and sign[0] in (";", "\n")):
            return
        if depth == 0 and sign[0] == "," and (another := ANOTHER.match(text, sign.end())):
            yield another[1]


def _of_python(text: str) -> frozenset[str] | None:
    tree = parsed(text)
    if not tree:
        return None
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        names |= set(_bound(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue  # what is bound inside stays inside
        waiting += ast.iter_child_nodes(node)
    names |= {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    made = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    beyond = "*" in names or "__getattr__" in names or made & {"globals", "vars", "exec", "setattr"}
    return None if beyond else frozenset(names)


def _bound(node: ast.AST) -> Iterator[str]:
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
