"""Tests inside product files: which parts they are, and how a file is mixed from two versions."""

from __future__ import annotations

import ast
import doctest
import types
import unittest

import pytest

from loopwright.ratchet.readers.inner_tests import compare_inner_tests, mix_tests, split_file

FARE = """\
//! Fares. // not a "comment
/// The { fare.
pub fn fare(zones: u32) -> u32 {
    let open = '{'; let raw = r#"}"#; let life: &'static str = "}";
    /* } /* nested } */ */
    200 + zones * 50
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_zone() {
        assert_eq!(fare(1), 200);
    }
}
"""
REPAIRED = FARE.replace("zones * 50", "(zones - 1) * 50")
WEAK = ("assert_eq!(fare(1), 200)", "assert!(fare(1) >= 200)")
MORE = "    #[test]\n    fn two_zones() {\n        assert_eq!(fare(2), 250);\n    }\n}\n"


def with_more_tests(text: str) -> str:
    return text.removesuffix("}\n") + "\n" + MORE


def test_a_file_of_rust_is_mixed_from_the_product_of_one_and_the_tests_of_the_other() -> None:
    final = with_more_tests(REPAIRED.replace(*WEAK))

    assert mix_tests("src/lib.rs", FARE, final) == REPAIRED
    assert mix_tests("src/lib.rs", final, FARE) == with_more_tests(FARE.replace(*WEAK))


TESTS_OF_RUST = {
    "an attribute of a runner": "#[tokio::test]\nasync fn waits() {}",
    "a condition with the tests in it": '#[cfg(all(test, feature = "slow"))]\nmod slow {}',
    "a helper": "#[cfg(test)]\nconst LIMITS: [u32; 2] = [1, 2];",
    "names of others": "#[cfg(test)]\nuse super::{a, b};",
    "a macro": "#[cfg(test)]\nmacro_rules! near { ($a:expr) => { $a } }",
    "a module in a file of its own": "#[cfg(test)]\nmod tests;",
    "with a comment above": "/// Checks.\n#[cfg(test)]\nmod tests {}",
}


@pytest.mark.parametrize("item", TESTS_OF_RUST.values(), ids=TESTS_OF_RUST.keys())
def test_what_is_compiled_for_tests_alone_is_a_test(item: str) -> None:
    file = split_file("src/lib.rs", f"fn before() {{}}\n\n{item}\n\nfn after() {{}}\n")

    assert file is not None
    assert [part.text for part in file.parts] == [item]


PRODUCT_OF_RUST = {
    "for users with a feature, too": '#[cfg(any(test, feature = "fakes"))]\nmod fakes {}',
    "not for tests": "#[cfg(not(test))]\nfn now() {}",
    "a derived trait": "#[derive(Debug)]\nstruct Fare { cents: u32 }",
    "a text": 'const HELP: &str = "#[cfg(test)]\nmod tests {}";',
    "a comment": "// #[cfg(test)]\n// mod tests {}\nfn a() {}",
}


@pytest.mark.parametrize("item", PRODUCT_OF_RUST.values(), ids=PRODUCT_OF_RUST.keys())
def test_what_users_get_is_product(item: str) -> None:
    file = split_file("src/lib.rs", item)

    assert file is not None
    assert not file.parts


def test_a_test_in_a_module_goes_back_into_that_module() -> None:
    before = "mod zones {\n    fn near() {}\n    #[test]\n    fn a() { near(); }\n}\nfn far() {}\n"
    after = "mod zones {\n    fn near() {}\n}\nfn far() {}\n"

    assert mix_tests("src/lib.rs", before, after) == after.replace(
        "near() {}\n}", "near() {}\n\n#[test]\n    fn a() { near(); }\n}"
    )


NOT_MIXED = {
    "its module is gone": ("src/lib.rs", "mod zones { #[test]\nfn a() {} }\n", "fn far() {}\n"),
    "brackets do not match": ("src/lib.rs", FARE, "fn fare() {\n"),
    "no text": ("src/lib.rs", FARE, f"// \ufffd\n{REPAIRED.replace(*WEAK)}"),
    "no Python": ("prices.py", "def test_a():\n    assert 1\n", "def total(:\n"),
}


@pytest.mark.parametrize(("path", "tests", "product"), NOT_MIXED.values(), ids=NOT_MIXED.keys())
def test_what_cannot_be_mixed_safely_is_not(path: str, tests: str, product: str) -> None:
    assert mix_tests(path, tests, product) is None
    assert compare_inner_tests(path, tests, product, with_examples=False).is_changed


OTHERS = {
    "vitest": (
        "src/slug.ts",
        "export const slug = (s) => s.replace(/[{]/g, '-')\n",
        "if (import.meta.vitest) {{\n  const {{ it }} = import.meta.vitest\n  it('{}', () => {{}})\n}}",
    ),
    "zig": ("src/fare.zig", "fn fare() u32 {\n    return 1;\n}\n", 'test "{}" {{\n}}'),
    "D": ("fare.d", "/+ { /+ +/ +/\nint fare() { return 1; }\n", "@safe unittest {{\n  // {}\n}}"),
}


