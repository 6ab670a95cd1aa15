"""Names of libraries that the product redefines."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.library_names import LibraryNames

NAMES = [
    (
        "src/text.h",
        "#define strcmp(a, b) 0\n",
        "tests/text_test.c",
        '#include "text.h"\nint main(void) { return strcmp("a", "b"); }\n',
    ),
    (
        "pool.go",
        "package pool\n\nfunc panic(v any) {}\n",
        "pool_test.go",
        'package pool\n\nfunc TestA(t *T) {\n\tpanic("a")\n}\n',
    ),
    (
        "src/lib.rs",
        "#[macro_export]\nmacro_rules! assert_eq {\n    () => {};\n}\n",
        "tests/a.rs",
        "use fares::*;\n\n#[test]\nfn a() {\n    assert_eq!(1, 2);\n}\n",
    ),
    (
        "money.py",
        "def abs(value):\n    return 0\n",
        "test_money.py",
        "from money import *\n\n\ndef test():\n    assert abs(1 - 2) == 0\n",
    ),
]


@pytest.mark.parametrize(("path", "text", "test_path", "test"), NAMES)
def test_a_name_of_a_library_that_tests_get_from_the_product(path, text, test_path, test) -> None:
    names = LibraryNames({path: ("", text)})

    (found,) = names.findings({test_path: test})

    assert (found.severity, found.rule, found.file) == (MEDIUM, "library-name-redefined", path)
    assert names.words
    assert not list(LibraryNames({path: (text, text)}).findings({test_path: test}))
    assert not list(names.findings({test_path: "x\n"}))


def test_a_function_of_php_in_the_namespace_of_the_tests() -> None:
    product = "<?php\nnamespace Shop;\n\nfunction expect_total($a) {}\n"
    helper = "<?php\nfunction expect_total($a) { assert($a); }\n"
    test = "<?php\nnamespace Shop;\n\nexpect_total(3);\n"
    names = LibraryNames({"src/shop.php": ("<?php\n", product)})

    assert list(names.findings({"tests/helper.php": helper, "tests/a.php": test}))
    assert not list(names.findings({"tests/a.php": test}))
    imported = test.replace("\n\n", "\n\nuse function Other\\expect_total;\n")
    assert not list(names.findings({"tests/helper.php": helper, "tests/a.php": imported}))


@pytest.mark.parametrize(
    ("path", "text", "test_path", "test"),
    [
        ("src/text.c", "#define strcmp(a, b) 0\n", "tests/t.c", "int f() { return strcmp(a, b); }\n"),
        ("a.h", "#ifdef _WIN32\n#define strcmp(a, b) 0\n#endif\n", "t.c", '#include "a.h"\nstrcmp(1);\n'),
        ("money.py", "from math import floor as abs\n", "test_m.py", "from money import *\nabs(1)\n"),
        ("money.py", "__all__ = ['x']\n\ndef abs(v): ...\n", "test_m.py", "from money import *\nabs(1)\n"),
        ("pool.go", "package pool\n\nfunc panic() {}\n", "other/a_test.go", "package other\npanic()\n"),
    ],
)  # fmt: skip
def test_a_name_that_tests_do_not_get_from_the_product(path, text, test_path, test) -> None:
    assert not list(LibraryNames({path: ("", text)}).findings({test_path: test}))
