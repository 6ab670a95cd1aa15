"""Finds product that redefines a name of the language or of a library, which the tests use.

A macro in a header, a name that a star import brings, a class in the package of the tests, a
function in their namespace or an exported function can take the place of `strcmp`, `abs`, `Math`
or `is` in tests that did not change. Python's own modules and assertions are looked for elsewhere
(shadowing.py, test_detection.py).
"""

from __future__ import annotations

import ast
import builtins
import posixpath
import sys
from typing import NamedTuple

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..readers.matchers import word_set
from ..references import search_word
from .comparison_methods import owner_line
from .value_methods import plain_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..project_files import Sides

C_DEFINITION = re.compile(
    r"^\s*#\s*define\s+(?P<macro>\w+)"
    r"|^(?:(?:static|inline|extern|const|unsigned)\s+)*[a-z_]\w*\s+\*?(?P<name>\w+)\s*\([^;]*$"
)
C_NAMES = word_set(
    "strcmp strncmp strcasecmp strncasecmp strcoll strlen strstr strchr strcpy strncpy strtol"
    " strtod memcmp memcpy memset wcscmp wcsncmp wcslen bcmp abs labs llabs fabs fabsf fabsl fmod"
    " round roundf floor floorf ceil ceilf trunc sqrt pow fmin fmax isnan isinf isfinite hypot"
    " toupper tolower isalpha isdigit isspace isalnum atoi atof qsort bsearch"
    " printf fprintf sprintf snprintf vprintf puts fputs putchar fopen fclose fflush fread fwrite"
    " fgets getenv exit _exit abort signal raise setjmp longjmp malloc calloc free time"
)
C_MACROS = ("isnan", "isinf", "isfinite", "setjmp")  # `#ifndef isnan` is false in every system
ANOTHER_SYSTEM = re.compile(r"_WIN32|_WIN64|_MSC_VER|__MINGW|__BORLANDC__|__CYGWIN__")
GO_DEFINITION = re.compile(r"^(?:func|type|var|const) (?P<name>\w+)")
GO_NAMES = word_set(
    "append cap clear close complex copy delete imag len make max min new panic print println real"
    " recover any bool byte error float32 float64 int int64 rune string uint true false nil iota"
)
PERL_DEFINITION = re.compile(r"^\s*sub (?P<name>\w+)")
PERL_NAMES = word_set(
    "abs int sprintf lc uc length join split substr index sort reverse keys values ref defined die"
    " exit is isnt ok like unlike is_deeply cmp_ok pass fail diag done_testing plan isa_ok can_ok"
)
PERL_EXPORT = re.compile(r"@EXPORT\b\s*=[^;]*")
JVM_DEFINITION = re.compile(
    r"^\s*(?:(?:public|internal|final|abstract|sealed|static|data|open)\s+)*"
    r"(?:class|object|interface|enum|record|struct)(?: class)? (?P<name>\w+)"
    r"|^(?:(?:public|internal|infix|inline) )*fun (?:<[^>]*> )?(?P<function>\w+)\("
)
JVM_NAMES = word_set(
    "Math StrictMath Objects Arrays Collections String StringBuilder Integer Long Double Float"
    " Boolean Character Number BigDecimal BigInteger System Assert Assertions Assumptions Convert"
    " Enumerable StringComparer MathF BitConverter abs round floor ceil sqrt check require error"
    " assertEquals assertTrue assertFalse assertNull assertNotNull assertThat assertFailsWith"
    " assertContentEquals expect fail maxOf minOf listOf setOf"
)
RUST_DEFINITION = re.compile(
    r"^(?:pub(?:\([^)]*\))? )?(?:fn|struct|enum|trait|type) (?P<name>\w+)"
    r"|^\s*macro_rules! *(?P<macro>\w+)"
)
RUST_MACROS = word_set("assert assert_eq assert_ne matches format panic vec write")
RUST_NAMES = RUST_MACROS | word_set(
    "drop String Vec Option Some Ok Box f32 f64 i32 i64 u32 u64 usize bool str"
)
PYTHON_NAMES = frozenset(name for name in dir(builtins) if name[0] != "_") | word_set(
    "isclose approx raises fabs floor ceil sqrt Decimal Fraction"
)
STANDARD_MODULES = sys.stdlib_module_names
# The classes of Ruby whose methods tests use for everything, and these methods.
RUBY_CORE = (
    r"(?:Integer|Float|Numeric|Rational|Complex|String|Symbol|Array|Hash|Range|Object|BasicObject"
    r"|Kernel|NilClass|TrueClass|FalseClass|Comparable|Enumerable|Time|Struct|Exception|Set)"
)
RUBY_METHOD = re.compile(
    r"^\s*def (?:==|!=|===|=~|<=>|-|\+|eql\?|equal\?|abs|round|floor|inspect|to_s|to_f|to_i|hash"
    r"|coerce|include\?|nil\?|empty\?|is_a\?|kind_of\?|instance_of\?|size|length|count|zero\?"
    r"|between\?|sort|raise|Float|Integer|String|Array)(?![\w?!=])"
)
RUBY_CLASS = re.compile(rf"^\s*(?:class|module) {RUBY_CORE}\s*$")
RUBY_PATCH = re.compile(
    rf"\b{RUBY_CORE}\.(?:prepend|class_eval|class_exec"
    r"|(?:send\(:)?(?:define|alias|undef|remove)_method)\b"
)
PACKAGE = re.compile(r"(?m)^\s*(?:package|namespace) ([\w.]+)")
PHP_DEFINITION = re.compile(r"^function &?(\w+)\(")
NAMESPACE = re.compile(r"(?m)^\s*namespace ([\w\\]+)")
GLOB = re.compile(r"\buse [\w:]+::\*")
MAX_QUOTED = 200


