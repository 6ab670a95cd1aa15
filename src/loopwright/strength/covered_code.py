"""Tests as the work: the code of the product that they cover, which is changed instead of the work.

Hollow tests run code and assert nothing. So the functions that the new tests name are changed, and
only what the tests of the start do not notice already says something about the new ones.
"""

from __future__ import annotations

import os
import posixpath

from .. import lazy_re as re
from ..checks.code_files import CODE_SUFFIXES
from ..checks.surroundings import surrounding_kind
from ..checks.test_files import kind_in_tests
from ..core.record import Record
from ..disk.files import read_text
from ..ratchet.readers.definitions import FUNCTION, METHOD, Definition, definitions
from ..repo.plumbing import ask_user_git
from .changed_files import ChangedFile, new_lines
from .changed_lines import FileLines
from .line_facts import lines_of_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FILES, MAX_CHARS = 400, 400_000
WORD = re.compile(r"[A-Za-z_]\w+")
CONSTRUCTORS = ("__init__", "constructor", "initialize", "new")
KNOWN_BEFORE = "the tests of the start notice them too"
NO_FUNCTION = "the new tests name no function of the product, so it is not known what they cover"


class CoveredCode(Record):
    """Files of the product with the lines that changed tests ask about, and the former tests."""

    files: tuple[ChangedFile, ...] = ()
    lines: tuple[tuple[str, frozenset[int]], ...] = ()
    former_tests: tuple[tuple[str, str | None], ...] = ()


def changed_tests(sides: dict[str, tuple[str | None, str | None]]) -> tuple[ChangedFile, ...]:
    """The changed files of tests, with their helpers and data."""
    return tuple(ChangedFile(path, *texts) for path, texts in sides.items() if kind_in_tests(path))


def covered_code(root: str, tests: Iterable[ChangedFile], spec: str) -> CoveredCode:
    """The functions of the product that the new and changed tests name.

    What the spec names is all that counts, if the tests ask about it.
    """
    tests = tuple(tests)
    words = frozenset(word for test in tests for word in _new_words(test))
    found: dict[str, frozenset[int]] = {}
    texts: dict[str, str] = {}
    for path in _product_paths(root):
        if not _may_be_meant(path, tests, words):
            continue
        text = read_text(os.path.join(root, path), MAX_CHARS, exact=True) or ""
        if lines := _named_lines(path, text, words):
            found[path], texts[path] = lines, text
    in_spec = {path: lines for path, lines in found.items() if posixpath.basename(path) in spec}
    found = in_spec or found
    return CoveredCode(
        files=tuple(ChangedFile(path, None, texts[path]) for path in found),
        lines=tuple(found.items()),
        former_tests=tuple(
            (test.path, test.before)
            for test in tests
            if test.after is not None and test.path not in found and "\0" not in (test.before or "")
        ),
    )


def covered_lines(code: CoveredCode, lines: dict[str, FileLines]) -> dict[str, FileLines]:
    """What ran of these functions. No line of them is the work, so none counts as not run."""
    wanted = dict(code.lines)
    return {
        path: each.but(
            changed=frozenset(),
            ran=wanted[path] & (each.facts.lines if each.ran is None else each.ran),
        )
        for path, each in lines.items()
    }


def has_only_new_tests(file: ChangedFile) -> bool:
    """Did nothing change in a product file but the tests in it, as in Rust?"""
    if file.before is None or not lines_of_tests(file.path, file.after or ""):
        return False
    return _product_rows(file.path, file.before) == _product_rows(file.path, file.after or "")


def _product_rows(path: str, text: str) -> list[str]:
    tests = lines_of_tests(path, text)
    rows = enumerate(text.split("\n"), 1)
    return [row.rstrip() for number, row in rows if row.strip() and number not in tests]


def _new_words(test: ChangedFile) -> set[str]:
    """Those of new lines, and of all of a test with a new line: it asks about what it calls."""
    text, lines = test.after or "", set(new_lines(test))
    rows = text.split("\n")
    for each in definitions(test.path, text):
        inside = range(each.first, each.last + 1)
        if each.kind in (FUNCTION, METHOD) and not lines.isdisjoint(inside):
            lines.update(inside)
    return {word for line in lines for word in WORD.findall(rows[line - 1])}


def _product_paths(root: str) -> list[str]:
    _, out = ask_user_git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = sorted({os.fsdecode(row) for row in out.split(b"\0") if row})
    code = [path for path in paths if path.endswith(CODE_SUFFIXES)]
    return [path for path in code if not surrounding_kind(path, "", "")][:MAX_FILES]


def _may_be_meant(path: str, tests: tuple[ChangedFile, ...], words: frozenset[str]) -> bool:
    """Is the file beside a test, or does a test name it, or a folder that it is in?"""
    folder, name = posixpath.split(path)
    if any(posixpath.dirname(test.path) == folder for test in tests):
        return True
    return not words.isdisjoint((name.partition(".")[0], *folder.split("/")))


def _named_lines(path: str, text: str, words: frozenset[str]) -> frozenset[int]:
    found = definitions(path, text)
    named = (each for each in found if each.kind in (FUNCTION, METHOD) and _is_named(each, words))
    lines = frozenset(n for each in named for n in range(each.first, each.last + 1))
    return lines - lines_of_tests(path, text)


def _is_named(function: Definition, words: frozenset[str]) -> bool:
    name = function.owner if function.name in CONSTRUCTORS else function.name
    return name in words
