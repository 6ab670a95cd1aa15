"""Finds values and comparisons of the product with which unchanged tests measure it.

A test may take what it expects from the product: `len(page()) == PAGE_SIZE`, `if flags.BULK:`,
`assert same_amount(total(prices), 400)`. If the agent changes that measure, the test shows less.
"""

from __future__ import annotations

import ast
import posixpath

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES, SCRIPT_SUFFIXES
from ...checks.references import search_word
from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..project import require_baseline
from ..readers.python_text import last_word
from ..settings_rules.manifests import is_manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

LOOSE_CALLS = frozenset(("abs", "round", "isclose", "approx", "int", "len", "bool", "type"))
LITERAL = r"(true|false|-?\d[\d_.]*|'[^'\n]*'|\"[^\"\n]*\")"
# A name of the module, or of an object in it, that stands for a value that is written out.
SCRIPT_CONSTANT = re.compile(
    rf"(?m)^\s*(?:export )?(?:(?:const|let|var) )?([\w$]+)(?:: *\w+)? *[:=] *{LITERAL}[,;]?$"
)
# The same in other languages, and in data that the product reads.
CONSTANT = re.compile(
    r"(?m)^\s*(?:(?:pub|public|private|internal|static|final|const|var|val|readonly)\s+)*"
    rf"(?:[a-zA-Z]+ (?=\w+ *=))?([A-Za-z]\w+)(?:: *[\w&' ]+| \w+)? *= *{LITERAL};?$"
)
DATA_VALUE = re.compile(rf"[\"']?\b([A-Za-z]\w+)[\"']? *[:=] *{LITERAL} *(?=[,\n}}]|$)")
DATA_SUFFIXES = (".json", ".toml", ".yaml", ".yml")
OTHER_SUFFIXES = (".go", ".rs", ".java", ".kt", ".cs", ".rb", ".php", *DATA_SUFFIXES)
MAX_VALUES = 20  # of one file, which are searched in tests
ASSERTING_NAME = re.compile(r"(?:assert|expect|should)(?:_|[A-Z])")
FAILURES = ("AssertionError", "failureException")
READS_FILE = re.compile(r"\bread(?:_text|_bytes|lines)?\(|\bopen\(")
SKIPS = ("skipif", "skipIf", "skipUnless")
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Measures:
    """The names of one changed module whose meaning could be the measure of a test."""

    def __init__(self, path: str, before: str, after: str) -> None:
        self.values: frozenset[str] = frozenset()
        self.comparisons: frozenset[str] = frozenset()
        self.assertions: frozenset[str] = frozenset()  # helpers that assert, for testers
        self.is_only_values = False
        self.is_data = path.endswith(DATA_SUFFIXES)
        if not path.endswith(".py"):
            pattern = _pattern_for(path)
            self.values = _changed_values(*(_written_values(pattern, t) for t in (before, after)))
            rest = [pattern.sub("", text) for text in (before, after)]
            self.is_only_values = bool(self.values) and rest[0] == rest[1]
            if path.endswith(OTHER_SUFFIXES) and len(self.values) > MAX_VALUES:
                self.values = frozenset()  # a table that was written anew
            return
        old, new = parse_python(before), parse_python(after)
        if old is None or new is None:
            return
        self.values = _changed_values(_constants(old), _constants(new))
        self.comparisons = frozenset(_loosened_functions(old, new))
        self.assertions = frozenset(_changed_assertions(old, new))
        self.is_only_values = bool(self.values) and _without_values(old) == _without_values(new)

    @property
    def names(self) -> frozenset[str]:
        return self.values | self.comparisons | self.assertions


def find(project: Project) -> Iterator[Finding]:
    """Values and comparisons of the product that changed, and that unchanged tests measure with."""
    baseline = require_baseline(project)
    measures = {
        path: Measures(path, before, after)
        for path, (before, after) in project.product.items()
        if path.endswith((".py", *SCRIPT_SUFFIXES, *OTHER_SUFFIXES)) and before and after
        if not is_manifest(path)
    }
    code = [path for path in project.product if path.endswith(CODE_SUFFIXES)]
    is_only_values = all(path in measures and measures[path].is_only_values for path in code)
    words = {word for measure in measures.values() for word in measure.names}
    programs = {posixpath.basename(path) for path in measures if path.endswith(".py")}
    tests = baseline.find_tests(words | programs)
    for path, measure in measures.items():
        for test, text in tests.items():
            if test in project.changes:
                continue
            lines = _lines_measuring_with(path, measure, is_only_values, text)
            for line in (*lines, *lines_through_program(posixpath.basename(path), text)):
                yield Finding(MEDIUM, "measure-of-tests-changed", path, after=line[:200])


