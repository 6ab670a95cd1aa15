"""What is written out in Python code: values, conditions, and the rows of tables."""

from __future__ import annotations

import ast

from .python_text import last_name, source_text

DATE_TYPES = ("date", "datetime", "timedelta")
ANY_PATTERN = ("''", "'.*'", "'.+'", "'.'")  # every text matches
NO_LITERAL = ast.Name | ast.Attribute | ast.Subscript | ast.Compare
MAX_RANGE = 50  # of a loop whose rounds are read one by one
UNKNOWN = object()


def literal_value(node: ast.AST | None) -> object:
    """The value of a literal, or UNKNOWN."""
    if not isinstance(node, ast.expr) or isinstance(node, NO_LITERAL):
        return UNKNOWN
    if "literal_value" not in node.__dict__:
        # Of a call, the text may be a literal: `'a'.encode()` is written as `b'a'`.
        given = source_text(node) if isinstance(node, ast.Call) else node
        try:
            value = ast.literal_eval(given)
        except (ValueError, TypeError, SyntaxError):
            value = UNKNOWN
        node.__dict__["literal_value"] = value
    return node.__dict__["literal_value"]


def constant_truth(node: ast.AST | None) -> bool | None:
    """Whether a condition always holds (True), never holds (False), or depends (None)."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = constant_truth(node.operand)
        return None if inner is None else not inner
    value = literal_value(node)
    return None if value is UNKNOWN else bool(value)


def literal_number(node: ast.AST | None) -> float | None:
    value = literal_value(node)
    if isinstance(value, int | float) and abs(value) < 1e300:
        return float(value)
    return None


def is_literal(node: ast.AST) -> bool:
    """Is the value written out? Decimal("1.5") and Point(1, 2) are literals too."""
    name = last_name(node).lstrip("_")
    if isinstance(node, ast.Call) and (name[:1].isupper() or name in DATE_TYPES):
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        return all(map(is_literal, arguments))
    return literal_value(node) is not UNKNOWN


def literal_rows(node: ast.AST | None) -> list[ast.expr] | None:
    """The elements that a loop or a table runs through, if they are written out."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _rows_of_function(node)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return getattr(node, "elts", None)
    mapping = node.func.value
    if not isinstance(mapping, ast.Dict):
        return None
    if node.func.attr == "values":
        return mapping.values
    pairs = zip(mapping.keys, mapping.values, strict=True)
    return [ast.Tuple([key, value], ast.Load()) for key, value in pairs if key]


def _rows_of_function(call: ast.Call) -> list[ast.expr] | None:
    """The rows of range(…), enumerate(…), zip(…), list(…) and the like."""
    name = last_name(call)
    if name == "range":
        numbers = [literal_number(arg) for arg in call.args]
        if not numbers or None in numbers:
            return None
        values = range(*(int(number or 0) for number in numbers))
        return [ast.Constant(value) for value in values] if len(values) <= MAX_RANGE else None
    tables = [literal_rows(arg) for arg in call.args]
    known = [table for table in tables if table is not None]
    if not known or len(known) < len(tables):
        return None
    if name in ("list", "tuple", "set", "sorted", "reversed", "iter"):
        return known[0]
    if name == "enumerate":
        known = [[ast.Constant(number) for number in range(len(known[0]))], known[0]]
    elif name != "zip":
        return None
    return [ast.Tuple([*row], ast.Load()) for row in zip(*known, strict=False)]
