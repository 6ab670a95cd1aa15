"""The languages that are read with tree-sitter: which files hold their tests, and who reads them.

A reader is a module of this package with `read(path, text) -> Suite | None`. Its grammar is a
package of the extra `languages`. The hook cannot import that: `drive/proof/language_readers.py`
lets another process read the files, and keeps what it read in `read_ahead`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from ... import lazy_re as re
from ...repo.baseline import Change
from .suite import Suite
from .syntax import GRAMMARS
from .unchanged_tests import without_unchanged_tests

read_ahead: dict[tuple[str, str], Suite | None] = {}  # path and text → what another process read


class Language(NamedTuple):
    name: str  # of the reader's module, and of its grammar
    title: str
    suffixes: tuple[str, ...]
    test_path: re.Pattern[str]
    not_test_path: re.Pattern[str] = re.compile(r"(^|/)(fixtures|__fixtures__|testdata)/")
    inline_tests: str = ""  # what a file has that holds tests beside the product

    def is_test(self, path: str) -> bool:
        is_of_language = path.endswith(self.suffixes) and not self.not_test_path.search(path)
        return is_of_language and bool(self.test_path.search(path))

    def has_inline_tests(self, path: str, text: str | None) -> bool:
        """Does a file of the product hold tests too?"""
        is_of_language = bool(self.inline_tests) and path.endswith(self.suffixes)
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


SCRIPT_TEST = re.compile(
    r"((^|[/._-])(tests?|specs?|e2e|cy|unit)|(^|/)(tests?|__tests__|specs?|e2e|cypress)/.*)"
    r"\.[cm]?[jt]sx?$",
    re.I,
)
NOT_SCRIPT_TEST = re.compile(
    r"\.d\.[cm]?ts$|\.(config|stories)\.[cm]?[jt]sx?$|(^|/)(fixtures|__fixtures__|node_modules)/"
)
JVM_TEST = re.compile(
    r"(^|/)src/(\w*[tT]est\w*)/|(Tests?|IT|TestCase|Spec)\.\w+$|(^|/)(Test[A-Z]\w*\.\w+$|tests?/)"
)
# `FileSpec.kt` in a folder of the product is no test.
NOT_JVM_TEST = re.compile(r"\.gradle\.kts$|(^|/)src/(main|\w+Main)/|(^|/)(fixtures|testdata)/")
SCRIPT_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
LANGUAGES = (
    Language(
        "javascript",
        "JavaScript and TypeScript",
        SCRIPT_SUFFIXES,
        SCRIPT_TEST,
        NOT_SCRIPT_TEST,
    ),
    Language("go", "Go", (".go",), re.compile(r"_test\.go$")),
    Language(
        "rust",
        "Rust",
        (".rs",),
        re.compile(r"(^|/)tests?/|(^|[/_])tests?\.rs$"),
        inline_tests="#[cfg(test)]",
    ),
    Language("java", "Java", (".java",), JVM_TEST, NOT_JVM_TEST),
    Language("kotlin", "Kotlin", (".kt", ".kts"), JVM_TEST, NOT_JVM_TEST),
    Language(
        "csharp",
        "C#",
        (".cs",),
        re.compile(r"(Tests?|Specs?|Fixture)\.cs$|(^|/)([\w.]*[.])?(Unit|Integration)?[tT]ests?/"),
    ),
    Language(
        "ruby", "Ruby", (".rb",), re.compile(r"_(spec|test)\.rb$|(^|/)(test_\w+\.rb$|(spec|test)/)")
    ),
    Language(
        "php", "PHP", (".php",), re.compile(r"(Test|TestCase|Cest|Spec)\.php$|(^|/)[tT]ests?/")
    ),
)


GO_SYSTEM = re.compile(
    r"_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris"
    r"|wasip1|windows)(?:_\w+)?_test\.go$"
)


def is_for_another_system(path: str) -> bool:
    """Does the name of a test file of go keep it out of the build on this system?"""
    match = GO_SYSTEM.search(path)
    return match is not None and not sys.platform.startswith(match[1])


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
