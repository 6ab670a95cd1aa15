"""Finds changed examples in docstrings and documents, where a check runs them (doctest)."""

from __future__ import annotations

import ast
import posixpath
from collections import Counter

from ... import lazy_re as re
from ...checks.reach import Reach
from ...core.findings import MEDIUM, Finding
from ...repo.baseline import Change
from ...repo.sources import parse_python
from ..project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...checks.reach import ReadFile

EXAMPLE_SUFFIXES = (".py", ".pyi", ".md", ".rst", ".txt")
SETTINGS_FILES = ("pyproject.toml", "pytest.ini", ".pytest.ini", "setup.cfg", "tox.ini")
PROMPT, CONTINUED = ">>> ", "... "
RUNS_EXAMPLES = re.compile(r"\bdoctest\b|--doctest|--xdoctest|\bsphinx-build .*doctest")
TOX_ENVIRONMENT = re.compile(r"^\[testenv[^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.M)
# A command that runs the examples of files that it names, and of no others.
NAMES_FILES = re.compile(r"\S*python[\d.]* (?:-\S+ )*-m doctest((?: [\w./=-]+\.\w+| -\S+)+)")
# Decorators under which doctest still finds the docstring.
SHOWS_DOCSTRING = re.compile(
    r"property|classmethod|staticmethod|(?:abc\.)?abstractmethod|\w+\.(?:getter|setter|deleter)"
)
RUNS_RUST_EXAMPLES = re.compile(
    r"\bcargo (?:\+\S+ )?t(?:est)?\b(?!.* --(?:lib|tests|bins?|all-targets)\b)"
)
RUST_COMMENT = re.compile(r"\s*//[/!] ?(.*)")
RUN_FENCES = frozenset(("rust", "edition2018", "edition2021", "edition2024", "should_panic"))

Example = tuple[str, str]  # what is run, and what it must print
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def find(project: Project) -> Iterator[Finding]:
    """The first example of each file that is gone, skipped, or must print something else."""
    yield from _rust_findings(project, project.reach, project.commands)
    changed = [c for c in project.changes.values() if c.path.endswith(EXAMPLE_SUFFIXES)]
    if not any(PROMPT in (c.before or "") for c in changed):
        return
    if not runs_examples(project.before, project.reach, project.commands):
        return
    changed = _read_by_checks(changed, project, project.reach)
    current = Counter(e for c in changed for e in _run_examples(c.path, c.after or ""))
    former = Counter(e for c in changed for e in _run_examples(c.path, c.before or ""))
    for change in changed:
        own = _run_examples(change.path, change.before or "")
        now = Counter(_run_examples(change.path, change.after or ""))
        lost = [e for e in own if current[e] < former[e] and now[e] < own.count(e)]
        if lost:
            before = f"{lost[0][0]} → {lost[0][1]}"[:200]
            yield Finding(MEDIUM, "expected-data-changed", change.path, before=before)
        for line in _hiding_lines(change) if change.path.endswith(".py") else ():
            yield Finding(MEDIUM, "expected-data-changed", change.path, after=line[:200])


def _hiding_lines(change: Change) -> Iterator[str]:
    """New decorators of functions with examples: the runner may no longer see their docstring."""
    old, new = parse_python(change.before or ""), parse_python(change.after or "")
    if old is None or new is None:
        return
    known = {name: decorators for name, decorators, _ in _definitions(old)}
    for name, decorators, text in _definitions(new):
        if PROMPT in text and name in known:
            added = (word for word in decorators if word not in known[name])
            yield from (f"@{word}" for word in added if not SHOWS_DOCSTRING.fullmatch(word))


def _run_examples(path: str, text: str) -> list[Example]:
    """The examples of a file that a runner finds: in Python, only those in docstrings."""
    tree = parse_python(text) if path.endswith(".py") else None
    if tree is None:
        return _examples_in(text)
    return [example for docstring in _found_docstrings(tree) for example in _examples_in(docstring)]


def _found_docstrings(tree: ast.Module) -> Iterator[str]:
    """The docstrings that doctest finds: of the module, of its classes, of their functions."""
    hidden = {target for node in ast.walk(tree) for target in _changed_docstrings(node)}
    if "" not in hidden:
        yield ast.get_docstring(tree, clean=False) or ""
    for name, node in _visible_definitions(tree.body):
        if name not in hidden:
            yield ast.get_docstring(node, clean=False) or ""
    for table in tree.body:
        if isinstance(table, ast.Assign) and _is_table_of_tests(table):
            texts = (part.value for part in ast.walk(table) if isinstance(part, ast.Constant))
            yield from (text for text in texts if isinstance(text, str))


def _is_table_of_tests(node: ast.Assign) -> bool:
    return any(isinstance(t, ast.Name) and t.id == "__test__" for t in node.targets)


def _changed_docstrings(node: ast.AST) -> Iterator[str]:
    """The names whose docstring or module a statement replaces or deletes; "" for the module's."""
    if not isinstance(node, ast.Assign | ast.Delete | ast.AnnAssign | ast.AugAssign):
        return
    targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
    for target in targets:
        if isinstance(target, ast.Attribute) and target.attr in ("__doc__", "__module__"):
            yield ast.unparse(target.value)
        elif isinstance(target, ast.Name) and target.id == "__doc__":
            yield ""


def _visible_definitions(
    body: list[ast.stmt], prefix: str = ""
) -> Iterator[tuple[str, Definition]]:
    """The functions and classes of a body that nothing below them in it replaces.

    Functions inside of functions are left out, as doctest does.
    """
    for index, node in enumerate(body):
        if isinstance(node, Definition):
            if node.name in _rebound_names(body[index + 1 :]):
                continue
            name = f"{prefix}{node.name}"
            yield name, node
            if isinstance(node, ast.ClassDef):
                yield from _visible_definitions(node.body, f"{name}.")
        else:
            for field in ("body", "orelse", "handlers", "finalbody"):
                inner = getattr(node, field, [])
                yield from _visible_definitions(inner, prefix)


def _rebound_names(body: list[ast.stmt]) -> set[str]:
    """The names that statements bind to something else or delete.

    A decorated function may belong to the one before it: the setter of a property.
    """
    found = set()
    for node in body:
        if isinstance(node, Definition) and not node.decorator_list:
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.Delete):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _definitions(tree: ast.Module) -> Iterator[tuple[str, list[str], str]]:
    """Each function and class: its name with that of its class, its decorators, its docstring."""
    for name, node in _visible_definitions(tree.body):
        decorators = [ast.unparse(part) for part in node.decorator_list]
        yield name, decorators, ast.get_docstring(node) or ""


