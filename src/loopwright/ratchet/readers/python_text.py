"""What a Python node says: its code on one line, which nodes remember.

Nodes never change, and a node that is put together from others shares them. So the text of a node
is joined from the texts of its parts, as `ast.unparse` would write it, but much faster.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ... import lazy_re as re
from .python_nodes import names_in

OPERATORS = {
    "Eq": "==",
    "NotEq": "!=",
    "Is": "is",
    "IsNot": "is not",
    "In": "in",
    "NotIn": "not in",
    "Lt": "<",
    "LtE": "<=",
    "Gt": ">",
    "GtE": ">=",
}
ARITHMETIC = {
    "Add": "+",
    "Sub": "-",
    "Mult": "*",
    "Div": "/",
    "FloorDiv": "//",
    "Mod": "%",
    "Pow": "**",
    "BitOr": "|",
    "BitAnd": "&",
}
SIGNS = {"Not": "not ", "USub": "-", "UAdd": "+", "Invert": "~"}
# They never need brackets, whatever they are a part of.
ATOMS = (
    ast.Name
    | ast.Attribute
    | ast.Call
    | ast.Subscript
    | ast.List
    | ast.Dict
    | ast.Set
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
)
TARGETS = ast.Name | ast.Attribute | ast.Subscript
COLLECTING = ("sorted", "set", "frozenset", "tuple")  # they need no list of what they collect
CONSUMING = (*COLLECTING, "any", "all", "sum", "min", "max", "dict", "join")
CONVERSIONS = {"int": int, "str": str, "float": float, "bool": bool}
EMPTY_COLLECTIONS = {"list": "[]", "dict": "{}", "tuple": "()"}
PERCENT_FIELD = re.compile("%[sr]")
ENCODINGS = ("ascii", "utf-8", "utf8", "latin-1", "latin1")  # the same for letters of ASCII


def source_text(node: ast.AST) -> str:
    """The code of a node on one line."""
    text: str | None = node.__dict__.get("source_text")
    if text is None:
        write = WRITERS.get(type(node))
        text = write(node) if write else None
        if text is None:
            text = " ".join(ast.unparse(node).split("\n"))
        node.__dict__["source_text"] = text
    return text


def last_name(node: ast.AST | None) -> str:
    """The last word of the name, or of the name of the function that is called."""
    return last_word(node.func if isinstance(node, ast.Call) else node)


def last_word(node: ast.AST | None) -> str:
    """The last word of a name: `c` of `a.b.c`; "" of anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


# Each writes one kind of node; None: it has a part that may need brackets.


def _write_name(node: ast.Name) -> str:
    return node.id


def _write_constant(node: ast.Constant) -> str | None:
    is_plain = isinstance(node.value, str | bytes | int) or node.value is None
    return repr(node.value) if is_plain else None


def _write_attribute(node: ast.Attribute) -> str | None:
    return f"{source_text(node.value)}.{node.attr}" if _is_atom(node.value) else None


def _write_call(node: ast.Call) -> str | None:
    if not node.keywords and (text := _write_other_spelling(node)):
        return text
    if node.keywords and not node.args and last_word(node.func) == "dict":
        pairs = [f"{k.arg!r}: {source_text(k.value)}" for k in node.keywords if k.arg]
        if len(pairs) == len(node.keywords):
            return f"{{{', '.join(pairs)}}}"
    if not isinstance(node.func, ATOMS):
        return None
    arguments = [source_text(arg) for arg in node.args]
    for keyword in node.keywords:
        start = f"{keyword.arg}=" if keyword.arg else "**"
        arguments.append(f"{start}{source_text(keyword.value)}")
    return f"{source_text(node.func)}({', '.join(arguments)})"


# One text for calls that give the same, however they are written.


def _write_other_spelling(node: ast.Call) -> str | None:
    return _write_value(node) or _write_collection(node) or _write_consumed(node)


