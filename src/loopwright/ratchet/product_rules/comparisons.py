"""Finds changed parts of the product with which tests compare: its equalities and its errors.

Whether a changed comparison is weaker shows only when it runs, so one that lost a word is a
question. A new one is found if it says yes to everything.
"""

from __future__ import annotations

from collections import Counter

from ... import lazy_re as re
from ...checks.surroundings import is_product_code
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text, line_number
from ..readers.definitions import CONSTANT, changed_definitions
from ..readers.matchers import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project import Project
    from ..readers.definitions import Definition

COMPARING = word_set(
    "__eq__ __ne__ __contains__ __instancecheck__ __subclasscheck__ equals Equals Equal isEqual"
    " equalTo toJSON [Symbol.hasInstance] == === != eql? equal? operator== operator!="
)
HOLDS = "__contains__"
OPERATORS_OF_RUST = word_set("eq ne")
SAYS_YES = re.compile(r"[:{]\s*(?:return\s+)?[tT]rue\b;?\s*\}?\s*$")
TOKEN = re.compile(r"\w+|[-+*/%<>=!&|^~.]+")
DECLARED_TYPE = re.compile(r"\b((?:const|let|var) \w+): [^=;\n]+(?= =)")  # as TypeScript has it
NAMED_ERROR = re.compile(
    r"(?m)^\s*(?:export )?class (\w+)\b.*(?:Error|Exception)\b"
    r"|^(?:var |\t)(?!err\b)(\w+)(?: error)? *= *(?:errors\.New|fmt\.Errorf)\("
)
ANY_ERROR = (
    r"(?m)^\s*(?:export |const |let |var )*{name} *(?:= *\(?(?:[\w, ]*\b)?"
    r"(?:Error|Exception|BaseException)\)?;?$|error *(?:= *nil *)?$)"
)
MAX_QUOTED = 200


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        if change.after is None or not is_product_code(change):
            continue
        for definition in _changed_comparisons(change):
            text = " ".join(definition.text.split())[:MAX_QUOTED]
            rule = "comparison-says-less"
            yield Finding(MEDIUM, rule, change.path, definition.first, after=text)
        yield from _errors_of_any_kind(change)


def _changed_comparisons(change: Change) -> Iterator[Definition]:
    path = change.path
    for old, new in changed_definitions(path, change.before, change.after):
        if new is None or not _is_comparing(path, new):
            continue
        if old is None or new.name == HOLDS:  # a container may be kept in another way
            is_alias = new.kind == CONSTANT  # `__eq__ = int.__le__`
            is_weaker = is_alias or bool(SAYS_YES.search(_code(path, new)))
        else:
            words = [Counter(TOKEN.findall(_code(path, each))) for each in (old, new)]
            is_weaker = bool(words[0] - words[1])
        if is_weaker:
            yield new


def _is_comparing(path: str, definition: Definition) -> bool:
    """Is it a method, or an operator outside of a type, with which tests compare?"""
    names = OPERATORS_OF_RUST if path.endswith(".rs") else COMPARING
    is_operator = not definition.name.isidentifier()
    return definition.name in names and (bool(definition.owner) or is_operator)


def _code(path: str, definition: Definition) -> str:
    return DECLARED_TYPE.sub(r"\1", code_text(SourceFile(path, definition.text)))


def _errors_of_any_kind(change: Change) -> Iterator[Finding]:
    """Names of errors that stand for every error now, or for none."""
    before, after = change.before or "", change.after or ""
    for match in NAMED_ERROR.finditer(before):
        name = re.escape(match[1] or match[2])
        if found := re.search(ANY_ERROR.format(name=name), after):
            rule, line = "product-tells-less-apart", line_number(after, found.start())
            yield Finding(MEDIUM, rule, change.path, line, after=found[0].strip()[:MAX_QUOTED])
