"""Finds new lines of product code by their words: test_words.py and process_words.py.

Such code detects a test run, takes it apart, or changes a setting of its whole process.
"""

from __future__ import annotations

import sys

from ... import lazy_re as re
from ...checks.code_files import path_of_code
from ...checks.surroundings import is_product_code
from ...checks.test_files import INLINE_TESTS
from ...core.findings import MEDIUM, Finding
from ...repo.baseline import Change
from ...repo.sources import SCRIPT_ENDINGS, SourceFile, code_text, line_number
from ..project import Project
from .process_words import PROCESS_WORDS
from .test_words import WORDS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A line that is only a sentence, as a part of a message.
PROSE = re.compile(r"^f?[\"'] ?\w[^{}]*(?: [a-z]+){2,}.*[\"'][,)]*$")
REQUIREMENT = re.compile(r"(?:install|tests|setup|extras)_require\w* *=")
# A package on a line of its own, in the list that setup.py gives to the installer.
LISTED_PACKAGE = re.compile(r"['\"][A-Za-z][\w.-]*(?:\[[\w,-]+\])? *(?:[<>=~!][^'\"]*)?['\"],?")
FRAME = re.compile(
    r"sys\._getframe|inspect\.(?:stack|currentframe)|\.f_(?:back|code|globals|locals)"
)
SCRIPT_IMPORT = re.compile(
    r"(?:const|let|var|import)\s+(?:\*\s+as\s+)?([\w$]+)\s*(?:=\s*require\(|from)"
    r"\s*['\"][^.'\"/#]"
)
# A benchmark measures with the data of the tests.
BENCHMARK_FOLDER = re.compile(r"^(?:bench(?:mark)?s?|perf(?:ormance)?)/")
LOADED_FILE = re.compile(
    r"^[^'\"=]+=? *require\(['\"]\.{1,2}/[^'\"]+['\"]\);?$|^(?:from|import) [^;]+;?$"
)
PYTHON_IMPORT = re.compile(r"(?m)^\s*import (\w+)\s*$")
RUNNER_NAMES = ("pytest", "_pytest", "unittest", "Minitest", "RSpec", "Test::Unit", "PHPUnit")
RUNNER_IMPORT = re.compile(
    r"(?m)^\s*(?:import|from) (?:_?pytest|unittest)\b"
    r"|^\s*(?:require|use)\b.*(?:minitest|rspec|test/unit|PHPUnit)"
    r"|^\s*(?:module|class) .*(?:Minitest|RSpec)"
)
PROGRAM_FILE = re.compile(
    r"(?:^|/)(?:bin|exe|cmd|cli|commands?|scripts?|sbin)/|(?:^|/)(?:\w+[_-])?(?:cli|main|commands?"
    r"|daemon|server|worker|launcher|supervisor|console|Rakefile)\.\w+$"
)
HAS_MAIN = re.compile(
    r"\b(?:main|Main)\s*\(|(?m:^)package main\b|@main\b|\bOptionParser\b|\bARGV\b|\$argv\b"
)
MAIN_GUARD = re.compile(
    r"(?m)^.*(?:\brequire\.main\b|\bimport\.meta\.(?:main|url)\b.*===?"
    r"|\b__name__ *== *['\"]__main__['\"]|__FILE__ *== *\$(?:0|PROGRAM_NAME))"
)
MAX_FINDINGS_OF_FILE = 3


def find(project: Project) -> Iterator[Finding]:
    """New lines of product files that look at the test run, or that change how it goes."""
    known = {
        _plain(line)
        for change in project.changes.values()
        for line in (change.before or "").splitlines()
    }
    for row in project.changes.values():
        # Code that a build writes is what its template says.
        change = Change(path_of_code(row.path), row.before, row.after)
        if change.after is None or not is_product_code(change):
            continue
        lines = [
            (number, line, rule)
            for number, line, rule in _telling_lines(change)
            if _plain(line) not in known and not _is_harmless(line, change)
        ]
        for number, line, rule in lines[:MAX_FINDINGS_OF_FILE]:
            yield Finding(MEDIUM, rule, row.path, number, after=line[:200])


