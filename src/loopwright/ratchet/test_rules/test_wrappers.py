"""Finds what is put around unchanged tests: decorators, base classes, inputs, matchers."""

from __future__ import annotations

import ast
from itertools import islice

from ... import lazy_re as re
from ...checks.code_files import SCRIPT_SUFFIXES
from ...checks.test_files import is_python_test
from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..project import new_lines
from ..readers.python_text import last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project import Project

PYTHON_ROOTS = ("", "src/", "tests/", "test/", "lib/")
HARMLESS_METHODS = ("__init__", "__new__", "__repr__", "__str__", "__hash__", "__init_subclass__")
UNITTEST_ASSERT = re.compile(
    r"assert(?:(?:Not)?(?:AlmostEqual|Equal|In|IsInstance|Regex)|Is(?:Not)?(?:None)?|True|False"
    r"|(?:List|Dict|Set|Tuple|Sequence|Count|MultiLine)Equal|(?:Greater|Less)(?:Equal)?"
    r"|(?:Raises|Warns)(?:Regex)?|(?:No)?Logs)"
)
# Matchers that come with jest and vitest.
MATCHER = (
    r"to(?:Be|Equal|StrictEqual|Match|MatchObject|MatchSnapshot|MatchInlineSnapshot|Contain"
    r"|ContainEqual|Throw|ThrowError|HaveLength|HaveProperty|HaveBeenCalled|HaveBeenCalledWith"
    r"|HaveBeenCalledTimes|Be(?:Null|Undefined|Defined|Truthy|Falsy|NaN|CloseTo|GreaterThan"
    r"|GreaterThanOrEqual|LessThan|LessThanOrEqual|InstanceOf))"
)
# How a project tells a runner to compare values of a type in its own way.
REGISTERED_COMPARISONS = frozenset(
    ("addTypeEqualityFunc", "_type_equality_funcs", "_getAssertEqualityFunc", "_baseAssertEqual")
)
REGISTERED_TESTER = re.compile(r"\.(?:addEqualityTesters|addCustomEqualityTester)\(")
# What a test case does around each test; whoever replaces it decides what a failure is.
RUNNING_METHODS = frozenset(
    ("run", "__call__", "fail", "doCleanups", "subTest", "_callTestMethod", "failureException")
)
EXTENDED_MATCHER = re.compile(
    rf"\bexpect\.extend\(\s*\{{(?:[^;]|\n){{0,2000}}?\b({MATCHER})\b\s*[:(]"
    rf"|\.prototype\.({MATCHER})\s*="
)
OWN_WAY = "in its own way"
BUILT_IN_TYPES = frozenset(
    ("int", "float", "str", "bytes", "list", "dict", "tuple", "set", "frozenset", "complex")
)
MAX_FINDINGS_OF_FILE = 3
# Python reads a file in the encoding that one of its first two lines names.
ENCODING = re.compile(
    r"#.*?coding[:=](?![ \t]*(?:utf-?8|ascii|us-ascii|latin-?1|iso-8859|cp125\d)\b)[ \t]*([\w.-]+)",
    re.I,
)


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        if change.after is None:
            continue
        if change.path.endswith(SCRIPT_SUFFIXES):
            yield from _matcher_findings(change)
        elif change.path.endswith(".py"):
            yield from _encoding_findings(change)
            yield from islice(_python_findings(change, project), MAX_FINDINGS_OF_FILE)


def _matcher_findings(change: Change) -> Iterator[Finding]:
    """Matchers of the runner that the project defines anew."""
    known = {"".join(match) for match in EXTENDED_MATCHER.findall(change.before or "")}
    for match in EXTENDED_MATCHER.finditer(change.after or ""):
        name = match[1] or match[2]
        if name not in known:
            line = (change.after or "")[: match.start()].count("\n") + 1
            yield Finding(MEDIUM, "test-wrapped", change.path, line, after=f"defines {name} anew")
    for number, text in new_lines(change.before, change.after):
        if REGISTERED_TESTER.search(text):
            yield Finding(MEDIUM, "test-wrapped", change.path, number, after=text[:200])


def _encoding_findings(change: Change) -> Iterator[Finding]:
    for number, line in enumerate((change.after or "").splitlines()[:2], 1):
        if ENCODING.match(line) and line not in (change.before or "").splitlines()[:2]:
            yield Finding(MEDIUM, "test-wrapped", change.path, number, after=line[:200])


