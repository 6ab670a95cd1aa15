"""Where the condition of a skip holds: always, on this system, nowhere that checks run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable

from .python_literals import UNKNOWN, constant_truth, literal_value
from .python_text import OPERATORS, source_text

# Checks run on this system, or in a container, which is Linux.
SYSTEMS = tuple(dict.fromkeys((sys.platform, "linux")))
OS_NAMES = {"win32": "nt"}  # by sys.platform; all others are "posix"
SYSTEM_NAMES = {"win32": "Windows", "darwin": "Darwin", "linux": "Linux"}
COMPARISONS: dict[str, Callable[[str, object], bool]] = {
    "==": lambda name, value: name == value,
    "!=": lambda name, value: name != value,
    "in": lambda name, value: isinstance(value, tuple | list | set) and name in value,
    "not in": lambda name, value: isinstance(value, tuple | list | set) and name not in value,
}
# Every Python that runs tests today is newer than this.
OLDEST_PYTHON = (3, 0)


ALWAYS, HERE, NOWHERE, UNCLEAR = "always", "here", "nowhere", "unclear"


def skip_reach(condition: ast.expr, is_reversed: bool = False) -> str:
    """Where a skip under this condition happens; `is_reversed`: unless the condition holds."""
    if isinstance(condition, ast.Constant) and isinstance(condition.value, str):
        try:
            condition = ast.parse(condition.value.strip(), mode="eval").body
        except SyntaxError:
            return ALWAYS
    if is_reversed:
        condition = ast.UnaryOp(ast.Not(), condition)
    if _is_always_true(condition):
        return ALWAYS
    answers = {_truth_on(condition, system) for system in SYSTEMS}
    if answers == {False}:
        return NOWHERE
    return HERE if True in answers else UNCLEAR


def _is_always_true(condition: ast.expr) -> bool:
    if constant_truth(condition) is not None:
        return bool(constant_truth(condition))
    match condition:
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            version = literal_value(right)
            is_version = source_text(left) == "sys.version_info"
            return is_version and isinstance(version, tuple) and version <= OLDEST_PYTHON
    return False


def _truth_on(condition: ast.expr, system: str) -> bool | None:
    match condition:
        case ast.BoolOp(op=op, values=parts):
            answers = [_truth_on(part, system) for part in parts]
            decisive = isinstance(op, ast.Or)
            if decisive in answers:
                return decisive
            return None if None in answers else not decisive
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            answer = _truth_on(operand, system)
            return None if answer is None else not answer
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            compare = COMPARISONS.get(OPERATORS[type(op).__name__])
            name, value = _system_name(left, system), literal_value(right)
            return compare(name, value) if compare and name and value is not UNKNOWN else None
        case ast.Call(func=ast.Attribute(value=left, attr="startswith"), args=[start]):
            name, value = _system_name(left, system), literal_value(start)
            return name.startswith(value) if name and isinstance(value, str | tuple) else None
    return constant_truth(condition)


def _system_name(node: ast.expr, system: str) -> str:
    """What `sys.platform` and its like are on this system; "" for another expression."""
    match source_text(node):
        case "sys.platform":
            return system
        case "os.name":
            return OS_NAMES.get(system, "posix")
        case "platform.system()":
            return SYSTEM_NAMES.get(system, "")
    return ""
