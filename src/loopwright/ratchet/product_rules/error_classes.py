"""Finds errors of the product that became one another, so that tests for one accept the other.

A test waits for an error by its class. A class that gets another error as its base, or a name that
stands for another class, is accepted where the other one is expected.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from .value_methods import plain_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..project_files import Sides

CLASS = re.compile(
    r"(?m)^[ \t]*(?:[\w@]+ ){0,5}class (?P<name>\w+)(?:<[^>\n]*>)?"
    r"(?: *\((?P<python>[^()\n]*)\) *:$| +extends +(?P<extends>[\w.\\]+)| *< *(?P<ruby>[\w:]+)"
    r"|(?: *\([^()\n]*\))? *: *(?P<kotlin>\w+)|(?=[\s{]))"
)
ALIAS = re.compile(r"(?m)^(?:export )?(?:const )?(?P<name>[A-Z]\w+) *= *(?P<other>[A-Z]\w+);?$")
SUFFIXES = (".py", ".rb", ".js", ".mjs", ".cjs", ".ts", ".mts", ".java", ".kt", ".cs", ".php")
# How a test waits for an error.
WAITS = (
    r"\b(?:raises|assertRaises\w*|assert_raises?|raise_error|throws?\w*|toThrow\w*|rejects"
    r"|assertThrows\w*|assertFailsWith|Throws\w*|expectException|instanceof|toBeInstanceOf"
    r"|isInstanceOf\w*|except|rescue|catch)\b[^\n]*\b{name}\b|<{name}>"
)
Bases = dict[str, set[str]]


class ErrorClasses:
    """Classes of changed files that are now another class that was there before."""

    def __init__(self, product: Sides) -> None:
        sides = {
            path: row
            for path, row in product.items()
            if path.endswith(SUFFIXES) and "class " in (row[0] or "")
        }
        known, now = _bases(sides, 0), _bases(sides, 1)
        self.merged: list[tuple[str, str]] = []  # the class, and what it is besides
        for name in sorted(known.keys() & now.keys()):
            others = _ancestors(name, now) - _ancestors(name, known)
            others = {
                other for other in others & known.keys() if name not in _ancestors(other, known)
            }
            self.merged += [(name, other) for other in sorted(others - {name})]
        self.sides = sides

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        return {name for row in self.merged for name in row}

    def findings(self, tests: Mapping[str, str]) -> Iterator[Finding]:
        """One for each pair of errors that a test tells apart."""
        for name, other in self.merged:
            patterns = [re.compile(WAITS.format(name=word)) for word in (name, other)]
            if any(all(p.search(text) for p in patterns) for text in tests.values()):
                paths = [
                    p for p, row in self.sides.items() if re.search(rf"\b{name}\b", row[1] or "")
                ]
                after = f"{name} is {other}"
                path = paths[0] if paths else next(iter(self.sides))
                yield Finding(MEDIUM, "product-tells-less-apart", path, after=after)


def _bases(sides: Sides, side: int) -> Bases:
    """The classes with their direct bases; a name for a class has that class as its base."""
    found: Bases = {}
    for path, row in sides.items():
        code = plain_code(path, row[side])
        for match in CLASS.finditer(code):
            bases = next(filter(None, match.groups()[1:]), "")
            found.setdefault(match["name"], set()).update(re.findall(r"\w+(?=\s*(?:,|$))", bases))
        for match in ALIAS.finditer(code):
            found.setdefault(match["name"], set()).add(match["other"])
    return found


def _ancestors(name: str, bases: Bases) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        fresh = bases.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found
