"""Finds errors of Go that say that they are of several kinds, between which the tests tell apart.

`errors.Is(err, ErrRange)` asks the error itself, if it has a method `Is`. A method that never looks
at its own error makes it all kinds that it names, or every error of its type.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from .comparison_methods import text_from
from .value_methods import plain_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..project_files import Sides

IS_METHOD = re.compile(r"^func \((?:(?P<own>\w+) )?\*?(?P<type>\w+)\) Is\((?P<target>\w+) error\)")
ASKS = re.compile(r"\berrors\.Is\(|\b(?:Not)?ErrorIs\(")
# An error that wraps several: of a list, by its verbs, or by a method.
JOINED = re.compile(
    r"\berrors\.Join\((?P<list>[^()\n]*)\)"
    r"|\.Errorf\(\"[^\"\n]*%w[^\"\n]*%w[^\"\n]*\"(?P<verbs>[^\n]*)\)"
    r"|\bUnwrap\(\) \[\]error \{\s*return \[\]error\{(?P<method>[^{}]*)\}"
)
KIND = re.compile(r"\b(?:\w+\.)?([A-Z]\w*|err[A-Z]\w*)\b")
MAY_HAVE_KINDS = re.compile(r"\bIs\(|\berrors\.Join\(|%w[^\n]*%w|\[\]error\b")
RULE = "product-tells-less-apart"
MAX_QUOTED = 200


class IsMethod(NamedTuple):
    """A method that says which errors an error is."""

    owner: str
    own: str
    target: str
    line: int
    head: str
    body: str

    def looks_at_itself(self, part: str) -> bool:
        own = rf"\b{self.own}\b(?! *[!=]= *nil)"
        return bool(self.own) and bool(re.search(own, part))

    @property
    def is_by_type(self) -> bool:
        """Is every error of its own type accepted?"""
        by_type = rf"\b{self.target}\.\(\*?{self.owner}\)|\berrors\.As\({self.target}\b"
        return bool(re.search(by_type, self.body)) and not self.looks_at_itself(self.body)

    @property
    def kinds(self) -> set[str]:
        """The errors that are accepted whatever the error itself holds."""
        if re.search(rf"\b(?:if|switch)\b[^\n]*\b{self.own or '_'}\.\w", self.body):
            return set()
        parts = re.split(r"\|\||\n|;|\bcase\b", self.body)
        free = [part for part in parts if not self.looks_at_itself(part)]
        named = rf"\b{self.target} *== *(?:\w+\.)?(\w+)|(\w+) *== *{self.target}\b"
        named += rf"|\berrors\.Is\({self.target}, *(?:\w+\.)?(\w+)\)"
        found = {name for part in free for row in re.findall(named, part) for name in row}
        if re.search(rf"\bswitch {self.target} *\{{", self.body):
            rows = re.findall(r"\bcase ([\w., ]+):", self.body)
            found |= {name.rpartition(".")[2].strip() for row in rows for name in row.split(",")}
        return found - {"", "nil"}


class ErrorKinds:
    """The new methods of changed files that accept errors without a look at their own."""

    def __init__(self, product: Sides) -> None:
        self.methods: list[tuple[str, IsMethod]] = []  # path, method
        self.joined: list[tuple[str, int, str, set[str]]] = []  # path, line, text and kinds
        self.code = ""
        sides = {path: row for path, row in product.items() if path.endswith(".go")}
        if not any(map(MAY_HAVE_KINDS.search, (after or "" for _, after in sides.values()))):
            return
        old = [plain_code(path, before) for path, (before, _) in sides.items()]
        new = {path: plain_code(path, after) for path, (_, after) in sides.items()}
        self.code = "\n".join(new.values())
        known = {(method.head, method.body) for code in old for method in _is_methods(code)}
        self.joined = _joined_errors(new, "\n".join(old))
        for path, code in new.items():
            added = [m for m in _is_methods(code) if (m.head, m.body) not in known]
            self.methods += [(path, m) for m in added if m.is_by_type or m.kinds]

    @property
    def words(self) -> set[str]:
        """By which files are searched."""
        found = {"errors.Is"} if self.methods or self.joined else set()
        found |= {kind for *_, kinds in self.joined for kind in kinds}
        for _, method in self.methods:
            found |= {method.owner, *method.kinds, *_other_kinds(method, self.code)}
        return found

    def findings(self, files: Mapping[str, str], tests: Mapping[str, str]) -> Iterator[Finding]:
        """One for each method that is of two kinds which a test names."""
        code = "\n".join((self.code, *(text for path, text in files.items() if path not in tests)))
        asking = [text for text in tests.values() if ASKS.search(text)]
        for path, method in self.methods:
            kinds = method.kinds | _other_kinds(method, code)
            if any(sum(_has_word(kind, test) for kind in kinds) > 1 for test in asking):
                text = " ".join(f"{method.head} {method.body}".split())
                yield Finding(MEDIUM, RULE, path, method.line, after=text[:MAX_QUOTED])
        for path, line, text, kinds in self.joined:
            if any(sum(_has_word(kind, test) for kind in kinds) > 1 for test in asking):
                yield Finding(MEDIUM, RULE, path, line, after=text[:MAX_QUOTED])


def _joined_errors(new: dict[str, str], old: str) -> list[tuple[str, int, str, set[str]]]:
    """New errors that are several known ones at once."""
    found = []
    for path, code in new.items():
        for match in JOINED.finditer(code):
            kinds = {*KIND.findall(match[match.lastgroup or 0])}
            if len(kinds) > 1 and match[0] not in old:
                line = code[: match.start()].count("\n") + 1
                found.append((path, line, " ".join(match[0].split()), kinds))
    return found


def _is_methods(code: str) -> Iterator[IsMethod]:
    lines = code.splitlines()
    for index, line in enumerate(lines):
        if match := IS_METHOD.match(line):
            body = text_from(lines, index, match.end())
            own = "" if match["own"] in (None, "_") else match["own"]
            head = line.strip()
            yield IsMethod(match["type"], own, match["target"], index + 1, head, body)


def _other_kinds(method: IsMethod, code: str) -> set[str]:
    """What such an error is besides: every one of its type, or the error that it wraps."""
    if method.is_by_type:
        values = rf"(?m)^(?:var |\t)(\w+)[\w *]* *= *&?{method.owner}\{{"
        return {*re.findall(values, code)}
    wraps = re.search(rf"\bfunc \([^)]*\b{method.owner}\) Unwrap\(\)", code)
    if not wraps or method.looks_at_itself(method.body):
        return set()
    made = re.findall(rf"\b{method.owner}\{{([^{{}}]*)\}}", code)
    return {word for parts in made for word in re.findall(r"\b[A-Z]\w+", parts)}


def _has_word(word: str, text: str) -> bool:
    return bool(re.search(rf"\b{word}\b", text))
