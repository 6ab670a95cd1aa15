"""The languages that are read with tree-sitter, and who reads their tests.

A reader is a module of this package with `read(path, text) -> Suite | None`. Its grammar is a
package of the extra `languages`. The hook cannot import that: `drive/proof/language_readers.py`
lets another process read the files, and keeps what it read in `read_ahead`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from ...checks.test_files import OTHER_LANGUAGES, TestFiles
from ...repo.baseline import Change
from .suite import Suite
from .syntax import GRAMMARS
from .unchanged_tests import without_unchanged_tests

read_ahead: dict[tuple[str, str], Suite | None] = {}  # path and text → what another process read


class Language(NamedTuple):
    files: TestFiles
    title: str
    inline_tests: str = ""  # what a file has that holds tests beside the product

    @property
    def name(self) -> str:
        """The name of the reader's module, and of its grammar."""
        return self.files.language

    def is_test(self, path: str) -> bool:
        return self.files.has(path)

    def has_inline_tests(self, path: str, text: str | None) -> bool:
        """Does a file of the product hold tests too?"""
        is_of_language = bool(self.inline_tests) and path.endswith(self.files.suffixes)
        return is_of_language and self.inline_tests in (text or "")

    def test_part(self, path: str, text: str) -> str:
        """The whole file, or the part of a file of the product from its tests on."""
        return text if self.is_test(path) else text.partition(self.inline_tests)[2]

    def is_installed(self) -> bool:
        """Can this interpreter import the grammar? It is not loaded for the answer."""
        package, _ = GRAMMARS[self.name]
        return bool(find_spec("tree_sitter") and find_spec(package))

    def read(self, path: str, text: str) -> Suite | None:
        """The tests of a file; None if it cannot be read."""
        if (path, text) in read_ahead:
            return read_ahead[path, text]
        return self.read_here(path, text)

    def read_here(self, path: str, text: str) -> Suite | None:
        """The same, in this process. A reader that fails must not end the comparison."""
        try:
            suite = import_module(f".{self.name}", __package__).read(path, text)
        except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError):
            return None
        except (TypeError, ValueError):
            return None
        return suite if isinstance(suite, Suite) else None


TITLES = {
    "javascript": "JavaScript and TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "kotlin": "Kotlin",
    "csharp": "C#",
    "ruby": "Ruby",
    "php": "PHP",
}
INLINE_TESTS = {"rust": "#[cfg(test)]"}
LANGUAGES = tuple(
    Language(files, TITLES[files.language], INLINE_TESTS.get(files.language, ""))
    for files in OTHER_LANGUAGES
)


def language_of(path: str) -> Language | None:
    """The language of a test file."""
    return next((language for language in LANGUAGES if language.is_test(path)), None)


def is_test(path: str) -> bool:
    return language_of(path) is not None


def reading_language(path: str, text: str | None) -> Language | None:
    """The language of a test file, or of a file of the product that holds tests."""
    for language in LANGUAGES:
        if language.is_test(path) or language.has_inline_tests(path, text):
            return language
    return None


class AllLanguages:
    """All of them as one, because a test may move from Java to Kotlin."""

    def is_test(self, path: str) -> bool:
        return is_test(path)

    def holds_tests(self, path: str, text: str | None) -> bool:
        return reading_language(path, text) is not None

    def read(self, path: str, text: str) -> Suite | None:
        language = reading_language(path, text)
        return language.read(path, text) if language else None

    def changed_texts(self, change: Change) -> tuple[str | None, str | None]:
        """Both sides of a file, without the tests that cannot have changed."""
        before, after = change.before, change.after
        language = reading_language(change.path, before)
        if before is None or after is None or language is None:
            return before, after
        return without_unchanged_tests(language.name, before, after)

    def test_part(self, path: str, text: str) -> str:
        language = reading_language(path, text)
        return language.test_part(path, text) if language else ""


ALL = AllLanguages()
