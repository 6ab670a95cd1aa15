"""What one condition of Python says, of what and how strongly: ways to say the same thing come out spelled alike."""

from __future__ import annotations

import ast
import re

from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion

SIGNS = {"Eq": "==", "NotEq": "!=", "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in"}
SIGNS |= {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">="}
OPPOSITE = {"==": "!=", "is": "is not", "in": "not in", "<": ">=", ">": "<="}
OPPOSITE |= {other: sign for sign, other in OPPOSITE.items()}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "in": "has", "not in": "has no"}
EQUALITY_METHODS = (
    "assertEqual",
    "assertListEqual",
    "assertDictEqual",
    "assertSetEqual",
    "assertTupleEqual",
    "assertAlmostEqual",
)
UNITTEST_SIGNS = {f"assert{name}": sign for name, sign in SIGNS.items()} | dict.fromkeys(
    (*EQUALITY_METHODS, "assertEquals"), "=="
)
UNITTEST_SIGNS |= {
    "assertNotEqual": "!=",
    "assertLess": "<",
    "assertLessEqual": "<=",
    "assertGreater": ">",
    "assertGreaterEqual": ">=",
}
WEAK_METHODS = {
    "assert_called": LOOSE,
    "assert_any_call": PARTIAL,
    "assertCountEqual": PARTIAL,
    "assertIsInstance": LOOSE,
}
MOCK_ASSERTION = re.compile(r"assert_(?:not_|any_|has_)?(?:call|await)")
TOLERANCE_ARGUMENTS = ("rel", "abs", "rtol", "atol", "rel_tol", "abs_tol", "delta")
DEFAULT_TOLERANCE = (
    1e-6  # what pytest.approx allows unless told: floats need it, nobody gains by it
)
WHOLE_FUNCTIONS, PART_FUNCTIONS = (
    ("list", "tuple", "dict", "str"),
    ("len", "set", "sorted", "frozenset", "Counter", "type", "repr", "round", "int"),
)
UNKNOWN = object()


def source_text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split("\n"))


def last_name(node: ast.AST | None) -> str:
    """The last word of what is named or called."""
    node = node.func if isinstance(node, ast.Call) else node
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )


def literal_value(node: ast.AST | None) -> object:
    try:
        return ast.literal_eval(node) if isinstance(node, ast.expr) else UNKNOWN
    except (ValueError, TypeError, SyntaxError):
        return UNKNOWN


def constant_truth(node: ast.AST | None) -> bool | None:
    """Whether a condition always holds (True), never does (False), or depends (None)."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return None if (inner := constant_truth(node.operand)) is None else not inner
    return None if (value := literal_value(node)) is UNKNOWN else bool(value)


def literal_number(node: ast.AST | None) -> float | None:
    value = literal_value(node)
    return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else None


def is_literal(node: ast.AST) -> bool:
    """A value that stands there in so many words: Decimal("1.5") and Point(1, 2) too."""
    if isinstance(node, ast.Call) and (
        last_name(node)[:1].isupper() or last_name(node) in ("date", "datetime", "timedelta")
    ):
        return all(map(is_literal, (*node.args, *(word.value for word in node.keywords))))
    return literal_value(node) is not UNKNOWN


def condition_assertions(node: ast.expr) -> list[Assertion]:
    """What a condition asserts, `and` by `and`; the line is the caller's to say."""
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            return [said for part in parts for said in condition_assertions(part)]
        case ast.BoolOp(values=parts):
            found = [said for part in parts for said in condition_assertions(part)]
            strength = min(PARTIAL, *(said.strength for said in found))
            return [Assertion(source_text(node), 0, strength, found[0].subject, float(len(found)))]
        case ast.UnaryOp(
            op=ast.Not(), operand=ast.Compare(left=left, ops=[op], comparators=[right])
        ):
            return [_comparison_assertion(left, OPPOSITE[SIGNS[type(op).__name__]], right)]
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            said = condition_assertions(inner)[0]
            return [said.but(text=f"not {said.text}", strength=said.strength and EXACT)]
        case ast.Compare(
            left=ast.Tuple(elts=some), ops=[ast.Eq()], comparators=[ast.Tuple(elts=others)]
        ):
            return [
                _comparison_assertion(left, "==", right)
                for left, right in zip(some, others, strict=False)
            ]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return [_comparison_assertion(left, SIGNS[type(op).__name__], right)]
        case ast.Call(args=[inner]) if last_name(node) in ("bool", "len"):
            return condition_assertions(inner)
        case ast.Call(args=[inner, kinds]) if last_name(node) in ("isinstance", "issubclass"):
            many = len(kinds.elts) if isinstance(kinds, ast.Tuple) else 1
            return [Assertion(source_text(node), 0, LOOSE, source_text(inner), float(many))]
        case (
            ast.Constant()
            | ast.Tuple()
            | ast.List()
            | ast.Set()
            | ast.Dict()
            | ast.GeneratorExp()
            | ast.Lambda()
        ):
            return [Assertion(source_text(node), 0, NEVER, source_text(node))]
    return [
        Assertion(
            source_text(node),
            0,
            PARTIAL if isinstance(node, ast.Compare) else LOOSE,
            source_text(node),
        )
    ]


