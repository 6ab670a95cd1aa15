"""Finds product that goes around what unchanged tests measure with.

A test reads a counter of the product, looks into a log, asks whether an object is freed, or checks
a document of the product with a schema of the product. If the product no longer counts, logs
elsewhere, keeps the content of the object in another one, or the schema accepts more, the test
shows less.
"""

from __future__ import annotations

import ast
import json
from collections import Counter

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..project_files import new_lines
from ..readers.python_text import last_word
from ..references import search_word
from ..surroundings import CODE_SUFFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..project_files import Sides

RULE = "measure-of-tests-changed"
READS_LOG = re.compile(r"\bassert(?:No)?Logs\b|\bcaplog\b|\bLogCapture\b|\bcapture_logs\b")
LEAVES_LOG = re.compile(r"\.propagate\s*=\s*False\b")
COMPARES = re.compile(r"\bassert\w*\b|\bexpect\b|\bself\.fail\b")
# A test that hands a result of the product to a function which judges it.
JUDGE = r"\w*(?:valid|error|check|conform|schema|problem|verif|complain)\w*"
JUDGES_RESULT = re.compile(rf"(?i)\b{JUDGE}\((?:[^()\n]*,\s*)?(?:\w+\.)*[a-z_]\w*\(")
RESULT = re.compile(r"(?m)^\s*(?:const |let |var )?(\w+)\s*=\s*(?:await )?(?:\w+\.)*[a-z_]\w*\(")
# Keys of a schema with which less fits: lists of which every entry must fit, and bounds.
DEMANDS = (
    *("required", "minItems", "minLength", "minimum", "maximum", "maxItems", "maxLength"),
    *("pattern", "format", "const", "multipleOf", "uniqueItems", "minProperties"),
)
# How a test asks whether an object is freed.
ASKS_FOR_OBJECT = re.compile(r"\bweakref\b|\bgetrefcount\b|\bget_referrers\b|\bWeakSet\b")
MAX_DEPTH = 40


class BypassedMeasures:
    """What the changed product avoids, until the tests of the start are known."""

    def __init__(self, product: Sides) -> None:
        self.lost_calls: Counter[str] = Counter()  # method → how many calls fewer
        self.new_reads: Counter[str] = Counter()  # attribute → how many reads more
        self.emptied: list[tuple[str, str, str, int]] = []  # path, class, class with its content
        for path, (before, after) in product.items():
            if path.endswith(".py") and before and after:
                self._read(path, before, after)
        self.logs = [
            (path, number, line)
            for path, (before, after) in product.items()
            if path.endswith(".py") and "propagate" in (after or "")
            for number, line in new_lines(before, after)
            if LEAVES_LOG.search(line)
        ]
        self.schemas = dict(_looser_schemas(product))
        self.modules = {search_word(path) for path in product if path.endswith(CODE_SUFFIXES)}
        self.code = [path for path in product if path.endswith(".py")]

    def _read(self, path: str, before: str, after: str) -> None:
        old, new = parse_python(before), parse_python(after)
        if old is None or new is None:
            return
        calls, reads = _attributes(old)
        now_called, now_read = _attributes(new)
        self.lost_calls += calls - now_called
        self.new_reads += now_read - reads
        self.emptied += [(path, *row) for row in _emptied_classes(old, new)]

    @property
    def words(self) -> set[str]:
        """By which the tests and the other files of the product are searched."""
        found: set[str] = set()
        if self.lost_calls and self.new_reads:
            found |= {*self.lost_calls} | self.modules
        if self.logs or self.emptied:
            found |= self.modules
        for path in self.schemas:
            found |= {search_word(path), search_word(path).partition(".")[0]}
        return found - {""}

    def findings(self, files: Mapping[str, str], tests: Mapping[str, str]) -> Iterator[Finding]:
        """`files` are all files of the start that have one of the words."""
        texts = list(tests.values())
        for path, number, line in self.logs:
            if any(map(READS_LOG.search, texts)):
                yield Finding(MEDIUM, RULE, path, number, after=line)
        for path, name, other, number in self.emptied:
            if any(map(ASKS_FOR_OBJECT.search, texts)):
                yield Finding(MEDIUM, RULE, path, number, after=f"{other} for {name}")
        for path, reason in self.schemas.items():
            word = search_word(path).partition(".")[0]
            named = [text for text in texts if re.search(rf"\b{re.escape(word)}\b", text)]
            if any(map(_judges_results, named)):
                yield Finding(MEDIUM, RULE, path, after=reason)
        product = (text for path, text in files.items() if path not in tests)
        lines = [row for text in texts for row in text.splitlines() if COMPARES.search(row)]
        for counter, way in self._passed_counters(product):
            if any(re.search(rf"\.{counter}\b", row) for row in lines):
                path = self.code[0] if self.code else ""
                yield Finding(MEDIUM, RULE, path, after=f".{way} does not count as .{counter}")

    def _passed_counters(self, product: Iterator[str]) -> Iterator[tuple[str, str]]:
        """Counters of methods that are called less, and what the product uses directly now."""
        wanted = [name for name in self.lost_calls if name not in ("append", "get")]
        for text in product if wanted and self.new_reads else ():
            tree = parse_python(text) if "+=" in text else None
            for node in ast.walk(tree) if tree else ():
                if not isinstance(node, ast.FunctionDef) or node.name not in wanted:
                    continue
                counted = {
                    part.target.attr
                    for part in node.body
                    if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Attribute)
                }
                own = _own_attributes(node)
                ways = own & self.new_reads.keys() - counted
                yield from ((counter, min(ways)) for counter in sorted(counted) if ways)