class Definition(NamedTuple):
    """A name of a library that a file of the product has defined since the start."""

    path: str
    name: str
    line: int
    text: str
    code: str  # of the whole file


class Language(NamedTuple):
    """How a language defines names, and when a test gets such a name from the product."""

    suffixes: tuple[str, ...]
    definition: re.Pattern[str]
    names: frozenset[str] | None  # None: those that a file of the tests defines
    reaches: Callable[[Definition, str, str], bool]  # definition, path and text of a test


class LibraryNames:
    """Names of libraries that changed files of the product define."""

    def __init__(self, product: Sides) -> None:
        self.definitions: list[tuple[Language, Definition]] = []
        self.core: list[Finding] = []
        known: set[str] = set()  # what other files have had may have moved
        for path, (before, _) in product.items():
            known |= {f"{path[-2:]}:{row.name}" for _, row in _all_definitions(path, before)}
        for path, (before, after) in product.items():
            if path.endswith(".rb") and after:
                self.core += _core_findings(path, plain_code(path, before), plain_code(path, after))
            for language, row in _all_definitions(path, after):
                if f"{path[-2:]}:{row.name}" not in known:
                    self.definitions.append((language, row))

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        found = {row.name for _, row in self.definitions}
        found |= {search_word(row.path) for _, row in self.definitions}
        return found - {""}

    def findings(self, tests: Mapping[str, str]) -> Iterator[Finding]:
        yield from self.core
        for language, row in self.definitions:
            if language.names is None and not _is_function_of(tests, row.name):
                continue
            users = [path for path in tests if path.endswith(language.suffixes)]
            if any(language.reaches(row, path, tests[path]) for path in users):
                rule = "measure-of-tests-changed"
                yield Finding(MEDIUM, rule, row.path, row.line, after=row.text[:MAX_QUOTED])


def _all_definitions(path: str, text: str | None) -> Iterator[tuple[Language, Definition]]:
    language = next((row for row in LANGUAGES if path.endswith(row.suffixes)), None)
    if language is not None and text:
        # Python is parsed, and without its docstrings a function may be empty.
        read = _python_definitions if path.endswith(".py") else _definitions
        for row in read(language, path, text):
            yield language, row


def _definitions(language: Language, path: str, text: str) -> Iterator[Definition]:
    lines = text.splitlines()
    if not any(map(language.definition.match, lines)):
        return
    code = plain_code(path, text)
    lines = code.splitlines()
    elsewhere = _lines_for_another_system(lines) if language.names is C_NAMES else set()
    for index, line in enumerate(lines):
        match = language.definition.match(line)
        name = next(filter(None, match.groups()), "") if match else ""
        is_known = bool(name) if language.names is None else name in language.names
        if is_known and index not in elsewhere:
            yield Definition(path, name, index + 1, line.strip(), code)


def _lines_for_another_system(lines: list[str]) -> set[int]:
    """The lines of C that no compiler reads, or only one for Windows."""
    found, open_conditions = set(), [False]
    for index, line in enumerate(lines):
        word = re.match(r"\s*#\s*(if\w*|elif|else|endif)\b(.*)", line)
        if word and word[1] in ("if", "ifdef", "elif"):
            is_other = bool(ANOTHER_SYSTEM.search(word[2])) and "!" not in word[2]
            if word[1] == "elif":
                open_conditions[-1] = is_other
            else:
                open_conditions.append(is_other)
        elif word and word[1] == "ifndef":
            open_conditions.append(word[2].strip() in C_MACROS)
        elif word and word[1] == "else":
            open_conditions[-1] = False
        elif word and len(open_conditions) > 1:
            open_conditions.pop()
        if any(open_conditions):
            found.add(index)
    return found


def _calls(row: Definition, path: str, test: str) -> bool:
    """Does a test in C call the function, and not define it itself?"""
    if row.text.startswith("#") and not row.path.endswith((".h", ".hpp")):
        name = re.escape(posixpath.basename(row.path))
        if not re.search(rf"#\s*include\b.*\b{name}\b", test):
            return False  # a macro does not leave its file
    own = rf"#\s*define\s+{row.name}\b|^(?:static |inline )*[a-z]\w* \*?{row.name}\([^;]*$"
    return bool(re.search(rf"\b{row.name}\s*\(", test)) and not re.search(rf"(?m){own}", test)


