"""Finds work that is done only in a double which the product ships: a store in memory, a fake.

Tests hand such an object to the class that they test, and no code of the product makes one. If
nothing else changed, the class behaves as before with everything that its users hand to it.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text
from ..readers.languages import SCRIPT_SUFFIXES
from ..surroundings import surrounding_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..project_files import Sides

DOUBLE = re.compile(
    r"\bclass ((?:In)?Memory[A-Z]\w*|(?:Fake|Stub|Mock|Dummy|Noop)[A-Z]\w*|\w+(?:Fake|Stub|Mock))\b"
)
CLASS = re.compile(r"\bclass (\w+)")


def changed_doubles(product: Sides) -> dict[str, str]:
    """The doubles in the changed files, with their paths; none if other code changed too."""
    found: dict[str, str] = {}
    for path, (before, after) in product.items():
        if not path.endswith(SCRIPT_SUFFIXES):
            continue
        old, new = (code_text(SourceFile(path, text or "")) for text in (before, after))
        if old.split() == new.split():
            continue  # only comments
        names = {*DOUBLE.findall(old)} & {*DOUBLE.findall(new)}
        if not names or {*CLASS.findall(old)} - names:
            return {}
        found |= dict.fromkeys(names, path)
    return found


def findings(doubles: Mapping[str, str], texts: Mapping[str, str]) -> Iterator[Finding]:
    """One for each double that only tests make, for another class; `texts` are of the baseline."""
    for name, path in doubles.items():
        made = re.compile(rf"\bnew (?:\w+\.)?{name}\(")
        users = {user: text for user, text in texts.items() if user != path and made.search(text)}
        tests = [text for user, text in users.items() if surrounding_kind(user, text, text)]
        if len(tests) < len(users):
            continue  # the product uses it too
        if line := next((line for text in tests if (line := _handed_over(name, text))), ""):
            yield Finding(MEDIUM, "measure-of-tests-changed", path, after=line[:200])


def _handed_over(name: str, test: str) -> str:
    """The line of a test that hands such an object to another class; "" if none does."""
    variables = re.findall(rf"\b(\w+) *= *new (?:\w+\.)?{name}\(", test)
    objects = "|".join((rf"new (?:\w+\.)?{name}\(", *(rf"{variable}\b" for variable in variables)))
    match = re.search(
        rf"(?m)^.*\bnew (?!(?:\w+\.)?{name}\()[\w.]+\([^;\n]*?\b(?:{objects}).*$", test
    )
    return match[0].strip() if match else ""