def _write_value(node: ast.Call) -> str | None:
    """A text or number that is known: `int(1)`, `'a'.encode()`, `', '.join(['a', 'b'])`."""
    match node.func, node.args:
        case ast.Name(name), [ast.Constant(value)] if type(value) is CONVERSIONS.get(name):
            return source_text(node.args[0])
        case ast.Attribute(ast.Constant(str() as text), attr="join"), [ast.List(parts)]:
            words = [part.value for part in parts if isinstance(part, ast.Constant)]
            if len(words) == len(parts):
                return repr(text.join(map(str, words)))
        case ast.Attribute(ast.Constant(str() as text), attr="encode"), names:
            is_known = all(str(getattr(name, "value", "")).lower() in ENCODINGS for name in names)
            if is_known and text.isascii():
                return repr(text.encode())
    return None


def _write_collection(node: ast.Call) -> str | None:
    """What has a form of its own: `set([1])` is `{1}`, `dict([(1, 2)])` is `{1: 2}`."""
    match node.func, node.args:
        case ast.Name(name), [] if name in EMPTY_COLLECTIONS:
            return EMPTY_COLLECTIONS[name]
        case ast.Name("set"), [ast.List([_, *_] as parts) | ast.Tuple([_, *_] as parts)]:
            return f"{{{', '.join(map(source_text, parts))}}}"
        case ast.Name("tuple"), [ast.List([_, *_] as parts)]:
            return source_text(ast.Tuple(parts))
        case ast.Name("dict"), [ast.List([_, *_] as pairs)]:
            parts = [part for pair in pairs for part in getattr(pair, "elts", ())]
            if all(len(getattr(pair, "elts", ())) == 2 for pair in pairs):
                return source_text(ast.Dict([*parts[::2]], parts[1::2]))
    return None


def _write_consumed(node: ast.Call) -> str | None:
    """A list that is made only to be collected or read once: `sorted([f(x) for x in xs])`."""
    match node.func, node.args:
        case ast.Name("next"), [ast.Call(ast.Name("iter"), [inner], [])]:
            return f"list({source_text(inner)})[0]"
        case ast.Name("list"), [ast.GeneratorExp() as inner]:
            return source_text(ast.ListComp(inner.elt, inner.generators))
        case ast.Name(name), [ast.Call(ast.Name("list"), [inner], [])] if name in COLLECTING:
            return f"{name}({source_text(inner)})"
        case ((ast.Name(name) | ast.Attribute(attr=name)), [ast.ListComp(part, loops)]):
            if name in CONSUMING:
                return f"{source_text(node.func)}({source_text(ast.GeneratorExp(part, loops))})"
    return None


def _write_lambda(node: ast.Lambda) -> str | None:
    """`lambda x: f(x)` as `f`."""
    match node:
        case ast.Lambda(
            ast.arguments([], [ast.arg(given)], None, [], [], None, []),
            ast.Call(ast.Name() | ast.Attribute() as function, [ast.Name(passed)], []),
        ) if given == passed and given not in names_in(function):
            return source_text(function)
    return None


def _write_dict_comprehension(node: ast.DictComp) -> str | None:
    """`{x: 0 for x in xs}` as `dict.fromkeys(xs, 0)`."""
    match node:
        case ast.DictComp(
            ast.Name(key),
            ast.Constant() | ast.Name() as value,
            [ast.comprehension(ast.Name(name), keys, [], 0)],
        ) if key == name and key not in names_in(value):
            default = source_text(value)
            end = "" if default == "None" else f", {default}"
            return f"dict.fromkeys({source_text(keys)}{end})"
    return None


def _write_comprehension(node: ast.ListComp) -> str | None:
    """`[x for x in xs]` as `list(xs)`."""
    match node:
        case ast.ListComp(ast.Name(name), [ast.comprehension(ast.Name(target), inner, [], 0)]):
            return f"list({source_text(inner)})" if name == target else None
    return None


def _write_subscript(node: ast.Subscript) -> str | None:
    if not _is_atom(node.value) or isinstance(node.slice, ast.Tuple):
        return None
    return f"{source_text(node.value)}[{source_text(node.slice)}]"


