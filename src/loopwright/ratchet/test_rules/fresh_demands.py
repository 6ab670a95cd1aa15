"""What the tests newly demand of a function: it may explain why an old demand on it is gone."""

from __future__ import annotations

from ... import lazy_re as re
from ..readers.suite import LOOSE, Assertion
from .expected_values import QUOTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")
BRACKET = re.compile(r"(?P<name>[A-Za-z_]\w*)?(?P<open>[(\[{])|[)\]}]")
# Functions that only pass a value on to an assertion.
PLAIN_CALLS = {"len", "list", "str", "repr", "sorted", "set", "dict", "tuple", "bool", "int"}


def called_names(text: str) -> list[str]:
    """The functions that an expression calls, without those that only pass a value on."""
    return [name for name in CALLED.findall(QUOTED.sub("''", text)) if name not in PLAIN_CALLS]


def outer_calls(text: str) -> set[str]:
    """Of the functions that an expression calls, those that are not in an argument of another."""
    names: set[str] = set()
    inside: list[bool] = []  # of each open bracket: is what it contains passed on as it is?
    text = QUOTED.sub("''", text)
    for sign in BRACKET.finditer(text):
        if not sign["open"]:
            inside = inside[:-1]
            continue
        name = sign["name"] or ""
        if name and name not in PLAIN_CALLS and all(inside):
            names.add(name)
        inside.append(name in PLAIN_CALLS)
    return names


class FreshDemands:
    """The new assertions of a change. Each explains the loss of one old assertion."""

    def __init__(self, assertions: Iterable[Assertion]) -> None:
        self._waiting = [(a, set(called_names(a.text))) for a in assertions if a.strength > LOOSE]

    def explain(self, lost: Sequence[Assertion]) -> bool:
        """Is there one for each lost assertion that calls the same functions?"""
        taken: set[int] = set()
        for old in lost:
            called = outer_calls(old.subject or old.text)
            fits = (id(a) for a, names in self._waiting if called <= names and id(a) not in taken)
            match = next(fits, None) if called else None
            if match is None:
                return False
            taken.add(match)
        self._waiting = [row for row in self._waiting if id(row[0]) not in taken]
        return bool(lost)