def _lines_measuring_with(
    path: str, measure: Measures, is_only_values: bool, test: str
) -> Iterator[str]:
    """The lines of a test that measure with a file of the product."""
    if path.endswith(OTHER_SUFFIXES):  # a test need not name the file, only the value
        yield from measuring_lines_of_other(measure, is_only_values, test)
    elif search_word(path) in test:
        read = measuring_lines if path.endswith(".py") else measuring_lines_of_script
        yield from read(measure, is_only_values, test)


def _changed_values(before: dict[str, str], after: dict[str, str]) -> frozenset[str]:
    return frozenset(n for n in before.keys() & after.keys() if before[n] != after[n])


def _pattern_for(path: str) -> re.Pattern[str]:
    if path.endswith(DATA_SUFFIXES):
        return DATA_VALUE
    return CONSTANT if path.endswith(OTHER_SUFFIXES) else SCRIPT_CONSTANT


def _written_values(pattern: re.Pattern[str], text: str) -> dict[str, str]:
    found = {match[1]: match[2] for match in pattern.finditer(text)}
    return {name: value for name, value in found.items() if "version" not in name.lower()}


def measuring_lines_of_other(measures: Measures, is_only_values: bool, test: str) -> Iterator[str]:
    """The same as `measuring_lines`, for tests in other languages: results that are compared."""
    owner = r"(?:\.|\[[\"'])" if measures.is_data else r"\b"  # data is read as a part of something
    names = rf"{owner}(?:{'|'.join(map(re.escape, sorted(measures.values)))})\b"
    compared = re.compile(rf"\bif\b.*\w\(.*[!=]=.*{names}|\bif\b.*{names}.*[!=]=.*\w\(")
    asserted = re.compile(
        rf"(?:assert|expect|[eE]qual)\w*!?[ (].*(?:\w\(.*,.*{names}|{names}.*,.*\w\()"
    )
    for line in test.splitlines() if measures.values and is_only_values else ():
        if compared.search(line) or asserted.search(line):
            yield line.strip()


def measuring_lines_of_script(measures: Measures, is_only_values: bool, test: str) -> Iterator[str]:
    """The same as `measuring_lines`, for a test in JavaScript or TypeScript."""
    names = rf"\b(?:{'|'.join(map(re.escape, sorted(measures.values)))})\b"
    condition = re.compile(rf"(?:\bif *\(|\b(?:skip|run)If\(|\bskip:).*{names}")
    expected = re.compile(rf"expect\(.*\(.*\)\.[\w.]+\(.*{names}|[eE]qual\(.*\(.*\).*,.*{names}")
    for line in test.splitlines() if measures.values else ():
        if condition.search(line) or (is_only_values and expected.search(line)):
            yield line.strip()


def measuring_lines(measures: Measures, is_only_values: bool, test: str) -> Iterator[str]:
    """The parts of an unchanged test that measure with one of the names.

    `is_only_values`: such values are all that changed in the product.
    """
    tree = parse_python(test)
    if tree and not _expects_errors_of(tree, measures.assertions):
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        used = (call for call in calls if last_word(call.func) in measures.assertions)
        yield from map(ast.unparse, used)
    for node in ast.walk(tree) if tree else ():
        if any(_names(part) & measures.values for part in _conditions(node)):
            yield ast.unparse(node).partition("\n")[0]
        elif isinstance(node, ast.Assert) or _is_assert_call(node):
            is_expected = is_only_values and _expects(node, measures.values)
            parts = ast.walk(node)
            if is_expected or any(_compares_a_result(p, measures.comparisons) for p in parts):
                yield ast.unparse(node)


def lines_through_program(name: str, test: str) -> Iterator[str]:
    """Assertions that send both sides through a program of the project, one of them from a file.

    Such a program makes the result and what is expected alike. `name` is the name of its file.
    """
    tree = parse_python(test) if name in test else None
    if tree is None:
        return
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    callers = {function.name for function in functions if name in ast.unparse(function)}
    for node in ast.walk(tree):
        sides = _sides(node)
        is_sent = [any(_calls(part, callers) for part in ast.walk(side)) for side in sides]
        is_kept = [bool(READS_FILE.search(ast.unparse(side))) for side in sides]
        if len(sides) == 2 and all(is_sent) and sum(is_kept) == 1:
            yield ast.unparse(node)


