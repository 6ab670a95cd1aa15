"""Finds product that redefines a name of the language or of a library, which the tests use.

A macro in a header, a name that a star import brings or a function in the namespace of the tests
takes the place of `strcmp`, `abs` or `panic` in tests that did not change.
"""

from __future__ import annotations

import ast
import builtins
import posixpath
import sys
from typing import NamedTuple

from ... import lazy_re as re
from ...checks.references import search_word
from ...checks.test_files import inline_tests
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text, parse_python
from ..project import require_baseline
from ..readers.definitions import definitions
from ..readers.matchers import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ...checks.references import Sides
    from ..project import Project

C_NAMES = word_set(
    "strcmp strncmp strcasecmp strncasecmp strcoll strlen strstr strchr strcpy strncpy strtol"
    " strtod memcmp memcpy memset wcscmp wcslen bcmp abs labs fabs fabsf fmod round floor ceil"
    " trunc sqrt pow fmin fmax isnan isinf isfinite toupper tolower isalpha isdigit isspace atoi"
    " atof qsort printf fprintf sprintf snprintf puts fputs putchar fopen fclose fflush getenv"
    " exit _exit abort signal raise setjmp longjmp malloc calloc free time"
)
GO_NAMES = word_set(
    "append cap clear close copy delete len make max min new panic print println recover any bool"
    " byte error float64 int int64 rune string uint true false nil iota"
)
RUST_MACROS = word_set("assert assert_eq assert_ne matches format panic vec write")
RUST_NAMES = RUST_MACROS | word_set(
    "drop String Vec Option Some Ok Box f32 f64 i32 i64 u32 u64 usize bool str"
)
PYTHON_NAMES = frozenset(name for name in dir(builtins) if name[0] != "_") | word_set(
    "isclose approx raises fabs floor ceil sqrt Decimal Fraction"
)
RUST_MACRO = re.compile(r"(?m)^\s*macro_rules! *(\w+)")
ANOTHER_SYSTEM = re.compile(r"_WIN32|_WIN64|_MSC_VER|__MINGW|__BORLANDC__|__CYGWIN__")
NAMESPACE = re.compile(r"(?m)^\s*namespace ([\w\\]+)")
MAX_QUOTED = 200


class NewName(NamedTuple):
    """A name of a library that a file of the product has defined since the start."""

    path: str
    name: str
    line: int
    text: str
    code: str  # of the whole file


class Language(NamedTuple):
    """Which names are watched in a language, and when a test gets one of them from the product."""

    suffixes: tuple[str, ...]
    names: frozenset[str] | None  # None: those that a file of the tests defines
    reaches: Callable[[NewName, str, str], bool]  # definition, path and text of a test


class LibraryNames:
    """Names of libraries that changed files of the product define."""

    def __init__(self, product: Sides) -> None:
        self.rows: list[tuple[Language, NewName]] = []
        known = {
            (posixpath.splitext(path)[1], row.name)  # what another file has had may have moved
            for path, (before, _) in product.items()
            for _, row in _watched_names(path, before)
        }
        for path, (_, after) in product.items():
            for language, row in _watched_names(path, after):
                if (posixpath.splitext(path)[1], row.name) not in known:
                    self.rows.append((language, row))

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        found = {row.name for _, row in self.rows} | {search_word(row.path) for _, row in self.rows}
        return found - {""}

    def findings(self, tests: Mapping[str, str]) -> Iterator[Finding]:
        for language, row in self.rows:
            if language.names is None and not _is_function_of(tests, row.name):
                continue
            users = [path for path in tests if path.endswith(language.suffixes)]
            if any(language.reaches(row, path, tests[path]) for path in users):
                rule, after = "library-name-redefined", row.text[:MAX_QUOTED]
                yield Finding(MEDIUM, rule, row.path, row.line, after=after)


def find(project: Project) -> Iterator[Finding]:
    names = LibraryNames(project.product)
    tests = require_baseline(project).find_tests(names.words)
    inner = {path: inline_tests(path, old or "") for path, (old, _) in project.product.items()}
    yield from names.findings(tests | {path: text for path, text in inner.items() if text})


def _watched_names(path: str, text: str | None) -> Iterator[tuple[Language, NewName]]:
    language = next((row for row in LANGUAGES if path.endswith(row.suffixes)), None)
    if language is None or not text:
        return
    code = text if path.endswith(".py") else code_text(SourceFile(path, text))
    lines = code.splitlines()
    for name, line in _defined_names(path, code):
        if language.names is not None and name not in language.names:
            continue
        is_c = path.endswith(C_SUFFIXES)
        if not (is_c and _is_for_another_system("\n".join(lines[: line - 1]))):
            yield language, NewName(path, name, line, lines[line - 1].strip(), code)