def is_program(path: str, text: str) -> bool:
    """Does a person start it? Then it may end as it likes, and set what it likes."""
    return bool(PROGRAM_FILE.search(path) or HAS_MAIN.search(text)) or text.startswith("#!")


def _plain(line: str) -> str:
    """The line with one kind of quotes, and `#  define` as `#define`."""
    return re.sub(r"^#\s+", "#", line.strip()).replace('"', "'")


def _is_harmless(line: str, change: Change) -> bool:
    """Is it a sentence, a list of packages, data of a benchmark, or a further look at frames?"""
    is_package = change.path == "setup.py" and LISTED_PACKAGE.fullmatch(line)
    looks_as_before = FRAME.search(line) and FRAME.search(change.before or "")
    loads_data = BENCHMARK_FOLDER.match(change.path) and LOADED_FILE.match(line)
    if is_package or looks_as_before or loads_data:
        return True
    return bool(PROSE.match(line) or REQUIREMENT.match(line))


def _telling_lines(change: Change) -> Iterator[tuple[int, str, str]]:
    """New lines with a word that tells: number, line, and the rule of the word."""
    path, before, after = change.path, change.before or "", change.after or ""
    if path.endswith(".rs"):
        after = INLINE_TESTS.sub(lambda match: "\n" * match[0].count("\n"), after)
    words = [*_words_for(path, before, is_program(path, after)), *_replaced_imports(path, after)]
    patterns = [(re.compile(word.pattern), word) for word in words]
    known = {line.strip() for line in before.splitlines()}
    found = [
        (number, line)
        for number, line in enumerate(after.splitlines(), 1)
        if line.strip() not in known and any(pattern.search(line) for pattern, _ in patterns)
        if not _is_put_back(line, after)
    ]
    # A docstring or a comment that speaks of tests does nothing.
    code = code_text(SourceFile(path, after)).splitlines() if found else []
    guard = MAIN_GUARD.search(after)  # what follows it runs only in a program
    last_of_library = line_number(after, guard.start()) if guard else len(code)
    is_for_tests = RUNNER_IMPORT.search(before)  # a plugin or a helper for testers
    for number, line in found:
        matches = [
            (match[0], word.rule)
            for pattern, word in patterns
            if number <= last_of_library or not word.in_library
            for match in pattern.finditer(code[number - 1])
        ]
        if is_for_tests:
            matches = [(text, rule) for text, rule in matches if text not in RUNNER_NAMES]
        if matches:
            yield number, line.strip(), matches[0][1]


def _words_for(path: str, before: str, is_program: bool) -> Iterator[Word]:
    """The rows that count in a file: a program may do more, and what it set before it may set."""
    for word in (*WORDS, *PROCESS_WORDS):
        if not path.endswith(word.suffixes) or (is_program and word.in_library):
            continue
        if word in WORDS or not re.search(word.pattern, before):
            yield word


def _is_put_back(line: str, text: str) -> bool:
    """Is a part of a library set that the same file keeps in a name, and sets again to it?"""
    target = re.match(r"\s*([\w.$]+\.[\w$]+) *=(?![=>])", line)
    if target is None:
        return False
    part = re.escape(target[1])
    saved = re.search(rf"(\w+) *= *{part}\b(?! *\()", text)
    return bool(saved and re.search(rf"{part} *= *{saved[1]}\b", text))


def _replaced_imports(path: str, text: str) -> list[Word]:
    """How a product replaces a part of a package that it imports; examples in comments do not."""
    names: list[str] = []
    if path.endswith(SCRIPT_ENDINGS) and SCRIPT_IMPORT.search(text):
        names = SCRIPT_IMPORT.findall(code_text(SourceFile(path, text)))
    elif path.endswith(".py"):
        names = [n for n in PYTHON_IMPORT.findall(text) if n in sys.stdlib_module_names]
    if not names:
        return []
    listed = "|".join(map(re.escape, names))
    set_part = rf"^\s*(?:{listed})(?:\.[\w$]+)+ *=(?![=>])"
    return [Word((), rf"{set_part}|(?:defineProperty|setattr)\((?:{listed})\b", "", "")]