def _calls(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and last_word(node.func) in names


def _conditions(node: ast.AST) -> list[ast.expr]:
    """What decides which way a test takes, or whether it runs."""
    if isinstance(node, ast.If | ast.IfExp):
        return [node.test]
    is_skip = isinstance(node, ast.Call) and last_word(node.func) in SKIPS
    return node.args if is_skip and isinstance(node, ast.Call) else []


def _is_assert_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_word(node.func).startswith("assert")


def _expects(node: ast.AST, values: frozenset[str]) -> bool:
    """Does an assertion compare the result of a call with one of the values?"""
    sides = _sides(node)
    named = [side for side in sides if _names(side) & values]
    others = [side for side in sides if side not in named]
    return bool(named) and any(
        isinstance(part, ast.Call) for side in others for part in ast.walk(side)
    )


def _sides(node: ast.AST) -> list[ast.expr]:
    """What an assertion compares; empty if it is none."""
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
        return [node.test.left, *node.test.comparators]
    if isinstance(node, ast.Call) and _is_assert_call(node):
        return node.args[:2]
    return []


def _compares_a_result(node: ast.AST, comparisons: frozenset[str]) -> bool:
    """Is it a call of the comparison with the result of another call?"""
    if not isinstance(node, ast.Call) or last_word(node.func) not in comparisons:
        return False
    return any(isinstance(part, ast.Call) for arg in node.args for part in ast.walk(arg))


def _constants(tree: ast.Module) -> dict[str, str]:
    """The names of the module that stand for a value that is written out."""
    return {
        target.id: ast.dump(part.value)
        for part in tree.body
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant)
        for target in part.targets
        if isinstance(target, ast.Name) and "version" not in target.id.lower()
    }


def _without_values(tree: ast.Module) -> list[str]:
    parts = [
        part
        for part in tree.body
        if not (isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant))
    ]
    return [ast.dump(part) for part in parts]


def _loosened_functions(old: ast.Module, new: ast.Module) -> Iterator[str]:
    """Functions that only asked whether two values are equal, and that ask for less now."""
    before = {node.name: node for node in old.body if isinstance(node, Function)}
    for node in new.body:
        former = before.get(node.name) if isinstance(node, Function) else None
        if former is None or not isinstance(node, Function) or not _is_equality(former):
            continue
        if not _is_equality(node) or _loose_calls(node) - _loose_calls(former):
            yield node.name


def _changed_assertions(old: ast.Module, new: ast.Module) -> Iterator[str]:
    """Functions and methods that assert for tests, and that no longer assert all they did."""
    before, after = _asserted_texts(old), _asserted_texts(new)
    yield from (name for name in before.keys() & after.keys() if before[name] - after[name])


def _asserted_texts(tree: ast.Module) -> dict[str, set[str]]:
    """What each function with the name of an assertion asserts."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, Function) and ASSERTING_NAME.match(node.name):
            parts = [p for p in ast.walk(node) if isinstance(p, ast.Assert) or _is_assert_call(p)]
            raised = [p for p in ast.walk(node) if isinstance(p, ast.If) and _raises_failure(p)]
            found[node.name] = {ast.unparse(p) for p in parts} | {ast.unparse(p) for p in raised}
    return found


def _raises_failure(node: ast.If) -> bool:
    raised = [part.exc for part in node.body if isinstance(part, ast.Raise)]
    kinds = [exc.func if isinstance(exc, ast.Call) else exc for exc in raised]
    return any(last_word(kind) in FAILURES for kind in kinds)


def _expects_errors_of(tree: ast.Module, names: frozenset[str]) -> bool:
    """Does a test ask whether such a function fails? Then the function is what it tests."""
    raising: list[ast.AST] = []
    for node in ast.walk(tree):
        heads: list[ast.expr] = []
        if isinstance(node, ast.With | ast.AsyncWith):
            heads = [item.context_expr for item in node.items]
        elif isinstance(node, ast.Call):
            heads = [node.func]
        raising += [node for head in heads if "aises" in ast.unparse(head)]
    return any(_names(node) & names for node in raising)


def _is_equality(function: Function) -> bool:
    """Does every way through the function return whether values are equal?"""
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return bool(returned) and all(
        isinstance(value, ast.Compare) and all(isinstance(op, ast.Eq) for op in value.ops)
        for value in returned
    )


def _loose_calls(function: Function) -> set[str]:
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {last_word(call.func) for call in calls} & LOOSE_CALLS


def _names(node: ast.AST) -> set[str]:
    return {last_word(part) for part in ast.walk(node)} - {""}