def _is_in_package(row: Definition, path: str, test: str) -> bool:
    """Is the test of Go in the same folder, and does it use the name?"""
    is_beside = posixpath.dirname(path) == posixpath.dirname(row.path)
    end = "[(]" if row.text.startswith("func") else r"\b"
    return is_beside and bool(re.search(rf"(?<![.\w]){row.name}{end}", test))


def _is_exported(row: Definition, path: str, test: str) -> bool:
    """Does a test of Perl load the module, which exports the name without being asked?"""
    exported = " ".join(PERL_EXPORT.findall(row.code))
    is_loaded = re.search(rf"\buse [\w:]*\b{re.escape(search_word(row.path))}\b", test)
    is_called = re.search(rf"(?<![\w>:$@%]){row.name}\b", test)
    return bool(is_loaded and is_called and re.search(rf"\b{row.name}\b", exported))


def _is_nearer(row: Definition, path: str, test: str) -> bool:
    """Is the test in the package of the definition, without an import of the name?"""
    own, other = (match[1] if (match := PACKAGE.search(text)) else "" for text in (row.code, test))
    is_inside = path.endswith(".cs") and other.startswith(f"{own}.")  # C# looks outwards
    if own != other and not is_inside:
        return False
    is_used = re.search(rf"(?<![.\w]){row.name}(?:\.|\()", test)
    return bool(is_used) and not re.search(rf"\bimport [\w. ]*\.{row.name}\b", test)


def _is_in_namespace(row: Definition, path: str, test: str) -> bool:
    """Does a test of PHP in the same namespace call the function by its bare name?

    PHP takes a function of the namespace before the one of all programs.
    """
    own, other = (NAMESPACE.findall(text)[:1] for text in (row.code, test))
    is_called = re.search(rf"(?<![\\\w>:$]){row.name}\(", test)
    is_imported = re.search(rf"(?m)^use function [^;\n]*\b{row.name}\b", test)
    return bool(own) and own == other and bool(is_called) and not is_imported


def _is_function_of(tests: Mapping[str, str], name: str) -> bool:
    return any(re.search(rf"\bfunction &?{name}\(", text) for text in tests.values())


def _is_globbed(row: Definition, path: str, test: str) -> bool:
    """Does a test of Rust take all names of a module, and use this one?"""
    is_macro = "macro_rules!" in row.text
    if is_macro != (row.name in RUST_MACROS):
        return False
    is_used = re.search(rf"\b{row.name}!" if is_macro else rf"\b{row.name}\b", test)
    return bool(is_used and (is_macro or GLOB.search(test)))


def _python_definitions(language: Language, path: str, code: str) -> Iterator[Definition]:
    """Names of the module that hide one of the language; an import of the language does not."""
    tree = parse_python(code)
    lines = code.splitlines()
    for node in tree.body if tree else ():
        names = [getattr(node, "name", "")]
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.ImportFrom):
            is_own = node.level or (node.module or "").partition(".")[0] not in STANDARD_MODULES
            names = [alias.asname or alias.name for alias in node.names] if is_own else []
        for name in names:
            if name in PYTHON_NAMES:
                yield Definition(path, name, node.lineno, lines[node.lineno - 1].strip(), code)


def _is_starred(row: Definition, path: str, test: str) -> bool:
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


def _core_findings(path: str, before: str, after: str) -> Iterator[Finding]:
    """Methods of Ruby's own classes that the product defines."""
    known = {text for _, text in _core_methods(before)}
    for number, text in _core_methods(after):
        if text not in known:
            rule = "measure-of-tests-changed"
            yield Finding(MEDIUM, rule, path, number, after=text[:MAX_QUOTED])


def _core_methods(code: str) -> Iterator[tuple[int, str]]:
    lines = code.splitlines()
    for index, line in enumerate(lines):
        owner = owner_line(lines, index) if RUBY_METHOD.match(line) else ""
        if RUBY_CLASS.match(owner):
            yield index + 1, f"{owner.strip()}: {line.strip()}"
        elif RUBY_PATCH.search(line):
            yield index + 1, line.strip()


LANGUAGES = (
    Language((".c", ".cc", ".cpp", ".h", ".hpp"), C_DEFINITION, C_NAMES, _calls),
    Language((".go",), GO_DEFINITION, GO_NAMES, _is_in_package),
    Language((".pm", ".pl", ".t"), PERL_DEFINITION, PERL_NAMES, _is_exported),
    Language((".java", ".kt", ".cs"), JVM_DEFINITION, JVM_NAMES, _is_nearer),
    Language((".php",), PHP_DEFINITION, None, _is_in_namespace),
    Language((".rs",), RUST_DEFINITION, RUST_NAMES, _is_globbed),
    Language((".py",), re.compile(r"(?!)"), frozenset(), _is_starred),
)
