"""The languages other than Python: which of their files hold tests."""

from __future__ import annotations

from typing import NamedTuple

from ...checks.test_files import OTHER_LANGUAGES, TestFiles


class Language(NamedTuple):
    files: TestFiles
    inline_tests: str = ""  # what a file has that holds tests beside the product

    @property
    def name(self) -> str:
        """Its name in one lower-case word."""
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


INLINE_TESTS = {"rust": "#[cfg(test)]"}
LANGUAGES = tuple(
    Language(files, INLINE_TESTS.get(files.language, "")) for files in OTHER_LANGUAGES
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


def holds_tests(path: str, text: str | None) -> bool:
    """Is it a test file, or a file of the product that holds tests?"""
    return reading_language(path, text) is not None


def test_part(path: str, text: str) -> str:
    """The whole test file, or the part of a file of the product from its tests on."""
    language = reading_language(path, text)
    return language.test_part(path, text) if language else ""
