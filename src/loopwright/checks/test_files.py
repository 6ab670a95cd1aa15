"""What a test file is: by the rows of the languages that we read, else by its name and folder."""

from __future__ import annotations

import posixpath
import sys
from typing import NamedTuple

from .. import lazy_re as re
from .code_files import CODE_SUFFIXES, SCRIPT_SUFFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TEST, HELPER, DATA = "test", "helper", "data"  # what a file is to the tests
NOTHING = re.compile(r"(?!)")
FIXTURES = re.compile(r"(^|/)(fixtures|__fixtures__|testdata)/")


class TestFiles(NamedTuple):
    """How the files of one language are called that hold its tests."""

    language: str
    suffixes: tuple[str, ...]
    test_path: re.Pattern[str]
    not_test_path: re.Pattern[str] = FIXTURES

    def has(self, path: str) -> bool:
        is_of_language = path.endswith(self.suffixes) and not self.not_test_path.search(path)
        return is_of_language and bool(self.test_path.search(path))


# What pytest collects by itself, and with it the files of helpers and of suites by other runners.
COLLECTED_NAME = re.compile(r"(?:test_.+|.+_test)\.py")
PYTHON_NAME = re.compile(r"(?:test_[^/]*|[^/]*_test|tests?|conftest)\.py")
JVM_TEST = re.compile(
    r"(^|/)src/(\w*[tT]est\w*)/|(Tests?|IT|TestCase|Spec)\.\w+$|(^|/)(Test[A-Z]\w*\.\w+$|tests?/)"
)
# `FileSpec.kt` in a folder of the product is no test.
NOT_JVM_TEST = re.compile(r"\.gradle\.kts$|(^|/)src/(main|\w+Main)/|(^|/)(fixtures|testdata)/")
PYTHON = TestFiles(
    "python", (".py",), re.compile(rf"(?:^|/)(?:{PYTHON_NAME.pattern}$|tests?/)"), NOTHING
)
OTHER_LANGUAGES = (
    TestFiles(
        "javascript",
        SCRIPT_SUFFIXES,
        re.compile(
            r"((^|[/._-])(tests?|specs?|e2e|cy|unit)|(^|/)(tests?|__tests__|specs?|e2e|cypress)/.*)"
            r"\.[cm]?[jt]sx?$",
            re.I,
        ),
        re.compile(
            r"\.d\.[cm]?ts$|\.(config|stories)\.[cm]?[jt]sx?$"
            r"|(^|/)(fixtures|__fixtures__|node_modules)/"
        ),
    ),
    TestFiles("go", (".go",), re.compile(r"_test\.go$")),
    TestFiles("rust", (".rs",), re.compile(r"(^|/)tests?/|(^|[/_])tests?\.rs$")),
    TestFiles("java", (".java",), JVM_TEST, NOT_JVM_TEST),
    TestFiles("kotlin", (".kt", ".kts"), JVM_TEST, NOT_JVM_TEST),
    TestFiles(
        "csharp",
        (".cs",),
        re.compile(r"(Tests?|Specs?|Fixture)\.cs$|(^|/)([\w.]*[.])?(Unit|Integration)?[tT]ests?/"),
    ),
    TestFiles("ruby", (".rb",), re.compile(r"_(spec|test)\.rb$|(^|/)(test_\w+\.rb$|(spec|test)/)")),
    TestFiles("php", (".php",), re.compile(r"(Test|TestCase|Cest|Spec)\.php$|(^|/)[tT]ests?/")),
)
# By name and folder, in every language.
TEST_NAME = re.compile(
    r"^(?:test_[^/]*|[^/]*_test|[^/]*_spec|tests?)\.\w+$"
    r"|[._-](?:test(?:-d)?|spec|cy)\.[cm]?[jt]sx?$"
    r"|\.(?:t|bats)$"
    r"|(?:Test[^/]*|[^/]*Tests?|[^/]*Spec)\.(?:java|kt|cs|php|swift|scala)$"
)
JVM_PRODUCT = re.compile(r"(?:^|/)src/(?:main|\w+Main)/.*\.(?:java|kt|scala|groovy)$")
TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|specs|e2e|testdata|testing|__snapshots__|__mocks__"
    r"|fixtures|__fixtures__|golden|goldens|snapshots)/"
)
DATA_FILE = re.compile(
    r"\.(?:snap|golden|approved\.\w+|expected)$|(?:^|/)(?:__snapshots__|tap-snapshots)/"
)
# Documents and lists of packages: a name such as `tests.txt` makes them no data of tests.
NOT_TEST_DATA = re.compile(r"\.(?:rst|md|adoc)$|(?:^|/)requirements/[^/]*\.(?:txt|in)$")
GO_SYSTEM = re.compile(
    r"_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris"
    r"|wasip1|windows)(?:_\w+)?_test\.go$"
)
# Tests in a file without their name: a runner collects the folder, or another file runs them.
DEFINES_TESTS = re.compile(
    r"^\s*(?:(?:\w+\.)?(?:describe|it|test|suite|context|specify)(?:\.\w+)*\(\s*['\"`]"
    r"|(?:async )?def test_\w|@Test\b|#\[(?:\w+::)?test\]|(?:public )?function test)"
    # Of node-tap, whose assertions need no function around them.
    r"|(?:\brequire\(|\bfrom )['\"]tape?['\"]",
    re.M,
)
# The tests inside of a file of the product, as Rust has them.
INLINE_TESTS = re.compile(r"#\[cfg\(test\)\]\nmod \w+ \{\n.*?\n\}", re.S)