def _python_findings(change: Change, files: Project) -> Iterator[Finding]:
    new = parse_python(change.after or "")
    if new is None:
        return
    old = parse_python(change.before or "") or ast.Module([], [])
    is_test = is_python_test(change.path)
    reasons = _class_reasons(new, is_test) if "class " in (change.after or "") else {}
    if is_test and change.before is None:  # of its own tests, a new file may decide all this
        reasons = {line: why for line, why in reasons.items() if OWN_WAY not in why}
    known = set(_class_reasons(old, is_test).values()) if reasons else set()
    for line, reason in reasons.items():
        if reason not in known:
            yield Finding(MEDIUM, "test-wrapped", change.path, line, after=reason)
    if is_test and change.before is not None:
        own: set[str] | None = None
        before, after = _tests_by_name(old), _tests_by_name(new)
        for name, test in after.items():
            if name not in before:
                continue
            former = {ast.unparse(mark) for mark in before[name].decorator_list}
            for mark in test.decorator_list:
                if ast.unparse(mark) in former:
                    continue
                own = _own_names(new, files) if own is None else own
                if _first_name(mark) in own:
                    text = f"@{ast.unparse(mark)} around {name}"
                    yield Finding(MEDIUM, "test-wrapped", change.path, mark.lineno, after=text)


def _class_reasons(tree: ast.Module, is_test: bool) -> dict[int, str]:
    classes = [part for part in ast.walk(tree) if isinstance(part, ast.ClassDef)]
    reasons = {part.lineno: _class_reason(part, is_test) for part in classes}
    return {line: reason for line, reason in reasons.items() if reason}


def _only_raises(function: ast.FunctionDef) -> bool:
    return len(function.body) == 1 and isinstance(function.body[0], ast.Raise)


def _class_reason(part: ast.ClassDef, is_test: bool) -> str:
    """Why objects of this class may make tests pass; "" if they do not."""
    methods = [m.name for m in part.body if isinstance(m, ast.FunctionDef)]
    asserting = [name for name in methods if UNITTEST_ASSERT.fullmatch(name)]
    is_type_only = [last_word(base) for base in part.bases] == ["Protocol"]
    if asserting and not is_type_only:
        return f"{part.name} defines {asserting[0]} anew"
    registered = {last_word(node) for node in ast.walk(part)} | {*methods}
    if own := sorted(registered & REGISTERED_COMPARISONS):
        return f"{part.name} compares {OWN_WAY} ({own[0]})"
    if any(last_word(base).endswith("TestCase") for base in part.bases):
        values = [p for p in part.body if isinstance(p, ast.Assign)]
        names = {*methods, *(last_word(target) for p in values for target in p.targets)}
        if own := sorted(names & RUNNING_METHODS):
            return f"{part.name} runs its tests {OWN_WAY} ({own[0]})"
    bases = {_first_name(base) for base in part.bases}
    working = [m for m in part.body if isinstance(m, ast.FunctionDef) and not _only_raises(m)]
    dunder = [m.name for m in working if m.name.startswith("__")]
    special = [name for name in dunder if name not in HARMLESS_METHODS]
    if is_test and bases & BUILT_IN_TYPES and special:
        return f"{part.name} is a {sorted(bases & BUILT_IN_TYPES)[0]} with its own {special[0]}"
    return ""


def _tests_by_name(tree: ast.Module) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    found: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    classes = [part for part in tree.body if isinstance(part, ast.ClassDef)]
    for prefix, body in (("", tree.body), *((f"{part.name}.", part.body) for part in classes)):
        functions = [p for p in body if isinstance(p, ast.FunctionDef | ast.AsyncFunctionDef)]
        found |= {f"{prefix}{p.name}": p for p in functions if p.name.startswith("test")}
    return found


def _own_names(tree: ast.Module, files: Project) -> set[str]:
    """Names that the project itself defines: in this file, or in a module that it imports."""
    found = {
        part.name
        for part in tree.body
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom):
            if part.level or _is_own(part.module or "", files):
                found |= {alias.asname or alias.name for alias in part.names}
        elif isinstance(part, ast.Import):
            own = [alias for alias in part.names if _is_own(alias.name, files)]
            found |= {alias.asname or alias.name.partition(".")[0] for alias in own}
    return found


def _is_own(module: str, files: Project) -> bool:
    path = module.replace(".", "/")
    ends = (f"{path}.py", f"{path}/__init__.py")
    return any(files.now(f"{root}{end}") is not None for root in PYTHON_ROOTS for end in ends)


def _first_name(node: ast.expr) -> str:
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
