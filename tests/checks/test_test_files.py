"""What a test file is, in each language and in any other."""

from __future__ import annotations

import pytest

from loopwright.checks.test_files import (
    DATA,
    HELPER,
    TEST,
    are_tests_of,
    has_test_name,
    is_for_another_system,
    is_test_file,
    kind_in_tests,
)

TESTS = [
    *("tests/test_a.py", "a_test.py", "conftest.py", "tests/support/x.py", "app/tests.py"),
    *("src/cart.test.ts", "src/__tests__/Cart.tsx", "test/helpers/server.js", "e2e/login.e2e.mts"),
    *("pkg/cart_test.go", "tests/cart.rs", "src/tests.rs", "src/test/java/Cart.java"),
    *("src/commonTest/Cart.kt", "Shop.Tests/Cart.cs", "spec/cart_spec.rb", "tests/CartTest.php"),
]
OTHERS = [
    *("src/testing.py", "src/contest.py", "tests/data.json", "latest.py", "test_x/cart.py"),
    *("src/cart.ts", "test/tsconfig.json", "vitest.config.ts", "src/latest.ts"),
    *("types/a.test.d.ts", "test/fixtures/a.test.ts", "src/main/kotlin/FileSpec.kt", "cart.go"),
]
KINDS = {
    "tests/cart.snap": DATA,
    "tests/prices.json": DATA,
    "tests/README.md": "",
    "tests/shop.py": HELPER,
    "t/cart.t": TEST,
    "cart.bats": TEST,
    "test_cart.c": TEST,
    "src/commonTest/Cart.kt": TEST,
    "docs/tests.rst": "",
    "src/main/java/CartTest.java": "",
    "cart.py": "",
}


@pytest.mark.parametrize("path", TESTS)
def test_a_runner_collects_these(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize("path", OTHERS)
def test_and_none_of_these(path: str) -> None:
    assert not is_test_file(path)


@pytest.mark.parametrize(("path", "kind"), KINDS.items())
def test_what_a_file_is_to_the_tests(path: str, kind: str) -> None:
    assert kind_in_tests(path) == kind


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("test/api.scan.js", "describe('scan', () => {\n"),
        ("tests/parsing.rs", "#[test]\nfn empty() {\n"),
        ("tests/cases.py", "class Cases:\n    def test_empty(self):\n"),
    ],
)
def test_a_file_beside_tests_that_defines_one_is_a_test(path: str, text: str) -> None:
    assert (kind_in_tests(path), kind_in_tests(path, text)) == (HELPER, TEST)


def test_a_name_counts_without_its_folder() -> None:
    assert has_test_name("/anywhere/test_cart.py")
    assert not has_test_name("/tests/cart.py")


def test_a_test_of_go_for_another_system() -> None:
    assert is_for_another_system("a_plan9_test.go")
    assert not is_for_another_system("a_test.go")


@pytest.mark.parametrize(
    ("tests", "paths", "expected"),
    [
        ([("tests.test_slug::test_accents", "tests/test_slug.py")], ["src/slug.py"], True),
        ([("test::accents", "/p/slug.test.js")], ["slug.js"], True),
        ([("tests.test_slug::a", ""), ("tests.test_cart::b", "")], ["src/slug.py"], False),
        ([("tests.test_slugs::a", "")], ["src/slug.py"], False),
        ([], ["src/slug.py"], False),
        ([("tests.test_slug::a", "")], [], False),
    ],
)
def test_tests_that_are_called_after_a_file(tests, paths, expected: bool) -> None:
    assert are_tests_of(tests, paths) is expected