def is_test_file(path: str) -> bool:
    """May it hold tests that a runner collects, in a language whose tests we read?"""
    return is_python_test(path) or any(files.has(path) for files in OTHER_LANGUAGES)


def is_python_test(path: str) -> bool:
    """May this file contain tests in Python, their helpers or hooks of the runner?"""
    return PYTHON.has(path)


def has_test_name(path: str) -> bool:
    """Does the name alone, without its folder, say that it is a test?"""
    return bool(TEST_NAME.search(posixpath.basename(path)))


def are_tests_of(tests: Iterable[tuple[str, str]], paths: Iterable[str]) -> bool:
    """Does each test, by its name and file, belong to a test file that is called after a path?

    `tests/test_slug.py` and `slug.test.js` are called after `src/slug.py` and `slug.js`.
    """
    stems = {posixpath.basename(path).partition(".")[0] for path in paths}
    words = "|".join(re.escape(stem) for stem in sorted(stems) if len(stem) > 2)
    names = rf"(?:test_(?:{words})|(?:{words})[._-](?:test|spec))"
    called = re.compile(rf"(?<![a-zA-Z0-9]){names}(?![a-z])")
    texts = [f"{name} {file}" for name, file in tests]
    return bool(words and texts) and all(map(called.search, texts))


def kind_in_tests(path: str, text: str = "") -> str:
    """TEST, HELPER or DATA for a file that belongs to the tests, in any language; else "".

    With its text, a file in a folder of tests is a test if it defines one.
    """
    name = posixpath.basename(path)
    if DATA_FILE.search(path):
        return DATA
    in_folder = bool(TEST_FOLDER.search(path))
    is_document = NOT_TEST_DATA.search(path) and not in_folder
    if is_document or JVM_PRODUCT.search(path) or (in_folder and name.startswith("README")):
        return ""
    if not in_folder and not has_test_name(path):
        return TEST if is_test_file(path) else ""
    if not path.endswith(CODE_SUFFIXES):
        return DATA
    return TEST if has_test_name(path) or DEFINES_TESTS.search(text) else HELPER


def is_for_another_system(path: str) -> bool:
    """Does the name of a test file of go keep it out of the build on this system?"""
    match = GO_SYSTEM.search(path)
    return match is not None and not sys.platform.startswith(match[1])


def inline_tests(path: str, text: str) -> str:
    """The tests inside of a product file; "" if there are none."""
    match = INLINE_TESTS.search(text) if path.endswith(".rs") else None
    return match[0] if match else ""
