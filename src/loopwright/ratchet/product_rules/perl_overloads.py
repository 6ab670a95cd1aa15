"""Finds operators of Perl classes that never look at the other value, or that look at it roughly.

`is` compares with `eq`, which a class may define with `use overload`. Without `eq`, Perl takes the
text that the class gives.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from .comparison_methods import body_below, text_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OPERATOR = re.compile(
    r"['\"](?P<sign>==|!=|eq|ne|<=>|cmp|-)['\"]\s*=>\s*"
    r"(?:sub\s*\{(?P<body>.*)|\\&(?P<name>\w+))"
)
# The second value of an operator: by its place, or as a variable that the code names again.
OTHER = re.compile(r"\$_\[1\]|\bmy\s*\(\s*\$\w+\s*,\s*\$(\w+)|\bshift\b.*\bshift\b|\$b\b", re.S)
ROUGH = re.compile(r"\bint\b|\blc\b|\buc\b|\babs\b|\bsubstr\b|\blength\b|%\.0f|\bround\b")


class Overload(NamedTuple):
    """An operator of a class, and what it does."""

    sign: str
    line: int
    text: str
    body: str

    @property
    def is_one_sided(self) -> bool:
        found = OTHER.search(self.body)
        if found is None:
            return True
        name = found[1]
        return bool(name) and len(re.findall(rf"\$\{{?{name}\b", self.body)) < 2


def weaker_overloads(before: str, after: str) -> Iterator[tuple[int, str]]:
    """Line and source of each operator that says less than it did."""
    known = {row.sign: row for row in _overloads(before)}
    for row in _overloads(after):
        former = known.get(row.sign)
        if former and former.body.split() == row.body.split():
            continue
        rough = {*ROUGH.findall(row.body)} - {*ROUGH.findall(former.body if former else "")}
        if row.is_one_sided or rough:
            yield row.line, row.text


def _overloads(code: str) -> Iterator[Overload]:
    if "overload" not in code:
        return
    lines = code.splitlines()
    subs = {
        match[1]: text_from(lines, index)
        for index, line in enumerate(lines)
        if (match := re.match(r"sub (\w+)", line))
    }
    for index, line in enumerate(lines):
        for match in OPERATOR.finditer(line):
            body = match["body"] or subs.get(match["name"] or "", "")
            if match["body"] is not None and "}" not in body:
                body = "\n".join((body, *body_below(lines, index)))
            if body:
                yield Overload(match["sign"], index + 1, line.strip(), body)