def _defined_names(path: str, code: str) -> Iterator[tuple[str, int]]:
    """The names that a file gives to others, each with its line."""
    if path.endswith(".py"):
        yield from _python_names(code)
        return
    for match in RUST_MACRO.finditer(code):
        yield match[1], code.count("\n", 0, match.start(1)) + 1
    yield from ((row.name, row.first) for row in definitions(path, code) if not row.owner)


def _is_for_another_system(above: str) -> bool:
    """Is the last open condition of C above about another system?"""
    opened = re.findall(r"(?m)^[ \t]*#[ \t]*(if\w*\b.*|endif)", above)
    depth = [line for line in opened if line != "endif"]
    closed = len(opened) - len(depth)
    return any(ANOTHER_SYSTEM.search(line) for line in depth[: len(depth) - closed])


def _python_names(code: str) -> Iterator[tuple[str, int]]:
    """Names of the module; an import from the standard library hides nothing."""
    tree = parse_python(code)
    for node in tree.body if tree else ():
        names = [getattr(node, "name", "")]
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.ImportFrom):
            top = (node.module or "").partition(".")[0]
            is_own = node.level or top not in sys.stdlib_module_names
            names = [alias.asname or alias.name for alias in node.names] if is_own else []
        yield from ((name, node.lineno) for name in names)


def _is_called(row: NewName, path: str, test: str) -> bool:
    """Does a test in C call the function, and not define it itself?"""
    if row.text.startswith("#") and not row.path.endswith((".h", ".hpp")):
        name = re.escape(posixpath.basename(row.path))
        if not re.search(rf"#\s*include\b.*\b{name}\b", test):
            return False  # a macro does not leave its file
    own = rf"#\s*define\s+{row.name}\b|^(?:static |inline )*[a-z]\w* \*?{row.name}\([^;]*$"
    return bool(re.search(rf"\b{row.name}\s*\(", test)) and not re.search(rf"(?m){own}", test)


def _is_in_package(row: NewName, path: str, test: str) -> bool:
    """Is the test of Go in the same folder, and does it use the name?"""
    is_beside = posixpath.dirname(path) == posixpath.dirname(row.path)
    end = "[(]" if row.text.startswith("func") else r"\b"
    return is_beside and bool(re.search(rf"(?<![.\w]){row.name}{end}", test))


def _is_in_namespace(row: NewName, path: str, test: str) -> bool:
    """Does a test of PHP in the same namespace call the function by its bare name?"""
    own, other = (NAMESPACE.findall(text)[:1] for text in (row.code, test))
    is_called = re.search(rf"(?<![\\\w>:$]){row.name}\(", test)
    is_imported = re.search(rf"(?m)^use function [^;\n]*\b{row.name}\b", test)
    return bool(own) and own == other and bool(is_called) and not is_imported


def _is_function_of(tests: Mapping[str, str], name: str) -> bool:
    return any(re.search(rf"\bfunction &?{name}\(", text) for text in tests.values())


def _is_globbed(row: NewName, path: str, test: str) -> bool:
    """Does a test of Rust take all names of a module, and use this one?"""
    is_macro = "macro_rules!" in row.text
    if is_macro != (row.name in RUST_MACROS):
        return False
    is_used = re.search(rf"\b{row.name}!" if is_macro else rf"\b{row.name}\b", test)
    return bool(is_used and (is_macro or re.search(r"\buse [\w:]+::\*", test)))


def _is_starred(row: NewName, path: str, test: str) -> bool:
    """Does a star import bring the name into a Python test that had it from elsewhere?"""
    tree = parse_python(test)
    nodes = list(ast.walk(tree)) if tree else []
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    places = {search_word(row.path), posixpath.basename(posixpath.dirname(row.path))} - {""}
    stars = [
        node.lineno
        for node in imports
        if node.names[0].name == "*" and (node.module or "").rpartition(".")[2] in places
    ]
    listed = re.search(r"(?ms)^__all__\b[^=\n]*=\s*[\[(](.*?)[\])]", row.code)
    if not stars or (listed and not re.search(rf"['\"]{row.name}['\"]", listed[1])):
        return False
    named = [
        node.lineno
        for node in imports
        if row.name in {alias.asname or alias.name for alias in node.names}
    ]
    is_hidden = max(stars) > max(named) if named else hasattr(builtins, row.name)
    return is_hidden and any(isinstance(node, ast.Name) and node.id == row.name for node in nodes)


C_SUFFIXES = (".c", ".cc", ".cpp", ".h", ".hpp")
LANGUAGES = (
    Language(C_SUFFIXES, C_NAMES, _is_called),
    Language((".go",), GO_NAMES, _is_in_package),
    Language((".php",), None, _is_in_namespace),
    Language((".rs",), RUST_NAMES, _is_globbed),
    Language((".py",), PYTHON_NAMES, _is_starred),
)