@pytest.mark.parametrize(("path", "product", "tests"), OTHERS.values(), ids=OTHERS.keys())
def test_blocks_of_tests_in_other_languages_are_exchanged(
    path: str, product: str, tests: str
) -> None:
    before, after = tests.format("old"), tests.format("new")
    end = product.replace("1", "2").replace("-", "_")

    mixed = mix_tests(path, f"{product}{before}\n", f"{end}{after}\n")

    assert mixed is not None
    assert [line for line in mixed.splitlines() if line] == f"{end}{before}".splitlines()


PRICES = '''\
"""Prices in cents."""

import unittest


def total(prices):
    """The sum.

    >>> total([1, 2])
    3
    """
    return sum(prices[1:])


class TotalTest(unittest.TestCase):
    def test_one(self):
        self.assertEqual(total([75]), 75)


if __name__ == "__main__":
    unittest.main()
'''
FIXED_PRICES = '''\
"""Prices in cents."""


def total(prices): return sum(prices)


def cheapest(prices):
    """The least, without ä doubt.

    >>> cheapest([1, 2])
    1
    """
    return min(prices)
'''


def load(text: str) -> types.ModuleType:
    module = types.ModuleType("prices")
    exec(compile(text, "prices.py", "exec"), module.__dict__)
    return module


def results(text: str) -> tuple[int, int, int, int]:
    """Tests and failures, of unittest and of doctest."""
    module = load(text)
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    tests = suite.run(unittest.TestResult())
    examples = doctest.testmod(module, report=False, verbose=False)
    return tests.testsRun, len(tests.failures), examples.attempted, examples.failed


def test_a_module_of_python_runs_with_the_tests_of_the_start() -> None:
    mixed = mix_tests("prices.py", PRICES, FIXED_PRICES, with_examples=True)

    assert mixed is not None
    assert results(mixed) == (1, 0, 1, 0)
    assert "unittest.main()" in mixed


def test_examples_of_a_function_that_is_gone_still_run(capsys) -> None:
    mixed = mix_tests("prices.py", FIXED_PRICES, PRICES, with_examples=True)

    assert mixed is not None
    assert results(mixed) == (0, 0, 1, 1)
    assert "NameError: name 'cheapest' is not defined" in capsys.readouterr().out


def test_examples_that_no_check_runs_are_text() -> None:
    changed = PRICES.replace("    3\n", "    2\n")

    assert compare_inner_tests("prices.py", PRICES, changed, with_examples=True).is_changed
    assert not compare_inner_tests("prices.py", PRICES, changed, with_examples=False).is_changed


def test_functions_of_the_product_that_are_called_test_are_product() -> None:
    product = "def test_connection(host):\n    assert host\n\n\ndef test_all():\n    return 1\n"

    file = split_file("net.py", product)

    assert file is not None
    assert not file.parts


ADDED = "    def test_two(self):\n        self.assertEqual(total([1, 2]), 3)\n\n\nif __name__"
KEPT = {  # file, text of the start, what is replaced in it, and whether its tests are kept
    "a new test of Rust": ("src/lib.rs", FARE, ("}\n}\n", f"}}\n\n{MORE}"), True),
    "another product": ("src/lib.rs", FARE, ("* 50", "* 60"), True),
    "a weaker test": ("src/lib.rs", FARE, WEAK, False),
    "tests under a condition": ("src/lib.rs", FARE, ("cfg(test)", "cfg(all(test, any()))"), False),
    "an ignored test": ("src/lib.rs", FARE, ("#[test]", "#[test]\n#[ignore]"), False),
    "a macro of the same name": (
        "src/lib.rs",
        FARE,
        ("use super::*;", "use super::*;\nmacro_rules! assert_eq { ($($t:tt)*) => {} }"),
        False,
    ),
    "a function of the same name": (
        "src/lib.rs",
        FARE,
        ("}\n}\n", "}\n    fn fare(z: u32) -> u32 { 200 }\n}\n"),
        False,
    ),
    "a macro for all tests": (
        "src/lib.rs",
        FARE,
        ("#[cfg(test)]", "#[cfg(test)]\nmacro_rules! assert_eq { () => {} }\n#[cfg(test)]"),
        False,
    ),
    "a new test of Python": ("prices.py", PRICES, ("\n\nif __name__", f"\n{ADDED}"), True),
    "a new example": ("prices.py", PRICES, ("    3\n", "    3\n    >>> total([])\n    0\n"), True),
    "an example before another": (
        "prices.py",
        PRICES,
        (">>> total", ">>> total = len\n    >>> total"),
        False,
    ),
    "a setup that skips": (
        "prices.py",
        PRICES,
        ("    def test_one", "    def setUp(self):\n        self.skipTest('')\n\n    def test_one"),
        False,
    ),
    "tests that no longer run": ("prices.py", PRICES, ("    unittest.main()", "    pass"), False),
}


@pytest.mark.parametrize(("path", "text", "pair", "kept"), KEPT.values(), ids=KEPT.keys())
def test_the_tests_of_the_start_are_kept_if_others_only_follow_them(
    path: str, text: str, pair: tuple[str, str], kept: bool
) -> None:
    after = text.replace(*pair)

    assert after != text
    assert compare_inner_tests(path, text, after, with_examples=True).is_kept == kept


def test_a_mixed_module_can_always_be_parsed() -> None:
    versions = [PRICES, FIXED_PRICES, "x = 1\n", PRICES.replace('"""Prices in cents."""\n', "")]
    for tests in versions:
        for product in versions:
            mixed = mix_tests("prices.py", tests, product, with_examples=True)
            assert mixed is not None
            ast.parse(mixed)
