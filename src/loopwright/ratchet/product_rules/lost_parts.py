"""Finds product that changed so that unchanged tests in JavaScript ask for less, or for nothing.

A name that the product no longer has is `undefined`, and `assert.throws(call, undefined)` accepts
every error. A field that became private, an accessor or not enumerable takes no part in a deep
comparison (hidden_fields.py). A function with which the tests assert is a measure.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.code_files import SCRIPT_SUFFIXES
from ...checks.references import search_word
from ...core.findings import MEDIUM, Finding
from ...repo.sources import DECLARATION_ENDINGS, SourceFile, code_text
from ..project import require_baseline
from .hidden_fields import block_below, hidden_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...checks.references import Sides
    from ..project import Project

EXPORT_LIST = re.compile(r"\bexports *= *\{([^{}]*)\}|\bexport *\{([^{}]*)\}")
EXPORT = re.compile(
    r"\bexports\.(\w+) *=(?!=)|(?m:^)export (?:declare )?(?:async )?(?:abstract )?"
    r"(?:const|let|var|function\*?|class|enum) (\w+)"
)
# Exports that cannot be listed here.
OPEN_EXPORTS = re.compile(
    r"\bexport *\*|\bexports *=(?! *\{)(?!=)|\bexports *= *\{[^{}]*(?:\.\.\.|\{)"
)
VALUE = re.compile(r"\b(?:class|function\*?|const|let|var|enum) (\w+)")
TABLE = re.compile(
    r"(?m)^(?:export )?const (\w+)(?: *:[^=\n]+)? *= *(?:Object\.freeze\()?\{\n((?:[ \t]+.*\n)*)\}"
)
DEEP = re.compile(
    r"[dD]eep(?:Strict)?Equal|\.to(?:Strict)?Equal\(|\.deep\.|\.eql\(|[mM]atch\w*Snapshot\("
    r"|\bisEqual\(|\bJSON\.stringify\("
)
ASSERTING = re.compile(
    r"(?m)^([ \t]*)(?:export )?(?:async )?function ((?:assert|expect|should)[A-Z_]\w*)\b.*"
)
MIN_NAME = 4  # letters; a shorter name is in many tests by chance


class LostParts:
    """What changed in the files of the product, by the names that tests may use."""

    def __init__(self, product: Sides) -> None:
        self.names: dict[str, str] = {}  # name or `Table.key` → path
        self.hidden: dict[str, str] = {}  # class or module → path
        self.asserting: dict[str, str] = {}  # function → path
        sides = {
            path: tuple(code_text(SourceFile(path, text or "")) for text in texts)
            for path, texts in product.items()
            if _is_read(path) and all(text is not None for text in texts[1:])
        }
        exported = {name for _, after in sides.values() for name in _exports(after)}
        is_open = any(OPEN_EXPORTS.search(after) for _, after in sides.values())
        all_code = "\n".join(after for _, after in sides.values())
        for path, (before, after) in sides.items():
            values = {*VALUE.findall(before)}  # a type is not there when the tests run
            lost = set() if is_open else (_exports(before) - exported) & values
            lost |= _lost_keys(before, after)
            self.names |= {name: path for name in lost if len(name) >= MIN_NAME}
            hidden = hidden_names(before, after, all_code)
            self.hidden |= {name or search_word(path): path for name in hidden}
            self.asserting |= dict.fromkeys(_changed_assertions(before, after), path)

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        named = {name.rpartition(".")[2] for name in (*self.names, *self.asserting)}
        return named | {*self.hidden} | {search_word(path) for path in self.hidden.values()}

    def findings(self, tests: Mapping[str, str]) -> Iterator[Finding]:
        """One for each part on which an unchanged test relies."""
        texts = [text for path, text in tests.items() if path.endswith(SCRIPT_SUFFIXES)]
        for name, path in self.names.items():
            if any(_uses(name, text) for text in texts):
                yield Finding(MEDIUM, "name-of-tests-gone", path, before=name)
        for name, path in self.hidden.items():
            word = search_word(path)
            used = [t for t in texts if re.search(rf"\b(?:{word}|{name})\b", t) and DEEP.search(t)]
            if used:
                after = f"{name}: what it holds takes no part in a deep comparison"
                yield Finding(MEDIUM, "fields-hidden", path, after=after)
        for name, path in self.asserting.items():
            if any(re.search(rf"\b{name}\(", text) for text in texts):
                yield Finding(MEDIUM, "assertion-of-product-changed", path, after=name)


def find(project: Project) -> Iterator[Finding]:
    parts = LostParts(project.product)
    tests = require_baseline(project).find_tests(parts.words)
    unchanged = {path: text for path, text in tests.items() if path not in project.changes}
    yield from parts.findings(unchanged)


def _is_read(path: str) -> bool:
    return path.endswith(SCRIPT_SUFFIXES) and not path.endswith(DECLARATION_ENDINGS)


def _uses(name: str, test: str) -> bool:
    """Does a test take the name from a module, or the key from its table?"""
    if "." in name:
        return bool(re.search(rf"\b{re.escape(name)}\b", test))
    taken = re.search(rf"[{{,]\s*{name}\b[^{{}}]*\}}\s*(?:=|from\b)|\w\.{name}\b", test)
    return bool(taken) and not re.search(rf"\b(?:class|function|const|let) {name}\b", test)


def _exports(code: str) -> set[str]:
    found = {one or other for one, other in EXPORT.findall(code)}
    for match in EXPORT_LIST.finditer(code):
        for part in (match[1] or match[2] or "").split(","):
            words = re.findall(r"\w+", part.partition(":")[0])
            found |= {words[-1]} if words else set()
    return found


def _lost_keys(before: str, after: str) -> set[str]:
    """Keys of a table that are gone, as `Table.key`; without tables that take in others."""
    now = {match[1]: match[2] for match in TABLE.finditer(after)}
    lost = set()
    for match in TABLE.finditer(before):
        rows = now.get(match[1])
        if rows is not None and "..." not in rows:
            lost |= {f"{match[1]}.{key}" for key in _keys(match[2]) - _keys(rows)}
    return lost


def _keys(rows: str) -> set[str]:
    return {*re.findall(r"(?m)^[ \t]+['\"]?(\w+)['\"]? *[:,(]", rows)}


def _changed_assertions(before: str, after: str) -> set[str]:
    old = {match[2]: block_below(before, match) for match in ASSERTING.finditer(before)}
    new = {match[2]: block_below(after, match) for match in ASSERTING.finditer(after)}
    return {name for name in old.keys() & new.keys() if old[name] != new[name]}
