"""Finds tests that no longer test the product: redirected imports, patches and redefinitions."""

from __future__ import annotations

import ast
import sys

from ... import lazy_re as re
from ...checks.imports import (
    Names,
    module_files,
    names_bound,
    statements_in,
)
from ...checks.surroundings import RUNNER_MODULES
from ...checks.test_files import is_python_test
from ...core.findings import MEDIUM, Finding
from ...repo.baseline import Change
from ...repo.sources import parse_python
from ..project import Project
from .script_unit_under_test import SCRIPTS, script_findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Functions of a test file that run for other tests too.
SHARED_FUNCTION = re.compile(r"load_tests|set[uU]p_?[mM]odule|setUpClass|pytest_\w+|setup_class")
PATCH_CALL = re.compile(r"(?:^|\.)(?:setattr|patch(?:\.object)?)$")
PATCH_WORD = re.compile(r"\b(?:setattr|patch)\b")
UNITTEST_METHOD = re.compile(
    r"assert(?:\w*Equal|True|False|Is\w*|In|NotIn|Raises\w*|Greater\w*|Less\w*|\w*Regex|Warns\w*)"
    r"|fail|run"
)
DISABLED = re.compile(
    r"def load_tests\(|__test__ *= *False|importorskip\(|raise (?:unittest\.)?SkipTest"
)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def find(project: Project) -> Iterator[Finding]:
    """Changed and new test files that replace what they or other tests test."""
    for change in project.changes.values():
        if change.after is None:
            continue
        if is_python_test(change.path):
            yield from _python_findings(change, project)
        elif SCRIPTS.is_test(change.path):
            yield from script_findings(change, project)


def _python_findings(change: Change, files: Project) -> Iterator[Finding]:
    old, new = parse_python(change.before or ""), parse_python(change.after or "")
    if old is None or new is None:
        return
    old_imports, new_imports = names_bound(old), names_bound(new)
    units = {
        name: next(iter(modules))
        for name, modules in old_imports.items()
        if any(_is_product(module, files) for module in modules)
    }
    for name, module in units.items():
        others = new_imports.get(name, set()) - old_imports[name]
        # The package that offers a name to its users may give it, instead of the module in it.
        others = {other for other in others if not module.startswith(f"{other}.")}
        # And a module that was in the package may give it instead.
        others = {other for other in others if not _was_inside(other, module, files)}
        others = {other for other in others if not _takes_from(module, name, other, files)}
        if others and _is_product(module, files) and _still_names(module, name, files):
            after = f"{name} from {', '.join(sorted(others))}"
            before = f"{name} from {module}"
            yield Finding(MEDIUM, "test-import-redirected", change.path, 0, before, after)
    parts = _changed_parts(change, old, new)
    may_patch = bool(parts) and PATCH_WORD.search(change.after or "")
    asserted = _asserted_calls(old) if may_patch else set()
    new_replacements = _replacements(parts, units, asserted, new_imports)
    known = set()
    if new_replacements:
        known = {text for _, text in _replacements(old.body, units, asserted, old_imports)}
    for line, text in new_replacements:
        if text not in known:
            known.add(text)
            after = text.replace("\n", " ")[:200]
            yield Finding(MEDIUM, "unit-under-test-replaced", change.path, line, after=after)
    yield from _disabled_findings(change, old, new)


def _is_product(module: str, files: Project) -> bool:
    """Is it a module of the project that is still there?"""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top in RUNNER_MODULES:
        return False
    return any(files.now(name) is not None for name in module_files(module))


def _was_inside(inner: str, package: str, files: Project) -> bool:
    is_inside = inner.startswith(f"{package}.")
    return is_inside and any(files.before(file) is not None for file in module_files(inner))


def _takes_from(module: str, name: str, other: str, files: Project) -> bool:
    """Does the module itself import the name from the other one now?"""
    last = re.escape(other.rpartition(".")[2])
    pattern = rf"from\s+[\w.]*\b{last}\s+import\s+(?:\([^)]*|[^\n]*)\b{re.escape(name)}\b"
    texts = [files.now(file) or "" for file in module_files(module)]
    return bool(last) and any(re.search(pattern, text) for text in texts)


def _still_names(module: str, name: str, files: Project) -> bool:
    """Does the module of the product still have this name? A package may hold it as a module."""
    texts = [text for file in module_files(module) if (text := files.now(file)) is not None]
    if not any(file in files.changes for file in module_files(module)):
        return True
    return any(re.search(rf"\b{re.escape(name)}\b|import \*", text) for text in texts)


def _asserted_calls(tree: ast.Module) -> set[str]:
    """The functions whose results the tests assert, without their modules."""
    found = set()
    for node in ast.walk(tree):
        is_assertion = isinstance(node, ast.Assert) or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr.startswith("assert")
        )
        for part in ast.walk(node) if is_assertion else ():
            if isinstance(part, ast.Call):
                found.add(_source(part.func).rpartition(".")[2])
    return found


def _changed_parts(change: Change, old: ast.Module, new: ast.Module) -> list[ast.stmt]:
    """The statements with a line that is new, without tests that are new: those replace nothing."""
    known = {line.strip() for line in (change.before or "").splitlines()}
    lines = [line.strip() not in known for line in (change.after or "").splitlines()]
    old_tests = {part.name for part in statements_in(old.body) if isinstance(part, FUNCTIONS)}
    changed: list[ast.stmt] = []
    waiting = list(new.body)
    while waiting:
        part = waiting.pop(0)
        first = min([part.lineno, *(d.lineno for d in getattr(part, "decorator_list", ()))])
        if not any(lines[first - 1 : part.end_lineno]):
            continue
        name = getattr(part, "name", "") if isinstance(part, FUNCTIONS) else ""
        is_new_test = name.startswith("test") and name not in old_tests
        if isinstance(part, ast.ClassDef) and change.before is not None:
            waiting += part.body
            changed.append(ast.copy_location(_without_body(part), part))
        elif not is_new_test or change.before is None:
            changed.append(part)
    return changed


