"""Puts known values in for names, so that two spellings of one assertion have the same text."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from typing import Any

from ... import lazy_re as re
from .python_nodes import names_in, parts_of
from .python_text import source_text

MAX_LETTERS = 2000  # of an expression that is put in for a name
FUNCTION_OF_METHOD = {
    "__repr__": "repr",
    "__str__": "str",
    "__len__": "len",
    "__hash__": "hash",
    "__iter__": "iter",
    "__bool__": "bool",
}
FORMAT_FIELD = re.compile(r"(?:[^{}]|\{\{|\}\}|\{(?:![rsa])?\})*")  # nothing that can fail or grow
OWNERS = frozenset(("self", "cls", "datetime", "decimal", "request"))

Function = ast.FunctionDef | ast.AsyncFunctionDef
Functions = Mapping[str, Function]
Values = dict[str, ast.expr]
MUTABLE = ast.List | ast.Dict | ast.Set


def substitute_names(node: Any, values: Values) -> Any:
    """The node with the values of names put in. `self.x` and `await x` become x.

    What does not change is not copied, so that its text needs to be written only once.
    """
    if isinstance(node, ast.Name):
        is_read = isinstance(getattr(node, "ctx", None), ast.Load)
        return values.get(node.id, node) if is_read else node
    if isinstance(node, ast.Constant) or not isinstance(node, ast.AST):
        return node
    if isinstance(node, ast.expr):
        if names_in(node).isdisjoint(values) and not _has_own_form(node):
            return node
        own_form = _own_form(node, values)
        if own_form is not None:
            return own_form
    return _substitute_in_fields(node, values)


def _own_form(node: ast.expr, values: Values) -> ast.expr | None:
    """The expression as we spell it, with the values put in; None if it is spelled as usual."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant() as key) if isinstance(
            mapping := values.get(name), ast.Dict
        ):
            return _value_of_key(mapping, key) or node
        case ast.Await(value=inner):
            return _substitute_names(inner, values)
        case ast.Call(func=ast.Attribute(value=inner, attr=method), args=[], keywords=[]) if (
            method in FUNCTION_OF_METHOD
        ):
            function = ast.Name(FUNCTION_OF_METHOD[method], ast.Load())
            return ast.Call(function, [_substitute_names(inner, values)], [])
        case ast.JoinedStr():
            return formatted_text(node, values)
        case ast.Call(keywords=keywords) if any(map(_is_spread, keywords)):
            return _substitute_names(_tidy_call(node), values)
        case ast.Attribute(value=ast.Name(id=owner)) if owner in OWNERS:
            return values.get(source_text(node).replace("cls.", "self."), ast.Name(node.attr))
    return None


def _substitute_names(node: ast.expr, values: Values) -> ast.expr:
    known: ast.expr = substitute_names(node, values)
    return known


def _has_own_form(node: ast.AST) -> bool:
    """Is something in it spelled in another way, whatever the values are? It remembers that."""
    has_own_form: bool | None = node.__dict__.get("has_own_form")
    if has_own_form is None:
        match node:
            case ast.Await() | ast.JoinedStr():
                has_own_form = True
            case ast.Call(keywords=keywords) if any(map(_is_spread, keywords)):
                has_own_form = True
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                has_own_form = owner in OWNERS or name in FUNCTION_OF_METHOD
            case ast.Attribute(attr=name) if name in FUNCTION_OF_METHOD:
                has_own_form = True
            case _:
                has_own_form = any(map(_has_own_form, parts_of(node)))
        node.__dict__["has_own_form"] = has_own_form
    return has_own_form


def _substitute_in_fields(node: ast.AST, values: Values) -> ast.AST:
    parts: dict[str, Any] = {}
    for field in node._fields:
        part = getattr(node, field, None)
        if isinstance(part, list):
            new = [substitute_names(one, values) for one in part]
            if any(map(operator.is_not, new, part)):
                parts[field] = new
        elif isinstance(part, ast.AST) and part._fields:
            new_part = substitute_names(part, values)
            if new_part is not part:
                parts[field] = new_part
    if not parts:
        return node
    fresh = type(node)(**{field: getattr(node, field, None) for field in node._fields} | parts)
    if isinstance(node, ast.stmt):
        return ast.copy_location(fresh, node)  # ast.unparse wants to know the line
    return _tidy_call(fresh) if isinstance(fresh, ast.Call) else fresh


