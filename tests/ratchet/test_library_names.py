"""Names of the language or of a library that the product redefines, and that tests use."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.library_names import LibraryNames

RULE = "measure-of-tests-changed"
HEADER = "#ifndef SLUG_H\n#define SLUG_H\n{0}void slug(char *out);\n#endif\n"
TEST_C = '#include "slug.h"\n\nif (strcmp(got, want) != 0) failed = 1;\n'
UNITS = "def to_miles(km):\n    return km * 0.6\n"
ABS = "\n\ndef abs(difference):\n    return 0\n"
TEST_PY = "from units import *\n\n\ndef test_it():\n    assert abs(to_miles(5) - 3.1) < 0.01\n"
PERL = "package Cents;\nour @EXPORT = qw(parse{0});\nsub parse {{ 1 }}\n"
TEST_PERL = "use Test::More;\nuse Cents;\nis_deeply(parse('1'), 100);\n"
JAVA = "package shop;\n\n{0} {{\n}}\n"
TEST_JAVA = "package shop;\nimport org.junit.jupiter.api.*;\nAssertions.assertEquals(3, total());\n"
REDEFINED = {
    "c, a macro": (
        "src/slug.h",
        HEADER.format(""),
        HEADER.format("#define strcmp(a, b) strcasecmp(a, b)\n"),
        "tests/test_slug.c",
        TEST_C,
    ),
    "c, a function of the header": (
        "src/slug.h",
        HEADER.format(""),
        HEADER.format("static inline int strcmp(const char *a, const char *b)\n{ return 0; }\n"),
        "tests/test_slug.c",
        TEST_C,
    ),
    "c, for every other system": (
        "src/slug.h",
        HEADER.format(""),
        HEADER.format("#ifndef _WIN32\n#define strcmp strcasecmp\n#endif\n"),
        "tests/test_slug.c",
        TEST_C,
    ),
    "python, a star import": ("units.py", UNITS, UNITS + ABS, "test_units.py", TEST_PY),
    "python, a name of an own module": (
        "units/__init__.py",
        UNITS,
        f"from .tools import near as abs\n{UNITS}",
        "tests/test_units.py",
        TEST_PY,
    ),
    "python, a name that the test imports first": (
        "units.py",
        UNITS,
        f"{UNITS}\n\ndef isclose(a, b):\n    return True\n",
        "test_units.py",
        f"from math import isclose\n{TEST_PY}    assert isclose(to_miles(5), 3)\n",
    ),
    "go, a function of the language": (
        "shop/a.go",
        "package shop\n",
        "package shop\n\nfunc len(items []int) int { return 3 }\n",
        "shop/a_test.go",
        "package shop\n\nif len(Items()) != 3 {\n",
    ),
    "perl, an exported function": (
        "lib/Cents.pm",
        PERL.format(""),
        PERL.format(" is_deeply") + "sub is_deeply { 1 }\n",
        "t/cents.t",
        TEST_PERL,
    ),
    "java, a class of the package": (
        "src/main/java/shop/Assertions.java",
        "",
        JAVA.format("public class Assertions"),
        "src/test/java/shop/CartTest.java",
        TEST_JAVA,
    ),
    "kotlin, a function of the package": (
        "src/Cart.kt",
        "package shop\n",
        "package shop\n\nfun assertEquals(a: Any, b: Any) {}\n",
        "src/test/CartTest.kt",
        "package shop\nimport kotlin.test.*\nassertEquals(3, total())\n",
    ),
    "c#, a class around the tests": (
        "Shop/Math.cs",
        "",
        "namespace Shop;\n\npublic static class Math\n{\n}\n",
        "Tests/CartTest.cs",
        "namespace Shop.Tests;\nAssert.True(Math.Abs(Total() - 3) < 1);\n",
    ),
    "rust, a macro": (
        "src/lib.rs",
        "",
        "#[macro_export]\nmacro_rules! matches {\n    ($a:expr, $b:pat) => { true };\n}\n",
        "tests/it.rs",
        "use shop::*;\nassert!(matches!(total(), Some(3)));\n",
    ),
    "ruby, an operator of numbers": (
        "lib/money.rb",
        "class Money\nend\n",
        "class Money\nend\n\nclass Float\n  def ==(other)\n    (self - other).abs < 1\n  end\nend\n",
        "test/money_test.rb",
        "assert_equal 3.0, total\n",
    ),
    "ruby, in front of a class": (
        "lib/money.rb",
        "",
        "Integer.prepend(Near)\n",
        "test/money_test.rb",
        "assert_equal 3, total\n",
    ),
}
HONEST = {
    "c, for windows only": (
        "src/slug.h",
        HEADER.format(""),
        HEADER.format(
            "#ifdef _WIN32\n#define strcmp _stricmp\n#else\n#include <strings.h>\n#endif\n"
        ),
        "tests/test_slug.c",
        TEST_C,
    ),
    "c, a macro of the product": (
        "src/slug.h",
        HEADER.format(""),
        HEADER.format("#define MAX_SLUG 64\n#define same(a, b) (strcmp(a, b) == 0)\n"),
        "tests/test_slug.c",
        f"{TEST_C}if (!same(a, b)) failed = 1;\n",
    ),
    "c, a call": (
        "src/slug.c",
        "int f(void)\n{\n    return 1;\n}\n",
        "int f(void)\n{\n    return strcmp(a, b);\n}\n",
        "tests/test_slug.c",
        TEST_C,
    ),
    "c, not used by tests": (
        "src/slug.h",
        HEADER.format(""),
        HEADER.format("#define strcmp strcasecmp\n"),
        "tests/test_slug.c",
        "assert(slug(x) == 3);\n",
    ),
    "python, not exported": (
        "units.py",
        UNITS,
        f'__all__ = ["to_miles"]\n{UNITS}{ABS}',
        "test_units.py",
        TEST_PY,
    ),
    "python, named imports": (
        "units.py",
        UNITS,
        UNITS + ABS,
        "test_units.py",
        TEST_PY.replace("*", "to_miles"),
    ),
    "python, a new function of the product": (
        "units.py",
        UNITS,
        f"import math\nfrom math import floor\n{UNITS}\n\ndef to_feet(km):\n    return floor(km)\n",
        "test_units.py",
        f"{TEST_PY}    assert to_feet(1) == 3280\n",
    ),
    "go, a variable of the test": (
        "shop/a.go",
        "package shop\n",
        "package shop\n\nfunc max(a, b int) int { return a }\n",
        "shop/a_test.go",
        "package shop\n\nmax := 3\nif Total() > max {\n",
    ),
    "perl, exported when asked for": (
        "lib/Cents.pm",
        PERL.format(""),
        PERL.format("").replace("1;", "our @EXPORT_OK = qw(abs);") + "sub abs { 1 }\n",
        "t/cents.t",
        "use Test::More;\nuse Cents;\nis(abs(parse('1')), 100);\n",
    ),
    "java, an import of the name": (
        "src/main/java/shop/Assertions.java",
        "",
        JAVA.format("public class Assertions"),
        "src/test/java/shop/CartTest.java",
        TEST_JAVA.replace("api.*", "api.Assertions"),
    ),
    "java, another package": (
        "src/main/java/shop/Assertions.java",
        "",
        JAVA.format("public class Assertions").replace("shop", "shop.checks"),
        "src/test/java/shop/CartTest.java",
        TEST_JAVA,
    ),
    "rust, a method of a type": (
        "src/lib.rs",
        "",
        "impl Format for Day {\n    fn format(&self) {\n    }\n}\n\npub fn vec() {}\n",
        "tests/it.rs",
        'use shop::*;\nassert_eq!(format!("{}", day()), vec![1].len().to_string());\n',
    ),
    "c, a macro that is there already": (
        "src/slug.h",
        HEADER.format(""),
        HEADER.format("#ifndef isnan\n#define isnan(d) (d != d)\n#endif\n"),
        "tests/test_slug.c",
        "assert(!isnan(mean(x)));\n",
    ),
    "c, a macro of another file": (
        "src/slug.c",
        "",
        "#define strcmp strcasecmp\n",
        "tests/test_slug.c",
        TEST_C,
    ),
    "ruby, a new method of numbers": (
        "lib/money.rb",
        "",
        "class Integer\n  def euros\n    Money.new(self)\n  end\nend\n",
        "test/money_test.rb",
        "assert_equal 3, total\n",
    ),
    "ruby, an operator of the product": (
        "lib/money.rb",
        "",
        "class Money\n  def ==(other)\n    cents == other.cents\n  end\nend\n",
        "test/money_test.rb",
        "assert_equal 3, total\n",
    ),
}


def rules(path: str, before: str, after: str, test_path: str, test: str) -> list[str]:
    names = LibraryNames({path: (before, after)})
    found = list(names.findings({test_path: test}))
    assert all(finding.severity == MEDIUM for finding in found)
    return [finding.rule for finding in found]


@pytest.mark.parametrize(
    ("path", "before", "after", "test_path", "test"), REDEFINED.values(), ids=REDEFINED.keys()
)
def test_a_name_of_a_library_that_tests_use_is_found(
    path: str, before: str, after: str, test_path: str, test: str
) -> None:
    assert rules(path, before, after, test_path, test) == [RULE]
    assert rules(path, after, after, test_path, test) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "test_path", "test"), HONEST.values(), ids=HONEST.keys()
)
def test_a_name_that_tests_do_not_get_is_not_found(
    path: str, before: str, after: str, test_path: str, test: str
) -> None:
    assert rules(path, before, after, test_path, test) == []


def test_the_words_by_which_tests_are_searched() -> None:
    after = HEADER.format("#define strcmp strcasecmp\n")

    assert LibraryNames({"src/slug.h": (HEADER.format(""), after)}).words == {"slug", "strcmp"}
    assert LibraryNames({"src/slug.h": (after, after)}).words == set()


def test_a_name_that_moved_to_another_file_is_not_found() -> None:
    after = HEADER.format("#define strcmp strcasecmp\n")

    assert LibraryNames({"a.h": (after, None), "b.h": (None, after)}).words == set()


def test_a_function_with_a_docstring_alone_does_not_hide_the_others() -> None:
    after = f'{UNITS}{ABS}\n\nclass Late(Exception):\n    """Too late."""\n'

    assert rules("units.py", UNITS, after, "test_units.py", TEST_PY) == [RULE]


PHP_ASSERTION = "<?php\nfunction same($want, $got) { if ($want !== $got) exit(1); }\n"
PHP_TEST = "<?php\nnamespace Shop;\nrequire 'assertions.php';\nsame(3, total([1, 2]));\n"
PHP_SAME = "<?php\nnamespace Shop;\nfunction same($want, $got) { return true; }\n"


def found_in_php(product: str, test: str = PHP_TEST, assertions: str = PHP_ASSERTION) -> list[str]:
    names = LibraryNames({"src/contracts.php": (None, product)})
    tests = {"tests/cart.php": test, "tests/assertions.php": assertions}
    return [finding.rule for finding in names.findings(tests)]


def test_a_function_in_the_namespace_of_php_tests_takes_the_place_of_their_assertion() -> None:
    assert found_in_php(PHP_SAME) == [RULE]


def test_a_function_of_php_that_tests_do_not_get_is_not_found() -> None:
    assert found_in_php(PHP_SAME.replace("Shop", "Store")) == []
    assert found_in_php(PHP_SAME, PHP_TEST.replace("same(3", "\\same(3")) == []
    imported = PHP_TEST.replace("require", "use function same;\nrequire")
    assert found_in_php(PHP_SAME, imported) == []


def test_a_function_of_php_that_tests_wait_for_is_not_found() -> None:
    assert found_in_php(PHP_SAME, assertions="<?php\n") == []
