"""Which tests of a Python file cannot have changed, so that nobody needs to read them.

A test is unchanged if its own lines are, and all that it names in its file: helpers, fixtures,
constants and imports, and what these name in turn.
"""

from __future__ import annotations

import ast

from ... import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WORD = re.compile(r"\w+")
# A changed definition of one of these can change every test of the file.
AFFECTS_ALL = re.compile(
    r"(?:async)?set_?up|tear_?down|pytest|load_tests|__test__|collect_ignore", re.I
)
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


class Outline:
    """The texts of a module's definitions: by name, of its tests, and of everything else."""

    def __init__(self, tree: ast.Module, text: str) -> None:
        self.lines = text.split("\n")
        self.tests: dict[str, str] = {}
        self.definitions: dict[str, str] = {}
        self.other: list[str] = []
        self.repeated = False
        self._add_body(tree.body, "")

    def _add_body(self, body: list[ast.stmt], prefix: str) -> None:
        for part in body:
            text = self._text_of(part)
            if isinstance(part, ast.ClassDef) and not prefix:
                first = part.body[0]
                head = self._lines(part, _first_line(first) - 1)
                self._define(part.name, head)
                self._add_body(part.body, f"{part.name}::")
            elif isinstance(part, FUNCTIONS) and part.name.startswith("test"):
                self.repeated |= f"{prefix}{part.name}" in self.tests
                self.tests[f"{prefix}{part.name}"] = text
            elif names := list(_defined_names(part)):
                for name in names:
                    self._define(f"{prefix}{name}", text)
            else:
                self.other.append(text)

    def _define(self, name: str, text: str) -> None:
        self.repeated |= name in self.definitions
        self.definitions[name] = text

    def _text_of(self, part: ast.stmt) -> str:
        return self._lines(part, part.end_lineno or part.lineno)

    def _lines(self, part: ast.stmt, end: int) -> str:
        return "\n".join(self.lines[_first_line(part) - 1 : end])


def _first_line(part: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(part, "decorator_list", [])
    return min([part.lineno, *(decorator.lineno for decorator in decorators)])


def _defined_names(part: ast.stmt) -> Iterator[str]:
    match part:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            for alias in names:
                yield (alias.asname or alias.name).partition(".")[0]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield name


def unchanged_tests(before: Outline, after: Outline) -> frozenset[str]:
    """The full names of the tests that say the same on both sides."""
    if before.repeated or after.repeated or before.other != after.other:
        return frozenset()
    old, new = before.definitions, after.definitions
    changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    texts = [text for name in changed for text in (old.get(name, ""), new.get(name, ""))]
    if any(map(AFFECTS_ALL.match, map(_own_name, changed))) or "autouse" in " ".join(texts):
        return frozenset()
    same = [name for name, text in after.tests.items() if before.tests.get(name) == text]
    if not changed:
        return frozenset(same)
    changed_words = _spread({_own_name(name) for name in changed}, after.definitions)
    return frozenset(name for name in same if not _mentions(name, after, changed_words))


def _own_name(name: str) -> str:
    return name.rpartition("::")[2]


def _spread(changed: set[str], definitions: dict[str, str]) -> set[str]:
    """The changed names, and those of definitions that mention one of them."""
    words = {name: set(WORD.findall(text)) for name, text in definitions.items()}
    while True:
        names = {name for name, named in words.items() if not named.isdisjoint(changed)}
        more = {_own_name(name) for name in names} - changed
        if not more:
            return changed
        changed |= more


def _mentions(test: str, outline: Outline, words: set[str]) -> bool:
    owner = test.rpartition("::")[0]
    return owner in words or not words.isdisjoint(WORD.findall(outline.tests[test]))