def _tidy_call(call: ast.Call) -> ast.expr:
    """`f(**{'a': 1})` as `f(a=1)`, and a text that is put together as this text."""
    if any(map(_is_spread, call.keywords)):
        keywords = [one for keyword in call.keywords for one in _spread_keywords(keyword)]
        call = ast.Call(call.func, call.args, keywords)
    return fold_format_call(call)


def _is_spread(keyword: ast.keyword) -> bool:
    """Is it `**{'a': 1}`, a mapping with names that are written out?"""
    if keyword.arg is not None or not isinstance(keyword.value, ast.Dict):
        return False
    return all(isinstance(getattr(key, "value", None), str) for key in keyword.value.keys)


def _spread_keywords(keyword: ast.keyword) -> list[ast.keyword]:
    if not _is_spread(keyword) or not isinstance(keyword.value, ast.Dict):
        return [keyword]
    pairs = zip(keyword.value.keys, keyword.value.values, strict=True)
    return [ast.keyword(getattr(key, "value", ""), value) for key, value in pairs]


def formatted_text(node: ast.JoinedStr, values: Values) -> ast.expr:
    """An f-string as `'template'.format(…)`, or as the text that it stands for."""
    template, arguments = "", []
    for part in node.values:
        if isinstance(part, ast.Constant):
            template += str(part.value).replace("{", "{{").replace("}", "}}")
            continue
        assert isinstance(part, ast.FormattedValue)
        conversion = f"!{chr(part.conversion)}" if part.conversion > 0 else ""
        spec = f":{source_text(part.format_spec)[2:-1]}" if part.format_spec else ""
        template += f"{{{conversion}{spec}}}"
        arguments.append(substitute_names(part.value, values))
    method = ast.Attribute(ast.Constant(template), "format", ast.Load())
    return fold_format_call(ast.Call(method, arguments, []))


def fold_format_call(call: ast.Call) -> ast.expr:
    """The text of `'{} is {}'.format('a', 1)`, if all values are known and plain."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str() as template), attr="format"),
            args=args,
            keywords=[],
        ) if all(isinstance(arg, ast.Constant) for arg in args):
            if not FORMAT_FIELD.fullmatch(template):
                return call
            return ast.Constant(template.format(*(getattr(arg, "value", "") for arg in args)))
    return call


def loop_values(part: ast.For | ast.AsyncFor, values: Values) -> Values:
    """`for x in items` says of `items[_]` what it says of x."""
    items = substitute_names(part.iter, values)
    if not isinstance(part.target, ast.Name) or len(source_text(items)) >= MAX_LETTERS:
        return values
    element = ast.Subscript(items, ast.Name("_", ast.Load()), ast.Load())
    return values | {part.target.id: element}


def _value_of_key(mapping: ast.Dict, key: ast.Constant) -> ast.expr | None:
    wanted = source_text(key)
    for name, value in zip(mapping.keys, mapping.values, strict=True):
        if name and source_text(name) == wanted:
            return value
    return None


def forget_values(node: ast.AST, values: Values, kind: Any = ast.expr) -> None:
    """Removes the names of a node whose value is of this kind."""
    if not values:
        return
    for name in names_in(node) & values.keys():
        if isinstance(values[name], kind):
            del values[name]


def unpack_target(target: ast.expr, value: ast.expr) -> Values:
    """The names of an assignment target, and the value of each."""
    if isinstance(target, ast.Tuple):
        names, parts = target.elts, getattr(value, "elts", [])
    else:
        names, parts = [target], [value]
    unpacked = {}
    for name, part in zip(names, parts, strict=False):
        unpacked[source_text(name).replace("cls.", "self.")] = part
    return unpacked


def bind_arguments(helper: Function, call: ast.Call, values: Values) -> Values:
    """The parameters of a helper and the values that a call gives them."""
    args = helper.args
    parameters = [arg.arg for arg in (*args.args, *args.kwonlyargs)]
    names = [name for name in parameters if name not in ("self", "cls")]
    defaults = [*args.defaults, *filter(None, args.kw_defaults)]
    bound = dict(zip(reversed(names), reversed(defaults), strict=False))
    for name, value in zip(names[: len(args.args)], call.args, strict=False):
        bound[name] = substitute_names(value, values)
    for keyword in call.keywords:
        if keyword.arg:
            bound[keyword.arg] = substitute_names(keyword.value, values)
    return bound