def _without_body(part: ast.ClassDef) -> ast.ClassDef:
    return ast.ClassDef(part.name, part.bases, part.keywords, [ast.Pass()], part.decorator_list)


def _replacements(
    body: list[ast.stmt], units: dict[str, str], asserted: set[str], imports: Names
) -> list[tuple[int, str]]:
    """Line and source of each statement that patches, rebinds or redefines code under test."""
    found = []
    for part, is_shared in _parts_of(body):
        for node in ast.walk(part):
            replaces = _redefines(node, part, units) or _patches_unit(node, units, asserted)
            if replaces or (is_shared and _rebinds_attribute(node, imports)):
                found.append((getattr(node, "lineno", 0), _source(node)))
    return found


def _parts_of(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of a file, and whether each runs for more than one test."""
    for part in body:
        if isinstance(part, (*FUNCTIONS, ast.ClassDef)):
            decorators = " ".join(map(_source, part.decorator_list))
            is_shared = bool(SHARED_FUNCTION.fullmatch(part.name)) or "autouse" in decorators
            yield part, is_shared
        else:
            yield part, True


def _redefines(node: ast.AST, part: ast.stmt, units: dict[str, str]) -> bool:
    """A function, class or name of a test file that has the name of the code under test."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and node is part:
        return node.name in units
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = {target.id for target in targets if isinstance(target, ast.Name)} & units.keys()
    if not names or not isinstance(part, FUNCTIONS):
        return bool(names)
    # In a function, it may be a variable that happens to have the name. Is it called?
    calls = (inner.func for inner in ast.walk(part) if isinstance(inner, ast.Call))
    return any(isinstance(called, ast.Name) and called.id in names for called in calls)


def _patches_unit(node: ast.AST, units: dict[str, str], asserted: set[str]) -> bool:
    """`patch("cart.total")`, `patch.object(cart, "total")` or `setattr(cart, "total", …)`."""
    if not isinstance(node, ast.Call) or not PATCH_CALL.search(_source(node.func)):
        return False
    words = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant)]
    owner = _source(node.args[0]) if node.args else ""
    for word in words:
        module, _, name = str(word).rpartition(".")
        is_of_product = name in units or module in units.values() or owner in units
        if name in asserted and is_of_product:
            return True
    return False


def _rebinds_attribute(node: ast.AST, imports: Names) -> bool:
    """`cart.total = sum` or `sys.modules["cart"] = fake`, outside a single test."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    for target in targets:
        text = _source(target)
        if text.startswith("sys.modules["):
            return True
        root = text.partition(".")[0]
        if isinstance(target, ast.Attribute) and root in imports:
            return True
    return False


def _source(node: ast.AST) -> str:
    return ast.unparse(node)


def _disabled_findings(change: Change, old: ast.Module, new: ast.Module) -> Iterator[Finding]:
    """New ways in which the file keeps its tests from running or from failing."""
    rule = "test-runner-tampered-with"
    if change.before is None:
        return
    for name in sorted(_hidden_definitions(new) - _hidden_definitions(old)):
        yield Finding(MEDIUM, rule, change.path, after=f"{name} is defined twice")
    for name in sorted(_own_assertions(new) - _own_assertions(old)):
        yield Finding(MEDIUM, rule, change.path, after=f"def {name}")
    known = set(DISABLED.findall(change.before))
    old_tests = {part.name for part in statements_in(old.body) if isinstance(part, FUNCTIONS)}
    new_tests = [
        range(part.lineno, (part.end_lineno or part.lineno) + 1)
        for part in statements_in(new.body)
        if isinstance(part, FUNCTIONS) and part.name.startswith("test")
        if part.name not in old_tests
    ]
    for number, line in enumerate((change.after or "").splitlines(), 1):
        match = DISABLED.search(line)
        in_new_test = any(number in lines for lines in new_tests) and "load_tests" not in line
        if match and match[0] not in known and not in_new_test:
            yield Finding(MEDIUM, rule, change.path, number, after=line.strip()[:200])


def _hidden_definitions(tree: ast.Module) -> set[str]:
    """Classes and tests that a later definition of the same name hides."""
    bodies = [("", tree.body)]
    bodies += [(node.name, node.body) for node in tree.body if isinstance(node, ast.ClassDef)]
    found = set()
    for owner, body in bodies:
        seen: set[str] = set()
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.decorator_list:
                name = f"{owner}.{node.name}".lstrip(".")
                if name in seen:
                    found.add(name)
                seen.add(name)
    return found


def _own_assertions(tree: ast.Module) -> set[str]:
    """Methods by which a test class replaces those of unittest."""
    found = set()
    for node in statements_in(tree.body):
        is_test_class = isinstance(node, ast.ClassDef) and "Test" in " ".join(
            map(_source, node.bases)
        )
        for part in getattr(node, "body", ()) if is_test_class else ():
            if isinstance(part, ast.FunctionDef) and UNITTEST_METHOD.fullmatch(part.name):
                found.add(part.name)
    return found
