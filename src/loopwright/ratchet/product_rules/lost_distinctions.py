"""Finds product that tells less apart than before: errors, members, what is in something.

A test waits for an error of the product, compares with a member of an enumeration or asks what a
result contains. If the error is any error, two members are one or everything is contained, the
unchanged test shows less.
"""

from __future__ import annotations

import ast

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import line_number, parse_python
from ..readers.languages import SCRIPT_SUFFIXES
from ..readers.python_text import last_word
from ..surroundings import is_product_code
from .comparisons import BUILT_IN_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project_files import ProjectFiles

RULE = "product-tells-less-apart"
EVERY_ERROR = frozenset(("Exception", "BaseException", "object"))
ENUMERATIONS = frozenset(("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"))
# Methods that answer a question about another value.
ANSWERS = ("__contains__", "__instancecheck__", "__subclasscheck__")
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
# What a test of Rust returns decides whether it passed.
RUST_RESULT = re.compile(r"(?ms)^impl\b[^\n]*\bTermination for (\w+).*?^\}")
# What a value of Rust is read as: by `*value`, or where a slice or a text is wanted.
RUST_VIEW = re.compile(
    r"(?ms)^impl\b[^\n]*\b(Deref|AsRef|Borrow|Index)\b(?:<[^\n]*>)? for (\w+)[^\n]*\{\n(.*?)^\}"
)
RUST_OWN_FIELD = re.compile(r"\bself\.(\w+)\b(?!\()")
RUST_FAILURE = re.compile(r"\bFAILURE\b|ExitCode::from\(|\.into\(")
SCRIPT_MEMBER = re.compile(r"(\w+)['\"]? *[:=] *('[^'\n]*'|\"[^\"\n]*\"|\d+|Symbol\([^)]*\))")


# An assertion in the product itself, in other languages than Python.
OWN_ASSERTION = re.compile(
    r"(?m)^\s*((?:debug_)?assert(?:_eq|_ne)?!\(.*|assert[ (].*|(?:console|Debug)\.[aA]ssert\(.*)"
)


def findings(files: ProjectFiles) -> Iterator[Finding]:
    for change in files.changes.values():
        if line := _lost_assertion(change):
            yield Finding(MEDIUM, "product-assertion-removed", change.path, before=line[:200])
        is_read = change.path.endswith((".py", ".go", ".rs", *SCRIPT_SUFFIXES)) and change.after
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
        known = {ast.unparse(node) for node in _one_sided_answers(old)}
        for answer in _one_sided_answers(new):
            if ast.unparse(answer) not in known:
                yield _finding(change.path, answer)


def _lost_assertion(change: Change) -> str:
    """An assertion of product code that is gone, if the file has fewer of them; else ""."""
    before, after = change.before or "", change.after or ""
    if not after or change.path.endswith(".py") or not is_product_code(change):
        return ""
    if change.path.endswith(".rs"):
        before, after = (text.partition("#[cfg(test)]")[0] for text in (before, after))
    old, new = OWN_ASSERTION.findall(before), OWN_ASSERTION.findall(after)
    return next((line for line in old if line not in new), "") if len(new) < len(old) else ""


def _lost_by_text(path: str, before: str, after: str) -> Iterator[tuple[int, str]]:
    """The same for other languages: line and source."""
    if path.endswith(".go"):
        with_value = {*GO_ERROR.findall(before)} - {*GO_ERROR.findall(after)}
        for match in GO_NIL_ERROR.finditer(after):
            if match[1] in with_value:
                yield line_number(after, match.start(1)), match[0].strip()
    elif path.endswith(".rs"):
        known = {match[1]: match[0] for match in RUST_RESULT.finditer(before)}
        for match in RUST_RESULT.finditer(after):
            could_fail = RUST_FAILURE.search(known.get(match[1], ""))
            if could_fail and not RUST_FAILURE.search(match[0]):
                yield line_number(after, match.start()), match[0].partition("\n")[0]
        yield from _other_views(before, after)
    else:
        yield from _merged_script_names(before, after)


def _other_views(before: str, after: str) -> Iterator[tuple[int, str]]:
    """Types that are read as another part of what they hold than before."""
    known = {match.group(1, 2): match for match in RUST_VIEW.finditer(before)}
    for match in RUST_VIEW.finditer(after):
        former = known.get(match.group(1, 2))
        lost = {*RUST_OWN_FIELD.findall(former[3] if former else "")}
        lost -= {*RUST_OWN_FIELD.findall(match[3])}
        if any(re.search(rf"(?m)^\s+(?:pub(?:\([^)]*\))? )?{name}:", after) for name in lost):
            yield line_number(after, match.start()), " ".join(match[0].split())


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


def _one_sided_answers(tree: ast.Module) -> Iterator[ast.stmt]:
    """Answers about another value that never look at it, in a class whose objects hold values."""
    for owner in ast.walk(tree):
        if not isinstance(owner, ast.ClassDef) or not _holds_values(owner):
            continue
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef) or method.name not in ANSWERS:
                continue
            other = method.args.args[-1].arg if method.args.args else ""
            body = [node for part in method.body for node in ast.walk(part)]
            is_answered = any(isinstance(node, ast.Return) for node in body)
            if is_answered and not any(last_word(node) == other for node in body):
                yield method


def _holds_values(owner: ast.ClassDef) -> bool:
    if any(last_word(base) in {*BUILT_IN_TYPES, "type"} for base in owner.bases):
        return True
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        for node in ast.walk(owner)
    )