def call_assertions(call: ast.Call) -> list[Assertion]:
    """What an asserting call says: of unittest, of a mock, of a library; of a helper elsewhere, only that it is called."""
    name, args, owner = (
        last_name(call),
        call.args,
        call.func.value if isinstance(call.func, ast.Attribute) else None,
    )
    if name in UNITTEST_SIGNS and len(args) > 1:
        places = (
            literal_number(args[2])
            if len(args) > 2
            else next((literal_number(w.value) for w in call.keywords if w.arg == "places"), None)
        )
        slack = 0.0 if places is None else 0.5 * 10 ** -min(max(places, -30.0), 30.0)
        said = _comparison_assertion(args[0], UNITTEST_SIGNS[name], args[1])
        return [said.but(slack=max(said.slack, slack, slack_of(call, args[1])))]
    if name in ("assertTrue", "assertFalse") and args:
        return condition_assertions(
            args[0] if name == "assertTrue" else ast.UnaryOp(ast.Not(), args[0])
        )
    if name in ("assertIsNone", "assertIsNotNone") and args:
        return [
            _comparison_assertion(
                args[0], "is" if name == "assertIsNone" else "is not", ast.Constant(None)
            )
        ]
    elsewhere = owner is None and not re.match("assert[A-Z]", name)  # `self.` has been taken away
    subject = (
        ""
        if elsewhere
        else source_text(
            owner if owner and MOCK_ASSERTION.match(name) else args[0] if args else call
        )
    )
    wild = any(last_name(part) == "ANY" for part in ast.walk(call))
    slack = slack_of(call, args[1]) if len(args) > 1 else 0.0
    return [
        Assertion(
            source_text(call), 0, PARTIAL if wild else WEAK_METHODS.get(name, EXACT), subject, slack
        )
    ]


