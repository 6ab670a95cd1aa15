"""What one Python condition asserts, about what and how strongly, spelled the same for all."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ... import lazy_re as re
from .python_literals import (
    ANY_PATTERN,
    UNKNOWN,
    constant_truth,
    is_literal,
    literal_number,
    literal_value,
)
from .python_nodes import calls_in, parts_of
from .python_text import OPERATORS, last_name, source_text
from .python_values import Functions
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion

OPPOSITE = {"==": "!=", "is": "is not", "in": "not in", "<": ">=", ">": "<="}
OPPOSITE |= {other: sign for sign, other in OPPOSITE.items()}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "in": "has", "not in": "has no"}
UNITTEST_OPERATORS = {f"assert{name}": sign for name, sign in OPERATORS.items()} | {
    "assertEqual": "==",
    "assertEquals": "==",
    "assertListEqual": "==",
    "assertDictEqual": "==",
    "assertSetEqual": "==",
    "assertTupleEqual": "==",
    "assertAlmostEqual": "==",
    "assertNotEqual": "!=",
    "assertLess": "<",
    "assertLessEqual": "<=",
    "assertGreater": ">",
    "assertGreaterEqual": ">=",
    "assert_equal": "==",
    "assert_equals": "==",
    "assert_eq": "==",
    "eq_": "==",
    "assert_not_equal": "!=",
}
WEAK_METHODS = {
    "assert_called": LOOSE,
    "assert_any_call": PARTIAL,
    "assertCountEqual": PARTIAL,
}
ASSERTING = re.compile(
    r"assert|raises$|warns$|(?:check|expect|verify|ensure|must|should)(?:_|[A-Z]|$)|fail$"
)
MOCK_ASSERTION = re.compile(r"assert_(?:not_|any_|has_)?(?:call|await)")
TOLERANCE_ARGUMENTS = ("rel", "abs", "rtol", "atol", "rel_tol", "abs_tol", "delta")
# The default of pytest.approx. Floats need it, and it hides nothing.
DEFAULT_TOLERANCE = 1e-6
MAX_EXPONENT = 30.0
# They pass on the whole value of their argument, or only a part of it.
WHOLE_FUNCTIONS = ("list", "tuple", "dict")
PART_FUNCTIONS = ("len", "set", "sorted", "frozenset", "Counter", "type", "round", "int")
CANNOT_FAIL = (
    ast.Constant | ast.Tuple | ast.List | ast.Set | ast.Dict | ast.GeneratorExp | ast.Lambda
)
COMPREHENSION = ast.ListComp | ast.GeneratorExp | ast.SetComp
NAMED_VALUES = ("NotImplemented", "Ellipsis")
REGEX_CALL = re.compile(r"(?:re|regex)\.(?:match|search|fullmatch)")


def condition_assertions(node: ast.expr) -> list[Assertion]:
    """What a condition asserts, one for each operand of `and`. The caller sets the line."""
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            return _assertions_of_all(parts)
        case ast.BoolOp(values=parts):
            options = _assertions_of_all(parts)
            strength = min(PARTIAL, *(option.strength for option in options))
            subject, slack = options[0].subject, float(len(options))
            return [Assertion(source_text(node), 0, strength, subject, slack)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [_negated_assertion(operand)]
        case ast.Compare(
            left=ast.Tuple(elts=lefts), ops=[ast.Eq()], comparators=[ast.Tuple(elts=rights)]
        ):
            pairs = zip(lefts, rights, strict=False)
            return [_comparison_assertion(left, "==", right) for left, right in pairs]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return [_comparison_assertion(left, OPERATORS[type(op).__name__], right)]
        case ast.Compare(left=left, ops=ops, comparators=rights) if not _is_range_test(ops):
            signs = [OPERATORS[type(op).__name__] for op in ops]
            return [*map(_comparison_assertion, [left, *rights], signs, rights)]
        case ast.Call(args=[pattern, inner, *_]) if REGEX_CALL.fullmatch(source_text(node.func)):
            slack = 1.0 if source_text(pattern) in ANY_PATTERN else 0.0
            strength = LOOSE if slack else PARTIAL
            return [Assertion(source_text(node), 0, strength, source_text(inner), slack)]
        case ast.Call(args=[inner]) if last_name(node) in ("bool", "len"):
            return condition_assertions(inner)
        case ast.Call(args=[inner, kinds]) if last_name(node) in ("isinstance", "issubclass"):
            count = float(len(kinds.elts) if isinstance(kinds, ast.Tuple) else 1)
            return [Assertion(source_text(node), 0, LOOSE, source_text(inner), count)]
    text = source_text(node)
    if isinstance(node, CANNOT_FAIL):
        return [Assertion(text, 0, NEVER, text)]
    strength = PARTIAL if isinstance(node, ast.Compare) else LOOSE
    return [Assertion(text, 0, strength, text)]


def _is_range_test(ops: list[ast.cmpop]) -> bool:
    """`1 < x < 3` says one thing; `a == b == c` says two."""
    return any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in ops)


def _assertions_of_all(conditions: list[ast.expr]) -> list[Assertion]:
    return [assertion for part in conditions for assertion in condition_assertions(part)]


def _negated_assertion(operand: ast.expr) -> Assertion:
    match operand:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _comparison_assertion(left, OPPOSITE[OPERATORS[type(op).__name__]], right)
    assertion = condition_assertions(operand)[0]
    strength = EXACT if assertion.strength else NEVER
    return assertion.but(text=f"not {assertion.text}", strength=strength)


def call_assertions(call: ast.Call) -> list[Assertion]:
    """What an asserting call says: of unittest, of a mock, of a library.

    Of a helper in another file we know only that it is called.
    """
    name, args = last_name(call), call.args
    if name in UNITTEST_OPERATORS and len(args) > 1:
        assertion = _comparison_assertion(args[0], UNITTEST_OPERATORS[name], args[1])
        slack = max(assertion.slack, _slack_of_places(call), slack_of(call, args[1]))
        return [assertion.but(slack=slack)]
    if name == "assertTrue" and args:
        return condition_assertions(args[0])
    if name == "assertFalse" and args:
        return condition_assertions(ast.UnaryOp(ast.Not(), args[0]))
    if name == "assertIsInstance" and len(args) > 1:
        return condition_assertions(ast.Call(ast.Name("isinstance"), args[:2], []))
    if name in ("assertIsNone", "assertIsNotNone") and args:
        sign = "is" if name == "assertIsNone" else "is not"
        return [_comparison_assertion(args[0], sign, ast.Constant(None))]
    has_wildcard = any(last_name(part) == "ANY" for part in ast.walk(call))
    assertion = Assertion(
        text=source_text(call),
        line=0,
        strength=PARTIAL if has_wildcard else WEAK_METHODS.get(name, EXACT),
        subject=_subject_of_call(call),
        slack=slack_of(call, args[1]) if len(args) > 1 else 0.0,
    )
    return [assertion]


def _subject_of_call(call: ast.Call) -> str:
    name = last_name(call)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    # `self.` is removed before, so that a method of unittest has no owner either.
    if owner is None and not re.match("assert[A-Z]", name):
        return ""
    if owner and MOCK_ASSERTION.match(name):
        return source_text(owner)
    return source_text(call.args[0] if call.args else call)


def _slack_of_places(call: ast.Call) -> float:
    """The slack that `places` of assertAlmostEqual allows."""
    nodes = [keyword.value for keyword in call.keywords if keyword.arg == "places"]
    nodes = call.args[2:3] or nodes
    places = literal_number(nodes[0]) if nodes else None
    if places is None:
        return 0.0
    return 0.5 * 10 ** -min(max(places, -MAX_EXPONENT), MAX_EXPONENT)


def _comparison_assertion(left: ast.expr, sign: str, right: ast.expr) -> Assertion:
    if last_name(right) == "ANY" and is_literal(left):
        return Assertion(f"{source_text(left)} {sign} {source_text(right)}", 0, NEVER)
    if _is_expected_first(left, right) or last_name(left) == "approx":
        left, right, sign = right, left, MIRRORED.get(sign, sign)
    inner, _ = _inner_subject(left)
    subject = source_text(inner)
    text = f"{source_text(left)} {sign} {source_text(right)}"
    both_literal = literal_value(left) is not UNKNOWN and literal_value(right) is not UNKNOWN
    if both_literal or source_text(left) == source_text(right):
        # Two objects that are made in the same way: it tells whether they compare as equal.
        is_made = isinstance(left, ast.Call) and (is_literal(left) or last_name(left) == "cls")
        return Assertion(text, 0, LOOSE if is_made else NEVER, subject)
    if sign in ("==", "is"):
        return _equality_assertion(left, sign, right, text)
    if sign in ("!=", "is not"):
        return Assertion(text, 0, LOOSE, subject)
    bound = literal_number(right)
    if last_name(left) == "len" and (sign, bound) in ((">", 0.0), (">=", 1.0)):
        return Assertion(subject, 0, LOOSE, subject)
    difference = _difference(left)
    if difference and bound is not None:
        return _comparison_assertion(difference.left, "==", difference.right).but(slack=bound)
    if isinstance(right, ast.Tuple | ast.List | ast.Set):
        slack = float(len(right.elts))
    else:
        slack = (bound or 0.0) * (1 if "<" in sign else -1)
    return Assertion(text, 0, PARTIAL, subject, slack=slack)


def _is_expected_first(left: ast.expr, right: ast.expr) -> bool:
    """Is the expected value on the left: `3 == total()`, `{"a": int} == columns()`?"""
    if is_literal(right):
        return literal_value(left) is not UNKNOWN and literal_value(right) is UNKNOWN
    if is_literal(left) or last_name(left) in NAMED_VALUES:
        return True
    # What is only written out or named is compared with what a call answers.
    return bool(not calls_in(left) and calls_in(right))


def _equality_assertion(left: ast.expr, sign: str, right: ast.expr, text: str) -> Assertion:
    inner, strength = _inner_subject(left)
    subject = source_text(inner)
    if literal_value(right) is None:
        return Assertion(f"{subject} is None", 0, EXACT, subject)
    if _is_truth_test(right, inner is left):
        return _truth_assertion(inner, sign, bool(constant_truth(right)))
    if isinstance(right, ast.Call) and last_name(right) == "approx" and right.args:
        assertion = _comparison_assertion(left, sign, right.args[0])
        return assertion.but(slack=slack_of(right, right.args[0]))
    if last_name(right) in ("ANY", "snapshot"):
        strength = LOOSE
    return Assertion(text, 0, strength, subject)


def _is_truth_test(right: ast.expr, is_plain_subject: bool) -> bool:
    """Is it x == [], len(x) == 0, x == False or x == True? Linters rewrite these as `not x`, `x`.

    A plain x == 0 is not one of them.
    """
    truth, value = constant_truth(right), literal_value(right)
    if truth is None:
        return False
    if truth:
        return value is True
    is_zero = literal_number(right) == 0 and value is not False
    return not (is_zero and is_plain_subject)


def _truth_assertion(inner: ast.expr, sign: str, holds: bool) -> Assertion:
    assertion = condition_assertions(inner)[0]
    if not holds:
        strength, text = EXACT, f"not {assertion.text}"
    else:
        strength, text = (PARTIAL if sign == "is" else LOOSE), assertion.text
    return assertion.but(text=text, strength=strength if assertion.strength else NEVER)


def _difference(node: ast.expr) -> ast.BinOp | None:
    """The `a - b` of `abs(a - b)`."""
    if not isinstance(node, ast.Call) or last_name(node) != "abs" or not node.args:
        return None
    return node.args[0] if isinstance(node.args[0], ast.BinOp) else None


def _inner_subject(node: ast.expr) -> tuple[ast.expr, int]:
    """What is inside `len(…)`, `[x.a for x in …]` and the like, and the strength that is left."""
    if isinstance(node, COMPREHENSION):
        return node.generators[0].iter, EXACT
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name):
        name = node.func.id
        if name in WHOLE_FUNCTIONS:
            return _inner_subject(node.args[0])
        if name in PART_FUNCTIONS:
            return _inner_subject(node.args[0])[0], PARTIAL
    return node, EXACT


def slack_of(call: ast.Call, expected: ast.expr) -> float:
    """How far off an approximate value may be, absolute if the expected number is known."""
    size = max(abs(literal_number(expected) or 1.0), 1.0)
    slack = 0.0
    for keyword in call.keywords:
        if keyword.arg in TOLERANCE_ARGUMENTS:
            is_relative = keyword.arg.startswith("r")
            tolerance = literal_number(keyword.value) or 0.0
            slack = max(slack, tolerance * (size if is_relative else 1.0))
    return slack if slack > DEFAULT_TOLERANCE * size else 0.0


def constants_by_name(body: list[ast.stmt]) -> dict[str, ast.expr]:
    """The values of plain assignments, by the name that they are assigned to."""
    constants = {}
    for part in body:
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            constants[part.targets[0].id] = part.value
    return constants


def pytestmark_marks(body: list[ast.stmt]) -> list[ast.expr]:
    """The marks that `pytestmark` puts on every test of a module or a class."""
    value = constants_by_name(body).get("pytestmark")
    return getattr(value, "elts", [value]) if value else []


def fixture_decorator(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    for decorator in function.decorator_list:
        if last_name(decorator) == "fixture":
            return decorator
    return None


def contains_assertion(body: Sequence[ast.stmt], helpers: Functions | None = None) -> bool:
    """Does this contain an assertion of any kind, or call a helper that does?"""
    if any(map(_asserts, body)):
        return True
    if not helpers:
        return False
    called = {last_name(call) for part in body for call in calls_in(part)}
    return any(contains_assertion(helpers[name].body) for name in called & helpers.keys())


def _asserts(node: ast.AST) -> bool:
    """Is there an assertion in this node, or a call that is named like one? It remembers that."""
    asserts: bool | None = node.__dict__.get("asserts")
    if asserts is None:
        is_call = isinstance(node, ast.Call) and bool(ASSERTING.match(last_name(node)))
        asserts = is_call or isinstance(node, ast.Assert) or any(map(_asserts, parts_of(node)))
        node.__dict__["asserts"] = asserts
    return asserts