def _rust_findings(
    files: Project, reach: Reach, commands: Sequence[str | tuple[str, ...]]
) -> Iterator[Finding]:
    """Examples in the comments of Rust that cargo ran, and that it only compiles or leaves out."""
    changed = [c for c in files.changes.values() if c.path.endswith(".rs") and c.before]
    if not any("```" in (c.before or "") for c in changed):
        return
    lines = [c if isinstance(c, str) else " ".join(c) for c in commands]
    if not any(RUNS_RUST_EXAMPLES.search(text) for text in (*lines, *reach.programs)):
        return
    for change in changed:
        was, now = _rust_examples(change.before or ""), _rust_examples(change.after or "")
        left_out = [code for code, is_run in now if not is_run and (code, True) in was]
        run = [sum(is_run for _, is_run in examples) for examples in (was, now)]
        if left_out or (change.after is not None and run[1] < run[0]):
            lost = left_out or [code for code, is_run in was if (code, is_run) not in now]
            before = lost[0][:200] if lost else ""
            yield Finding(MEDIUM, "expected-data-changed", change.path, before=before)


def _rust_examples(text: str) -> list[tuple[str, bool]]:
    """The code of each example in a documentation comment, and whether cargo runs it."""
    found: list[tuple[str, bool]] = []
    code: list[str] | None = None
    is_run = False
    for raw in text.splitlines():
        match = RUST_COMMENT.match(raw)
        if not match:
            code = None
        elif not match[1].startswith("```"):
            if code is not None:
                code.append(match[1])
        elif code is None:
            words = {word for word in re.split(r"[ ,]+", match[1].strip("`")) if word}
            code, is_run = [], words <= RUN_FENCES
        else:
            found.append(("\n".join(code), is_run))
            code = None
    return found


def runs_examples(
    read_file: ReadFile, reach: Reach, commands: Sequence[str | tuple[str, ...]]
) -> bool:
    """Do the checks run the examples in docstrings? `read_file` reads files of the baseline."""
    lines = [c if isinstance(c, str) else " ".join(c) for c in commands]
    texts = [*lines, *reach.programs]
    settings = {name: read_file(name) or "" for name in SETTINGS_FILES}
    if "tox.ini" not in reach.files:  # its commands are not run, its settings for pytest are read
        settings["tox.ini"] = TOX_ENVIRONMENT.sub("", settings["tox.ini"])
    texts += settings.values()
    texts += [read_file(path) or "" for path, _ in reach.entries]
    texts += [read_file(path) or "" for path in reach.files if _is_small_code(path)]
    return any(RUNS_EXAMPLES.search(text) for text in texts)


def _read_by_checks(changed: list[Change], files: Project, reach: Reach) -> list[Change]:
    """Those whose examples are run; an example that moves elsewhere is not run any more."""
    read = _named_files(files, reach)
    own = [path for path in reach.files if path in files.changes and path not in read]
    scripts = [files.now(path) or "" for path in own]
    return [
        change
        for change in changed
        if not read or change.path in read or any(change.path in text for text in scripts)
    ]


def _named_files(files: Project, reach: Reach) -> set[str]:
    """The files whose examples are run, if every command for it names them; else none."""
    texts = [files.before(name) or "" for name in SETTINGS_FILES]
    if any(RUNS_EXAMPLES.search(text) for text in texts):
        return set()
    read: set[str] = set()
    for line in reach.lines:
        if not RUNS_EXAMPLES.search(line):
            continue
        match = NAMES_FILES.fullmatch(line)
        if match is None:
            return set()
        read |= {posixpath.normpath(word) for word in match[1].split() if word[:1] != "-"}
    return read


def _is_small_code(path: str) -> bool:
    return posixpath.basename(path).endswith((".py", ".sh"))


def _examples_in(text: str) -> list[Example]:
    found: list[tuple[list[str], list[str]]] = []
    is_open = False
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith(PROMPT) or line == PROMPT.strip():
            found.append(([line], []))
            is_open = True
        elif not line or line.startswith(('"""', "'''", "```")):
            is_open = False
        elif is_open and not found[-1][1] and line.startswith(CONTINUED):
            found[-1][0].append(line)
        elif is_open:
            found[-1][1].append(line)
    return [("\n".join(source), "\n".join(printed)) for source, printed in found]
