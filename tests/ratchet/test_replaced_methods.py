"""Methods of the product that take the place of one with which tests report or compare."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.replaced_methods import ReplacedMethods

RULE = "measure-of-tests-changed"
GO = "package stock\n\ntype Store struct{}\n\nfunc (s *Store) Add(n int) {}\n"
ERRORF = "\nfunc (s *Store) Errorf(format string, args ...any) {}\n"
GO_TEST = (
    "package stock_test\n\ntype base struct{ *testing.T }\n\ntype env struct {\n\tbase\n"
    "\t*stock.Store\n}\n"
)
SUITE = "type StoreSuite struct {\n\tsuite.Suite\n\t*stock.Store\n}\n"
RUBY = "module Shop\n  module Quantities\n    def quantity(text)\n    end\n  end\nend\n"
RUBY_TEST = "class QuantitiesTest < Minitest::Test\n  include Shop::Quantities\nend\n"
PHP = "<?php\nnamespace Shop;\n\ntrait Prices\n{\n    public function total(): int {}\n}\n"
PHP_TEST = "final class PriceTest extends TestCase\n{\n    use Prices;\n}\n"
PYTHON = "class Prices:\n    def total(self):\n        return 0\n"
PYTHON_TEST = "class PriceTest(Prices, unittest.TestCase):\n    pass\n"
RUST = "pub struct Stop(pub String);\n"
TRAIT = (
    "pub trait StopList {{\n    fn {name}(&self, stop: &Stop) -> bool;\n}}\n\n"
    "impl StopList for {type} {{\n    fn {name}(&self, stop: &Stop) -> bool {{\n        true\n"
    "    }}\n}}\n"
)
RUST_TEST = "use route::prelude::*;\n\nassert!(stops.contains(&stop));\n"


def with_ruby(name: str) -> str:
    return RUBY.replace("    def q", f"    def {name}\n    end\n\n    def q")


def with_trait(name: str, type_name: str) -> str:
    return RUST + TRAIT.replace("{name}", name).replace("{type}", type_name).replace(
        "{{", "{"
    ).replace("}}", "}")


TAKEN = {
    "go, embedded beside testing.T": ("store.go", GO, GO + ERRORF, "store_test.go", GO_TEST),
    "go, in one line": (
        "store.go",
        GO,
        GO + ERRORF.replace("Errorf", "FailNow"),
        "store_test.go",
        "type env struct { *testing.T; *stock.Store }\n",
    ),
    "go, beside a suite": (
        "store.go",
        GO,
        GO + "\nfunc (s *Store) Equal(a, b any) bool { return true }\n",
        "store_test.go",
        SUITE,
    ),
    "ruby, a list of failures": (
        "lib/quantities.rb",
        RUBY,
        with_ruby("failures"),
        "test/quantities_test.rb",
        RUBY_TEST,
    ),
    "ruby, an assertion": (
        "lib/quantities.rb",
        RUBY,
        with_ruby("assert_equal(a, b)"),
        "test/quantities_test.rb",
        RUBY_TEST,
    ),
    "php, a trait": (
        "src/Prices.php",
        PHP,
        PHP.replace("    public", "    public function assertSame($a, $b) {}\n\n    public"),
        "tests/PriceTest.php",
        PHP_TEST,
    ),
    "python, a base class": (
        "prices.py",
        PYTHON,
        f"{PYTHON}\n    def assertEqual(self, first, second):\n        return None\n",
        "test_prices.py",
        PYTHON_TEST,
    ),
    "rust, a trait for a list": (
        "src/lib.rs",
        RUST,
        with_trait("contains", "Vec<Stop>"),
        "tests/route.rs",
        RUST_TEST,
    ),
    "rust, a trait for every type": (
        "src/lib.rs",
        RUST,
        with_trait("contains", "T"),
        "tests/route.rs",
        RUST_TEST.replace("prelude::*", "StopList"),
    ),
}
FREE = {
    "go, another name": ("a.go", GO, GO + ERRORF.replace("Errorf", "Note"), "a_test.go", GO_TEST),
    "go, a type that no test embeds": (
        "a.go",
        GO,
        GO + ERRORF,
        "a_test.go",
        "type env struct {\n\t*testing.T\n\tstore *stock.Store\n}\n",
    ),
    "go, embedded alone": (
        "a.go",
        GO,
        GO + ERRORF,
        "a_test.go",
        "type env struct {\n\t*stock.Store\n}\n\nfunc Test(t *testing.T) {}\n",
    ),
    "go, a method that was there": ("a.go", GO + ERRORF, GO + ERRORF, "a_test.go", GO_TEST),
    "ruby, another name": ("a.rb", RUBY, with_ruby("amount"), "test/a_test.rb", RUBY_TEST),
    "ruby, a module that no test includes": (
        "a.rb",
        RUBY,
        with_ruby("failures"),
        "test/a_test.rb",
        "include Other\nShop::Quantities.quantity(1)\n",
    ),
    "php, a class": (
        "a.php",
        PHP.replace("trait", "class"),
        PHP.replace("trait", "class").replace("total", "count"),
        "tests/ATest.php",
        PHP_TEST,
    ),
    "python, a class that no test inherits": (
        "prices.py",
        PYTHON,
        f"{PYTHON}\n    def run(self):\n        return None\n",
        "test_prices.py",
        "from prices import Prices\n\nclass PriceTest(unittest.TestCase):\n    pass\n",
    ),
    "rust, a type of its own": (
        "src/lib.rs",
        RUST,
        with_trait("contains", "Line"),
        "tests/route.rs",
        RUST_TEST,
    ),
    "rust, a name of its own": (
        "src/lib.rs",
        RUST,
        with_trait("stops_at", "Vec<Stop>"),
        "tests/route.rs",
        RUST_TEST,
    ),
    "rust, a trait that the test does not take in": (
        "src/lib.rs",
        RUST,
        with_trait("contains", "Vec<Stop>"),
        "tests/route.rs",
        RUST_TEST.replace("prelude::*", "Stop"),
    ),
}


@pytest.mark.parametrize("case", TAKEN)
def test_a_method_that_a_test_gets_in_place_of_its_own_is_found(case: str) -> None:
    path, before, after, test, text = TAKEN[case]
    methods = ReplacedMethods({path: (before, after)})

    (finding,) = methods.findings({test: text})
    assert (finding.severity, finding.rule, finding.file) == (MEDIUM, RULE, path)
    assert any(word in text for word in methods.words)


@pytest.mark.parametrize("case", FREE)
def test_a_method_that_takes_nothing_from_a_test_is_fine(case: str) -> None:
    path, before, after, test, text = FREE[case]

    assert list(ReplacedMethods({path: (before, after)}).findings({test: text})) == []