def _comparison_assertion(left: ast.expr, sign: str, right: ast.expr) -> Assertion:
    if (is_literal(left) and not is_literal(right)) or last_name(left) == "approx":
        left, right, sign = right, left, MIRRORED.get(sign, sign)
    inner, kept = _inner_subject(left)
    subject, text, bound = (
        source_text(inner),
        f"{source_text(left)} {sign} {source_text(right)}",
        literal_number(right),
    )
    if source_text(left) == source_text(right) or (is_literal(left) and is_literal(right)):
        return Assertion(text, 0, NEVER, subject)
    if sign in ("==", "is") and literal_value(right) is None:
        return Assertion(f"{subject} is None", 0, EXACT, subject)
    is_zero = bound == 0 and literal_value(right) is not False and inner is left
    if (
        sign in ("==", "is")
        and (holds := constant_truth(right)) in (True, False)
        and (not (holds or is_zero) or literal_value(right) is True)
    ):
        # x == [], len(x) == 0, x == False: linters turn them into `not x`, and x == True into x
        said, strength = (
            condition_assertions(inner)[0],
            EXACT if not holds else PARTIAL if sign == "is" else LOOSE,
        )
        return said.but(
            text=said.text if holds else f"not {said.text}", strength=said.strength and strength
        )
    if (
        sign in ("==", "is")
        and isinstance(right, ast.Call)
        and last_name(right) == "approx"
        and right.args
    ):
        return _comparison_assertion(left, sign, right.args[0]).but(
            slack=slack_of(right, right.args[0])
        )
    if sign in ("==", "is"):
        return Assertion(
            text, 0, LOOSE if last_name(right) in ("ANY", "snapshot") else kept, subject
        )
    if sign in ("!=", "is not"):
        return Assertion(text, 0, LOOSE, subject)
    if last_name(left) == "len" and (sign, bound) in ((">", 0.0), (">=", 1.0)):
        return Assertion(subject, 0, LOOSE, subject)
    if (
        last_name(left) == "abs"
        and isinstance(left, ast.Call)
        and isinstance(left.args[0], ast.BinOp)
        and bound is not None
    ):
        return _comparison_assertion(left.args[0].left, "==", left.args[0].right).but(slack=bound)
    many = (
        len(right.elts)
        if isinstance(right, ast.Tuple | ast.List | ast.Set)
        else (bound or 0.0) * (1 if "<" in sign else -1)
    )
    return Assertion(text, 0, PARTIAL, subject, float(many))


def _inner_subject(node: ast.expr) -> tuple[ast.expr, int]:
    """What is looked at behind `len(…)`, `[x.a for x in …]` and their like, and how much of it is left."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return node.generators[0].iter, EXACT
    if (
        isinstance(node, ast.Call)
        and node.args
        and isinstance(node.func, ast.Name)
        and node.func.id in (*WHOLE_FUNCTIONS, *PART_FUNCTIONS)
    ):
        inner, kept = _inner_subject(node.args[0])
        return inner, kept if node.func.id in WHOLE_FUNCTIONS else PARTIAL
    return node, EXACT


def slack_of(call: ast.Call, expected: ast.expr) -> float:
    """How far off an approximate value may be, as an absolute number where the expected one is known."""
    size = max(abs(literal_number(expected) or 1.0), 1.0)
    given = [
        (word.arg, literal_number(word.value) or 0.0)
        for word in call.keywords
        if word.arg in TOLERANCE_ARGUMENTS
    ]
    slack = max(
        (value * (size if str(name).startswith("r") else 1.0) for name, value in given), default=0.0
    )
    return slack if slack > DEFAULT_TOLERANCE * size else 0.0


def literal_rows(node: ast.AST | None) -> list[ast.expr] | None:
    """What a loop or a table goes through, where that is written down."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(full := node.func.value, ast.Dict)
    ):
        pairs = [
            ast.Tuple([key, row], ast.Load())
            for key, row in zip(full.keys, full.values, strict=True)
            if key
        ]
        return full.values if node.func.attr == "values" else [*pairs]
    return getattr(node, "elts", None)


def constants_by_name(body: list[ast.stmt]) -> dict[str, ast.expr]:
    plain = [
        part
        for part in body
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)
    ]
    return {last_name(part.targets[0]): part.value for part in plain}


def pytestmark_marks(body: list[ast.stmt]) -> list[ast.expr]:
    """The marks that `pytestmark` puts on every test of a module or a class."""
    return [
        mark
        for value in [constants_by_name(body).get("pytestmark")]
        if value
        for mark in getattr(value, "elts", [value])
    ]


def fixture_decorator(one: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    return next((word for word in one.decorator_list if last_name(word) == "fixture"), None)