def _write_list(node: ast.List) -> str:
    return f"[{', '.join(map(source_text, node.elts))}]"


def _write_tuple(node: ast.Tuple) -> str:
    comma = "," if len(node.elts) == 1 else ""
    return f"({', '.join(map(source_text, node.elts))}{comma})"


def _write_dict(node: ast.Dict) -> str | None:
    pairs = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            return None
        pairs.append(f"{source_text(key)}: {source_text(value)}")
    return f"{{{', '.join(pairs)}}}"


def _write_compare(node: ast.Compare) -> str | None:
    if not all(map(_binds_tighter, [node.left, *node.comparators])):
        return None
    text = source_text(node.left)
    for op, right in zip(node.ops, node.comparators, strict=True):
        text += f" {OPERATORS[type(op).__name__]} {source_text(right)}"
    return text


def _write_sign(node: ast.UnaryOp) -> str | None:
    sign = SIGNS[type(node.op).__name__]
    return f"{sign}{source_text(node.operand)}" if _is_operand(node.operand) else None


def _write_arithmetic(node: ast.BinOp) -> str | None:
    match node:
        case ast.BinOp(ast.Constant(str() as left), ast.Add(), ast.Constant(str() as right)):
            return repr(left + right)
        case ast.BinOp(ast.Constant(str() as template), ast.Mod(), right):
            if text := _write_formatted(template, right):
                return text
    sign = ARITHMETIC.get(type(node.op).__name__)
    if not sign or not _is_operand(node.left) or not _is_operand(node.right):
        return None
    return f"{source_text(node.left)} {sign} {source_text(node.right)}"


def _write_formatted(template: str, right: ast.expr) -> str | None:
    """`'%s!' % name` as `'{}!'.format(name)`; None if the template has other fields."""
    parts = right.elts if isinstance(right, ast.Tuple) else [right]
    if PERCENT_FIELD.sub("", template).count("%") or isinstance(right, ast.Dict):
        return None
    plain = template.replace("{", "{{").replace("}", "}}")
    for field, new in (("%s", "{}"), ("%r", "{!r}")):
        plain = plain.replace(field, new)
    return f"{plain!r}.format({', '.join(map(source_text, parts))})"


def _write_await(node: ast.Await) -> str | None:
    return f"await {source_text(node.value)}" if _is_atom(node.value) else None


def _write_expression(node: ast.Expr) -> str | None:
    is_simple = _is_atom(node.value) or isinstance(node.value, ast.Await)
    return source_text(node.value) if is_simple else None


def _write_assignment(node: ast.Assign) -> str | None:
    if node.type_comment or not all(isinstance(target, TARGETS) for target in node.targets):
        return None
    targets = [f"{source_text(target)} = " for target in node.targets]
    return "".join([*targets, source_text(node.value)])


def _is_atom(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):  # not a number: `1 .real`
        return isinstance(node.value, str | bytes) or node.value is None
    return isinstance(node, ATOMS)


def _is_operand(node: ast.expr) -> bool:
    return isinstance(node, ATOMS | ast.Constant | ast.Tuple)


def _binds_tighter(node: ast.expr) -> bool:
    """Does it need no brackets in a comparison?"""
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not)
    return _is_operand(node) or isinstance(node, ast.BinOp | ast.Await)


WRITERS: dict[type[ast.AST], Callable[[Any], str | None]] = {
    ast.Name: _write_name,
    ast.Constant: _write_constant,
    ast.Attribute: _write_attribute,
    ast.Call: _write_call,
    ast.Subscript: _write_subscript,
    ast.List: _write_list,
    ast.ListComp: _write_comprehension,
    ast.DictComp: _write_dict_comprehension,
    ast.Lambda: _write_lambda,
    ast.Tuple: _write_tuple,
    ast.Dict: _write_dict,
    ast.Compare: _write_compare,
    ast.UnaryOp: _write_sign,
    ast.BinOp: _write_arithmetic,
    ast.Await: _write_await,
    ast.Expr: _write_expression,
    ast.Assign: _write_assignment,
}