def _attributes(tree: ast.Module) -> tuple[Counter[str], Counter[str]]:
    """How often each method is called, and each attribute of another object is read."""
    calls, reads = Counter[str](), Counter[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            calls[node.func.attr] += 1
        elif isinstance(node, ast.Attribute) and last_word(node.value) != "self":
            reads[node.attr] += 1
    return calls, reads


def _own_attributes(owner: ast.AST, context: type = ast.expr_context) -> set[str]:
    """The attributes of `self` that are used, or only those that are assigned (ast.Store)."""
    parts = [node for node in ast.walk(owner) if isinstance(node, ast.Attribute)]
    own = [part for part in parts if last_word(part.value) == "self"]
    return {part.attr for part in own if isinstance(part.ctx, context)}


def _emptied_classes(old: ast.Module, new: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Classes whose content a new class has now: both names, and the line of the new one."""
    before = {
        n.name: _own_attributes(n, ast.Store) for n in old.body if isinstance(n, ast.ClassDef)
    }
    after = {n.name: n for n in new.body if isinstance(n, ast.ClassDef)}
    for name in before.keys() & after.keys():
        lost = before[name] - _own_attributes(after[name], ast.Store)
        for other in after.keys() - before.keys():
            if len(lost & _own_attributes(after[other], ast.Store)) > 1:
                yield name, other, after[other].lineno


def _judges_results(test: str) -> bool:
    if JUDGES_RESULT.search(test):
        return True
    variables = "|".join(set(RESULT.findall(test)) - {"self"})
    given = rf"(?i)\b{JUDGE}\((?:[^()\n]*,\s*)?(?:{variables})\s*[,)]"
    return bool(variables and re.search(given, test))


def _looser_schemas(product: Sides) -> Iterator[tuple[str, str]]:
    """JSON schemas that accept more than before, with what they no longer demand."""
    for path, (before, after) in product.items():
        if not path.endswith(".json") or not before or not after:
            continue
        try:
            old, new = json.loads(before), json.loads(after)
        except (ValueError, RecursionError):
            continue
        if _is_schema(old) and _is_schema(new) and (reason := _lost_demand(old, new)):
            yield path, reason


def _is_schema(value: object) -> bool:
    has_parts = isinstance(value, dict) and isinstance(value.get("properties"), dict)
    return has_parts or (isinstance(value, dict) and "$schema" in value)


def _lost_demand(old: object, new: object, name: str = "", depth: int = 0) -> str:
    """What a schema demanded, and does not demand any more; "" if it is as strict."""
    if not isinstance(old, dict) or not isinstance(new, dict) or depth > MAX_DEPTH:
        return ""
    place = f"{name}: " if name else ""
    if _types(old) and (not _types(new) or _types(new) - _types(old) - {"integer"}):
        return f"{place}type {', '.join(sorted(_types(new))) or 'any'}"
    for key in DEMANDS:
        was, now = old.get(key), new.get(key)
        if isinstance(was, list) and set(map(str, was)) - set(map(str, now or ())):
            return f"{place}{key} {json.dumps(now or [])}"
        if key in old and key not in new:
            return f"{place}no {key}"
    if old.get("additionalProperties") is False and new.get("additionalProperties") is not False:
        return f"{place}additionalProperties"
    was, now = old.get("enum"), new.get("enum")
    if isinstance(was, list) and set(map(str, now or ("",))) - set(map(str, was)):
        return f"{place}enum"
    for key in old.keys() & new.keys() - {"enum", "required"}:
        if isinstance(old[key], dict) and (
            reason := _lost_demand(old[key], new[key], key, depth + 1)
        ):
            return reason
    return ""


def _types(schema: dict[str, object]) -> set[str]:
    """The types that fit; none if every type does."""
    given = schema.get("type", [])
    return {*map(str, given)} if isinstance(given, list) else {str(given)}
