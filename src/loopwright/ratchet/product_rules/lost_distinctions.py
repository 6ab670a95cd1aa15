"""Finds product that tells less apart than before: errors and members of enumerations.

A test waits for an error of the product, or compares with a member of an enumeration. If the error
is any error, or two members are one, the unchanged test shows less.
"""

from __future__ import annotations

import ast

from ... import lazy_re as re
from ...checks.code_files import SCRIPT_SUFFIXES
from ...checks.surroundings import is_product_code
from ...core.findings import MEDIUM, Finding
from ...repo.sources import line_number, parse_python
from ..readers.python_text import last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

RULE = "product-tells-less-apart"
EVERY_ERROR = frozenset(("Exception", "BaseException", "object"))
ENUMERATIONS = frozenset(("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"))
Part = ast.stmt | ast.expr
SCRIPT_ERROR = re.compile(r"\bclass (\w+) extends \w*Error\b")
# A group of names for values: an enum, or an object that is frozen or constant.
SCRIPT_MEMBERS = re.compile(
    r"\benum (?P<enum>\w+) *\{(?P<members>[^{}]*)\}"
    r"|\b(?P<object>\w+) *= *Object\.freeze\( *\{(?P<frozen>[^{}]*)\}"
    r"|\b(?P<constant>\w+) *= *\{(?P<values>[^{}]*)\} *as const\b"
)
# An error of Go with a value, and without one.
GO_ERROR = re.compile(
    r"(?m)^(?:var |\t)((?!err\b)\w+)(?: error)? *= *(?:errors|fmt|\w+)\.(?:New|Errorf)\("
)
GO_NIL_ERROR = re.compile(r"(?m)^(?:var |\t)((?!err\b)\w+) error *(?:= *nil *)?$")
SCRIPT_MEMBER = re.compile(r"(\w+)['\"]? *[:=] *('[^'\n]*'|\"[^\"\n]*\"|\d+|Symbol\([^)]*\))")


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        is_read = change.path.endswith((".py", ".go", *SCRIPT_SUFFIXES)) and change.after
        if not is_read or not is_product_code(change):
            continue
        if not change.path.endswith(".py"):
            for number, text in _lost_by_text(change.path, change.before or "", change.after or ""):
                yield Finding(MEDIUM, RULE, change.path, number, after=text[:200])
            continue
        old, new = parse_python(change.before or ""), parse_python(change.after or "")
        if old is None or new is None:
            continue
        for node in (*_errors_without_bounds(old, new), *_merged_members(old, new)):
            yield _finding(change.path, node)


def _lost_by_text(path: str, before: str, after: str) -> Iterator[tuple[int, str]]:
    """The same for other languages: line and source."""
    if path.endswith(".go"):
        with_value = {*GO_ERROR.findall(before)} - {*GO_ERROR.findall(after)}
        for match in GO_NIL_ERROR.finditer(after):
            if match[1] in with_value:
                yield line_number(after, match.start(1)), match[0].strip()
    else:
        yield from _merged_script_names(before, after)


def _merged_script_names(before: str, after: str) -> Iterator[tuple[int, str]]:
    """Errors and members of JavaScript and TypeScript that are one now."""
    errors = "|".join(map(re.escape, SCRIPT_ERROR.findall(before)))
    every_error = re.compile(rf"\b(?:{errors}) *= *Error\b(?!\w)") if errors else None
    for match in every_error.finditer(after) if every_error else ():
        yield after[: match.start()].count("\n") + 1, match[0]
    known = dict(_script_members(before))
    for name, members in _script_members(after):
        old = known.get(name, {})
        for member, value in members.items():
            if not old.get(member) or old[member] == value:
                continue
            same = [one for one, other in members.items() if one != member and other == value]
            if any(old.get(one) not in (None, old[member]) for one in same):
                yield 0, f"{name}: {member} is {value}, as {same[0]}"


def _script_members(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    for match in SCRIPT_MEMBERS.finditer(text):
        name = match["enum"] or match["object"] or match["constant"]
        members = match["members"] or match["frozen"] or match["values"] or ""
        yield name, dict(SCRIPT_MEMBER.findall(members))


def _finding(path: str, node: Part) -> Finding:
    text = ast.unparse(node).partition("\n")[0]
    return Finding(MEDIUM, RULE, path, node.lineno, after=text[:200])


def _errors_without_bounds(old: ast.Module, new: ast.Module) -> Iterator[ast.stmt]:
    """Names that were a class of the product, and that stand for every error now."""
    classes = {node.name for node in old.body if isinstance(node, ast.ClassDef)}
    for node in ast.walk(new):
        if not isinstance(node, ast.Assign):
            continue
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if names & classes and any(last_word(value) in EVERY_ERROR for value in values):
            yield node


def _merged_members(old: ast.Module, new: ast.Module) -> Iterator[ast.stmt]:
    """Members of an enumeration that had different values, and that have the same now."""
    before = {node.name: _members(node) for node in _enumerations(old)}
    for node in _enumerations(new):
        known = before.get(node.name, {})
        first: dict[str, str] = {}
        for name, part in _members(node).items():
            value = ast.dump(part.value)
            other = first.setdefault(value, name)
            former = [ast.dump(known[one].value) for one in (other, name) if one in known]
            if len(former) == 2 and former[0] != former[1]:
                yield part


def _enumerations(tree: ast.Module) -> Iterator[ast.ClassDef]:
    for node in ast.walk(tree):
        bases = node.bases if isinstance(node, ast.ClassDef) else []
        if isinstance(node, ast.ClassDef) and {last_word(base) for base in bases} & ENUMERATIONS:
            yield node


def _members(owner: ast.ClassDef) -> dict[str, ast.Assign]:
    """The members whose value is written out or is the name of another member."""
    return {
        target.id: part
        for part in owner.body
        if isinstance(part, ast.Assign)
        for target in part.targets
        if isinstance(target, ast.Name) and not isinstance(part.value, ast.Call)
    }
